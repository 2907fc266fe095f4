"""The rule that keeps the index at the database's state, in whatever process and after whatever crash.

Whoever needs the index and finds it behind brings it forward: one process at a time, the others wait for it.
The terms of documents come from the ingest that has just stored them, else from worker processes.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import logging
import os
import time
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from geekagent_tui.files import try_lock
from geekagent_tui.i18n import _
from geekagent_tui.rag.errors import RagError, StoreError
from geekagent_tui.rag.follower import Follower, Terms
from geekagent_tui.rag.lane import Lane, until_done
from geekagent_tui.rag.prepare import PassageTerms, all_terms
from geekagent_tui.rag.queries import Changed, Changes
from geekagent_tui.rag.store import Store
from geekagent_tui.rag.workers import Workers

_T = TypeVar("_T")
_P = ParamSpec("_P")

_JOB = 250_000
"""Characters analysed in one call of a worker process."""
_JOB_SECONDS = 120.0
_OTHER_SECONDS = 20.0
"""How long another process may keep the index before that is called an error."""
_LOOK_SECONDS = 0.05
_MOST_PASSAGES = 4000
_MOST_SECONDS = 3.0
"""In a long batch the index is brought forward when this many passages wait, or this long."""
_TOO_MANY_PASSAGES = 5 * _MOST_PASSAGES
"""When the index can't be brought forward, their terms are let go of and made again later."""

_log = logging.getLogger(__name__)


class Catchup:
    """Brings the index forward when asked; one owner task does it, any number of callers wait for it.

    Args:
        follower: The index.
        lane: The only thread that writes it.
        workers: Where text is analysed.
        lock: The file whose lock means that a process is at it.
    """

    def __init__(self, follower: Follower, lane: Lane[Store], workers: Workers, lock: Path) -> None:
        self._follower = follower
        self._lane = lane
        self._workers = workers
        self._lock = lock
        self._known: dict[tuple[int, int], tuple[PassageTerms, ...]] = {}
        self._passages = 0
        self._first = 0.0
        self._wanted = False
        self._stopping = False
        self._task: asyncio.Task[None] | None = None

    def remember(self, document_id: int, revision: int, terms: tuple[PassageTerms, ...]) -> None:
        """Keep a stored document's terms until the index has them, to save analysing it twice.

        When there are many of them, or they have been waiting for some time, the index is brought forward.
        """
        now = time.monotonic()
        if not self._known:
            self._first = now
            self._passages = 0
        self._known[document_id, revision] = terms
        self._passages += len(terms)
        if self._passages >= _TOO_MANY_PASSAGES:
            self._known.clear()
        if self._passages >= _MOST_PASSAGES or now - self._first >= _MOST_SECONDS:
            self.nudge()

    def nudge(self) -> asyncio.Task[None]:
        """Begin to bring the index forward, if that is not going on already."""
        self._wanted = True
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name="rag-catchup")
            self._task.add_done_callback(_log_failure)
        return self._task

    async def reach(self, patience: float) -> bool:
        """Bring the index to the database's present state, or give up waiting for it.

        Args:
            patience: Seconds to wait; the work goes on afterwards.

        Returns:
            Whether it was reached in time.

        Raises:
            RagError: It can't be done.
        """
        task = self.nudge()
        await asyncio.wait([task], timeout=patience)
        if not task.done() or task.cancelled():
            return False
        task.result()
        return True

    async def close(self) -> None:
        """Stop at the next commit; what is missing is made up for at the next start."""
        self._stopping = True
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _run(self) -> None:
        while self._wanted and not self._stopping:
            self._wanted = False
            async with self._turn() as mine:
                if mine:
                    await self._follow()

    async def _follow(self) -> None:
        while changes := await self._do(self._follower.next_step):
            terms = await self._terms(changes)
            await self._do(self._follower.apply, changes, terms)
            self._forget(changes.revision)
        if await self._do(self._follower.is_worn):
            await self._renew()

    def _forget(self, revision: int) -> None:
        self._known = {key: terms for key, terms in self._known.items() if key[1] > revision}
        self._passages = sum(map(len, self._known.values()))
        self._first = time.monotonic()

    async def _renew(self) -> None:
        loop = asyncio.get_running_loop()

        def analysed(changes: Changes) -> Terms:
            if self._stopping:
                raise StoreError(_("知识库已关闭"))
            return asyncio.run_coroutine_threadsafe(self._terms(changes), loop).result()

        await self._do(self._follower.renew, analysed)

    async def _do(
        self, function: Callable[Concatenate[Store, _P], _T], *args: _P.args, **kwargs: _P.kwargs
    ) -> _T:
        """Run something in the index's thread to its end: the lock must not be let go of before."""
        work = self._lane.start(function, *args, **kwargs)
        if await until_done(work):
            if not work.cancelled():
                work.exception()
            raise asyncio.CancelledError
        return work.result()

    async def _terms(self, changes: Changes) -> Terms:
        terms = {
            document.id: self._known[document.id, document.revision]
            for document in changes.documents
            if (document.id, document.revision) in self._known
        }
        missing = [document for document in changes.documents if document.id not in terms]
        jobs = _jobs(missing)
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._analysed(job)) for job in jobs]
        for job, task in zip(jobs, tasks, strict=True):
            terms |= zip((document.id for document in job), task.result(), strict=True)
        return terms

    async def _analysed(self, documents: Sequence[Changed]) -> list[tuple[PassageTerms, ...]]:
        job = [(document.title, document.passages) for document in documents]
        try:
            return await self._workers.run(all_terms, job, timeout=_JOB_SECONDS)
        except RagError as error:
            if self._stopping:
                raise
            _log.warning("analysing in this process: %s", error)
            return await asyncio.to_thread(all_terms, job)

    @contextlib.asynccontextmanager
    async def _turn(self) -> AsyncIterator[bool]:
        """Hold the lock between processes; False, without it, when the index is up to date meanwhile."""
        deadline = time.monotonic() + _OTHER_SECONDS
        descriptor = await asyncio.to_thread(_open, self._lock)
        try:
            while not try_lock(descriptor, fcntl.LOCK_EX):
                if await self._do(self._follower.is_current):
                    yield False
                    return
                if time.monotonic() > deadline:
                    raise StoreError(_("知识库索引正被另一个进程占用，请稍后重试"))
                await asyncio.sleep(_LOOK_SECONDS)
            yield True
        finally:
            os.close(descriptor)


def _jobs(documents: Sequence[Changed]) -> list[list[Changed]]:
    """Documents in portions of about the same length."""
    jobs: list[list[Changed]] = []
    size = _JOB
    for document in documents:
        if size >= _JOB:
            jobs.append([])
            size = 0
        jobs[-1].append(document)
        size += sum(len(text) for _, _, text in document.passages)
    return jobs


def _open(lock: Path) -> int:
    return os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _log_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        _log.error("bringing the index forward failed", exc_info=error)
