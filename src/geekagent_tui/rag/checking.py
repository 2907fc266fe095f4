"""What became of the sources of one batch, recorded at its end."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from geekagent_tui.rag import checks
from geekagent_tui.rag.errors import RagError
from geekagent_tui.rag.lane import Lane
from geekagent_tui.rag.store import Store

_log = logging.getLogger(__name__)


class Checking:
    """Remembers sources that were looked at, but not stored; those that were, `Store.put` records itself.

    Args:
        lane: The thread that writes the database.
    """

    def __init__(self, lane: Lane[Store]) -> None:
        self._lane = lane
        self._found: dict[str, str] = {}

    def passed(self, source: str) -> None:
        """A source is as it was."""
        self._found[source] = ""

    def failed(self, source: str, problem: str) -> None:
        """A source could not be read, and why, as a sentence."""
        self._found[source] = problem

    async def record(self) -> None:
        """Write down what is new about known documents, in one transaction."""
        if not self._found:
            return
        try:
            await self._lane.run(_record, self._found)
        except RagError as error:  # what was ingested is stored all the same
            _log.warning("checks were not recorded: %s", error)


def _record(store: Store, found: Mapping[str, str]) -> None:
    with store.writing() as connection:
        news = False
        for source, problem in found.items():
            row = connection.execute("SELECT id FROM documents WHERE source = ?", (source,)).fetchone()
            if row is not None and problem:
                news |= checks.failed(connection, row[0], problem)
            elif row is not None:
                news |= checks.passed(connection, row[0])
        if news:
            store.next_revision()
