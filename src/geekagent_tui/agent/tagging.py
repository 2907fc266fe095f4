"""Tagging documents, told in the chat."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from geekagent_tui.agent.events import Level
from geekagent_tui.agent.ingest_report import LINES
from geekagent_tui.agent.journal import Journal
from geekagent_tui.i18n import _, ngettext
from geekagent_tui.rag.model import IngestResult, IngestState
from geekagent_tui.rag.wording import describe

if TYPE_CHECKING:
    from geekagent_tui.rag.service import RagService


class Tagging:
    """Puts tags on documents and takes them off.

    Args:
        rag: The knowledge base.
        journal: Where it is told.
        after: Called when it is done, before it is told.
    """

    def __init__(self, rag: RagService, journal: Journal, after: Callable[[], Awaitable[None]]) -> None:
        self._rag = rag
        self._journal = journal
        self._after = after

    async def tag(
        self, names: Sequence[str | int], *, add: Sequence[str] = (), remove: Sequence[str] = ()
    ) -> list[IngestResult]:
        """Change tags; a line in the chat says of how many documents, and one for each that failed.

        Args:
            names: Sources in any spelling, patterns, or ids.
            add: Tags to put on.
            remove: Tags to take off.

        Raises:
            RagError: A tag can't be one, or the knowledge base can't be written.
        """
        results = await self._rag.tag(names, add=add, remove=remove)
        await self._after()
        failed = [result for result in results if result.state is IngestState.FAILED]
        for result in failed[:LINES]:
            self._journal.notice(f"[{describe(result)}]", Level.WARNING)
        changed = sum(result.state is IngestState.UPDATED for result in results)
        if changed:
            told = ngettext("已更新 {n} 个文档的标签", "已更新 {n} 个文档的标签", changed)
            self._journal.notice(f"[{told.format(n=changed)}]")
        elif len(failed) < len(results):
            self._journal.notice("[" + _("标签没有变化") + "]")
        return results
