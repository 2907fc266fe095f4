"""What follows every change: the index, index.json and whoever watches learn of it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from geekagent_tui.rag.catchup import Catchup
from geekagent_tui.rag.changes import Watch
from geekagent_tui.rag.errors import RagError
from geekagent_tui.rag.exporter import Exporter
from geekagent_tui.rag.ingest import Batch
from geekagent_tui.rag.lane import until_done
from geekagent_tui.rag.model import IngestResult, IngestState
from geekagent_tui.rag.prepare import Prepared
from geekagent_tui.rag.store import Stored

PATIENCE = 10.0
"""Seconds that a search, or the end of a batch, waits for the index to be brought forward."""
_MOVES = (IngestState.ADDED, IngestState.UPDATED, IngestState.REMOVED)

_log = logging.getLogger(__name__)


class Settling:
    """Runs changes and brings everything else to the database's state afterwards.

    Args:
        exporter: index.json.
        catchup: The index.
        watch: Whoever watches.
        look: Reads the database's revision.
    """

    def __init__(
        self, exporter: Exporter, catchup: Catchup, watch: Watch, look: Callable[[], Awaitable[int]]
    ) -> None:
        self._exporter = exporter
        self._catchup = catchup
        self._watch = watch
        self._look = look
        self._tasks: set[asyncio.Task[str]] = set()

    def stored(self, stored: Stored, prepared: Prepared) -> None:
        """A document was added or updated."""
        self._catchup.remember(stored.document.id, stored.revision, prepared.terms)
        self._exporter.nudge()
        self._watch.tell(stored.revision)

    async def batch(self, batch: Batch) -> list[IngestResult]:
        """Run a batch to its end."""
        try:
            results = await batch.run()
        except BaseException:
            self._settle()
            raise
        settled = self._settle()
        self._watch.tell(await self._look())  # tags, problems, removals
        await asyncio.shield(settled)
        return results

    async def change(self, work: asyncio.Future[list[IngestResult]]) -> list[IngestResult]:
        """Wait for a change, which can't be stopped half-way."""
        cancelled = await until_done(work)
        results = work.result()
        if any(result.state in _MOVES for result in results):
            self._watch.tell(await self._look())
            settled = self._settle()
            if not cancelled:
                await asyncio.shield(settled)
        if cancelled:
            raise asyncio.CancelledError
        return results

    async def bring_forward(self) -> str:
        """Bring index and index.json to the database's state; tell why that can't be done, else nothing."""
        try:
            await asyncio.gather(self._exporter.write(), self._catchup.reach(PATIENCE))
        except RagError as error:  # what is stored is stored; the next search tries again
            _log.warning("the index is behind: %s", error)
            return error.message
        return ""

    async def close(self) -> None:
        """Wait for what was begun."""
        if self._tasks:
            await asyncio.wait(self._tasks)

    def _settle(self) -> asyncio.Task[str]:
        """Bring everything forward in a task that outlives its caller."""
        task = asyncio.create_task(self.bring_forward(), name="rag-settle")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
