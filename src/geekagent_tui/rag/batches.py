"""Batches, written down in the queue before they begin, and taken up again when their process died."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from geekagent_tui.rag.ingest import Batch, Means
from geekagent_tui.rag.lane import Lane, until_done
from geekagent_tui.rag.ledger import OnEvent
from geekagent_tui.rag.model import IngestResult, Interrupted, SourcePreview
from geekagent_tui.rag.queue_files import Queue, Queued, Taken
from geekagent_tui.rag.queue_format import Plan
from geekagent_tui.rag.settling import Settling
from geekagent_tui.rag.store import Store
from geekagent_tui.rag.sync import Sync, Target, sources_of, targets, targets_of


class Batches:
    """Runs the batches of one knowledge base.

    Args:
        queue: Where they are written down.
        reading: The thread that reads the database.
        settling: What follows each.
        means: Makes what a batch works with.
        workspace: Absolute path of the workspace.
    """

    def __init__(
        self,
        queue: Queue,
        reading: Lane[Store],
        settling: Settling,
        means: Callable[[], Means],
        workspace: Path,
    ) -> None:
        self._queue = queue
        self._reading = reading
        self._settling = settling
        self._means = means
        self._workspace = workspace

    async def add(
        self, previews: Sequence[SourcePreview], tell: OnEvent | None, *, tags: tuple[str, ...] = ()
    ) -> list[IngestResult]:
        """Ingest what is previewed, and put tags on it."""
        means = self._means()

        def begin() -> Batch:
            sources = (source for each in previews if not each.problem for source in each.sources)
            queued = self._queue.begin(Plan(datetime.now(UTC), tuple(sources), tags=tags))
            return Batch(means, previews, tell, queued=queued, tags=tags)

        return await self._run(begin)

    async def sync(
        self, names: Sequence[str | int] | None, prune: bool, tell: OnEvent | None
    ) -> list[IngestResult]:
        """Bring documents up to date, as `RagService.sync` says."""
        chosen = await self._reading.run(targets, names, self._workspace)

        def begin() -> Batch:
            sources = tuple(sources_of(chosen, self._workspace))
            queued = self._queue.begin(Plan(datetime.now(UTC), sources, sync=True, prune=prune))
            return self._sync(chosen, prune, tell, queued)

        return await self._run(begin)

    async def resume(self, batch: str, tell: OnEvent | None) -> list[IngestResult]:
        """Go on with a batch; nothing when it is gone, or another process works on it."""
        taking = asyncio.ensure_future(asyncio.to_thread(self._queue.take, batch))
        cancelled = await until_done(taking)
        taken = taking.result()
        if cancelled:
            if taken is not None:
                await taken.queued.release()
            raise asyncio.CancelledError
        if taken is None:
            return []
        try:
            begin = await self._again(taken, tell)
        except BaseException:
            await taken.queued.release()
            raise
        return await self._run(begin)

    async def interrupted(self) -> list[Interrupted]:
        """The batches whose processes died, oldest first."""
        return await asyncio.to_thread(self._queue.interrupted)

    def keep(self) -> None:
        """Let what is cancelled from here on stay in the queue."""
        self._queue.keep()

    async def forget(self, batches: Sequence[str]) -> None:
        """Remove batches that nobody works on."""
        for batch in batches:
            await asyncio.to_thread(self._queue.forget, batch)

    async def _run(self, begin: Callable[[], Batch]) -> list[IngestResult]:
        beginning = asyncio.ensure_future(asyncio.to_thread(begin))
        cancelled = await until_done(beginning)
        batch = beginning.result()
        if cancelled:
            await batch.drop()
            raise asyncio.CancelledError
        return await self._settling.batch(batch)

    async def _again(self, taken: Taken, tell: OnEvent | None) -> Callable[[], Batch]:
        plan, trail, queued = taken.plan, taken.trail, taken.queued
        if plan.sync:
            chosen = await self._reading.run(targets_of, list(trail.left(plan)))
            return partial(self._sync, chosen, plan.prune, tell, queued)
        previews = [SourcePreview(each.identity, each.kind, "", (each,)) for each in plan.sources]
        return partial(Batch, self._means(), previews, tell, queued=queued, trail=trail, tags=plan.tags)

    def _sync(self, chosen: Sequence[Target], prune: bool, tell: OnEvent | None, queued: Queued) -> Batch:
        return Sync(self._means(), chosen, self._workspace, prune=prune, tell=tell, queued=queued)
