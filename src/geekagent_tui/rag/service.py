"""The knowledge base's only door.

A `RagService` belongs to one event loop. Everything that blocks runs in threads of its own: writing the
database, reading it, searching, writing the index, writing index.json; parsing and analysis run in worker
processes. Consent is the caller's business: nothing here asks.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from geekagent_tui.i18n import _
from geekagent_tui.paths import Workspace, seal_key
from geekagent_tui.rag import doctor, queries, searching, transfer
from geekagent_tui.rag.batches import Batches
from geekagent_tui.rag.catalogue import Catalogue
from geekagent_tui.rag.catchup import Catchup
from geekagent_tui.rag.changes import Watch
from geekagent_tui.rag.dense.stage import Stage
from geekagent_tui.rag.doctor import Checkup
from geekagent_tui.rag.errors import StoreError
from geekagent_tui.rag.exchange import Exchange
from geekagent_tui.rag.exporter import Exporter
from geekagent_tui.rag.fetch import Fetcher, Leash
from geekagent_tui.rag.follower import Follower
from geekagent_tui.rag.ingest import Means
from geekagent_tui.rag.intake import Intake
from geekagent_tui.rag.lane import Lane
from geekagent_tui.rag.model import (
    Change,
    DenseStatus,
    IngestResult,
    SearchResult,
    Selection,
)
from geekagent_tui.rag.opening import DATABASE, in_plain_words, open_database
from geekagent_tui.rag.pages import Page, read_page
from geekagent_tui.rag.queue_files import Queue
from geekagent_tui.rag.robots import Pace
from geekagent_tui.rag.searching import Question
from geekagent_tui.rag.selection import Selected
from geekagent_tui.rag.settings import Settings
from geekagent_tui.rag.settling import PATIENCE, Settling
from geekagent_tui.rag.store import Store
from geekagent_tui.rag.workers import Workers

MOST_HITS = 10_000
"""Hits that a search gives at most, whatever is asked for."""
_ATTEMPTS = 10
"""How often the index may turn out to be unusable right after it was brought forward."""

_log = logging.getLogger(__name__)


class RagService(Catalogue, Intake):
    """An open knowledge base; get one with `RagService.open`, and close it.

    Attributes:
        notices: Sentences for the user about files that were imported or set aside.
    """

    def __init__(self, workspace: Workspace, root: Path | None, settings: Settings) -> None:
        self.notices: tuple[str, ...] = ()
        self._noting = threading.Lock()
        self._opened = False
        self._settings = settings
        self._exchange = Exchange(workspace.rag, workspace.folder, settings.interchange_limit)
        guard = partial(in_plain_words, workspace.rag)
        connect = partial(Store.open, workspace.rag / DATABASE)
        write = Lane("rag-write", partial(self._connect_first, workspace), guard)
        read = Lane("rag-read", connect, guard)
        self._search = Lane("rag-search", connect, guard)
        self._index = Lane("rag-index", connect, guard)
        self._export = Lane("rag-export", connect, guard)
        self._workers = Workers()
        self._fetcher = Fetcher()
        self._pace = Pace(settings.pause)
        self._follower = Follower(workspace.rag / "index")
        self._catchup = Catchup(self._follower, self._index, self._workers, workspace.rag / "index.lock")
        self._exporter = Exporter(self._exchange, self._export, self._note)
        self._watch = Watch(self._look)
        settling = Settling(self._exporter, self._catchup, self._watch, self._look)
        self._selected = Selected(workspace.folder)
        Catalogue.__init__(self, read, write, settling, workspace.folder)
        queue = Queue(workspace.rag / "queue", workspace.folder, seal_key(), self._note)
        batches = Batches(queue, read, settling, self._means, workspace.folder)
        Intake.__init__(self, read, batches, workspace.folder, root)
        self._dense = Stage(settings, read, write, self._watch, workspace.rag)

    @classmethod
    async def open(
        cls,
        workspace: Workspace | Path | str,
        *,
        root: Path | None = None,
        settings: Settings | None = None,
    ) -> Self:
        """Open a workspace's knowledge base, and make it when there is none.

        Args:
            workspace: The folder that it belongs to.
            root: The folder that files must really be in; None means any readable file.
            settings: What differs from the default.

        Raises:
            StoreTooNewError: A newer program wrote it.
            StoreError: Its files can't be opened. A broken one is set aside instead, see `notices`.
        """
        service = cls(_workspace(workspace), root, settings or Settings())
        try:
            await service._start()
        except BaseException:
            await service.close()
            raise
        return service

    async def search(
        self,
        query: str,
        limit: int = 4,
        *,
        within: Selection | None = None,
        per_document: int | None = None,
        bare: bool = False,
        explain: bool = False,
    ) -> SearchResult:
        """The passages that answer a query best.

        Args:
            query: The user's or the model's words.
            limit: How many hits at most; no more than `MOST_HITS` are given.
            within: The documents to search in; None for all.
            per_document: How many hits one document may have; None for `ranking.PER_DOCUMENT`, or more when
                so few documents are searched that there would not be enough.
            bare: Whether to return the ranking alone, to measure it: without the floor, with repeated texts,
                and as many hits of one document as there are.
            explain: Whether each hit tells its `shares`.

        Raises:
            StoreError: The index can't be read or made.
        """
        began, limit = time.perf_counter(), min(limit, MOST_HITS)
        wanted = limit if bare else self._dense.wanted(limit)
        question = Question(
            query, wanted, within, per_document, self._selected, began, bare, explain, shown=limit
        )
        if self._dense.has_vectors:
            if nothing := await self._search.run(searching.nothing, question):
                return nothing
            near, note = await self._dense.near(query)
            question = replace(question, near=near, note=note)
        stale, attempts = False, 0
        while attempts < _ATTEMPTS:
            result = await self._search.run(searching.search, self._follower, question, stale=stale)
            if result is not None:
                return result if bare else await self._dense.finished(result, limit)
            try:
                attempts += await self._catchup.reach(PATIENCE)
            except StoreError:
                if stale:
                    raise
            stale = True
        raise StoreError(_("知识库索引不能读写，请稍后重试"))

    async def page(self, url: str, leash: Leash) -> Page:
        """Read a web page as text, without taking it in.

        Raises:
            SourceError: It can't be fetched or has no text.
        """
        return await read_page(url, self._fetcher, self._workers, leash)

    async def export(self, write: Callable[[str], object]) -> int:
        """Write everything in index.json's format; see `transfer.export`. `write` is called in a thread."""
        return await self._export.run(transfer.export, write)

    async def import_file(self, file: Path) -> list[IngestResult]:
        """Import a file in index.json's format; see `transfer.take`.

        Raises:
            SourceError: It can't be read, or is no such file.
        """
        data = await asyncio.to_thread(transfer.read, file)
        return await self._settling.change(self._write.start(transfer.take, data, file.name, self._workspace))

    async def checkup(self) -> Checkup:
        """Bring index and index.json forward, then look whether everything is sound."""
        mended = await self._index.run(doctor.lost_passages, self._follower)
        trouble = await self._settling.bring_forward()
        left = await self._batches.interrupted()
        found = await self._index.run(doctor.examine, self._exchange, self._follower, left, mended, trouble)
        return found.with_dense(await self._dense.checked())

    async def dense_status(self) -> DenseStatus:
        """How far the passages have vectors."""
        return await self._dense.status()

    async def embed(self) -> None:
        """Wait until every passage has its vectors; at once when dense retrieval is off.

        Raises:
            RagError: They can't be made; documents are searched by their words meanwhile.
        """
        await self._dense.complete()

    def watch(self) -> AsyncGenerator[Change, None]:
        """Every change from now on: this process's at once, others' within about a second.

        Several changes at once may come as the last of them. Ends when the service is closed.
        """
        return self._watch.changes()

    async def close(self) -> None:
        """Write what is missing in index.json, stop everything, let go of everything."""
        async with contextlib.AsyncExitStack() as stack:  # each step is taken even when one before fails
            for lane in (self._write, self._read, self._search, self._index, self._export):
                stack.push_async_callback(lane.close)
            stack.push_async_callback(self._fetcher.close)
            stack.push_async_callback(self._workers.close)
            if self._opened:  # else its thread would be the one to make the database
                stack.push_async_callback(self._exporter.close)
            stack.push_async_callback(self._dense.close)
            stack.push_async_callback(self._settling.close)
            stack.push_async_callback(self._catchup.close)
            stack.push_async_callback(self._watch.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _connect_first(self, workspace: Workspace) -> Store:
        workspace.create()
        store, notices = open_database(self._exchange)
        self._note(notices)
        return store

    def _means(self) -> Means:
        return Means(
            self._fetcher,
            self._pace,
            self._workers,
            self._write,
            self._root,
            self._settings.chunking,
            self._settling.stored,
        )

    async def _start(self) -> None:
        revision, exported, indexed = await self._write.run(_state, self._exchange, self._follower)
        self._opened = True
        self._watch.tell(revision)
        if not exported:
            self._exporter.nudge()
        if not indexed:
            self._catchup.nudge()
        self._dense.start()

    async def _look(self) -> int:
        return await self._read.run(queries.revision)

    def _note(self, sentences: Sequence[str]) -> None:
        with self._noting:  # called in several threads
            self.notices += tuple(sentences)


def _workspace(given: Workspace | Path | str) -> Workspace:
    folder = given.folder if isinstance(given, Workspace) else Path(given)
    return Workspace(folder.expanduser().absolute())


def _state(store: Store, exchange: Exchange, follower: Follower) -> tuple[int, bool, bool]:
    """The revision, and whether index.json and the index are there already."""
    return queries.revision(store), not exchange.is_behind(store), follower.seems_current(store)
