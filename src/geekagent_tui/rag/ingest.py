"""One batch of sources: read, extracted and cut in worker processes, stored, each ending in one state."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from geekagent_tui.i18n import _
from geekagent_tui.rag import limits
from geekagent_tui.rag.checking import Checking
from geekagent_tui.rag.crawl import Crawl, forbidden, page_source, unfolded
from geekagent_tui.rag.errors import RagError, SkippedError
from geekagent_tui.rag.failures import empty, failed
from geekagent_tui.rag.fetch import Fetcher, Leash
from geekagent_tui.rag.given import raw_of
from geekagent_tui.rag.lane import Lane
from geekagent_tui.rag.links import harvest
from geekagent_tui.rag.model import (
    Growth,
    IngestEvent,
    IngestFinished,
    IngestPhase,
    IngestProgress,
    IngestResult,
    IngestState,
    Source,
    SourceKind,
    SourcePreview,
)
from geekagent_tui.rag.prepare import Prepared, prepare
from geekagent_tui.rag.raw import Raw
from geekagent_tui.rag.reading import read_file
from geekagent_tui.rag.robots import Pace
from geekagent_tui.rag.schedule import Place, Schedule
from geekagent_tui.rag.shelf import Ready, Shelf
from geekagent_tui.rag.sitemap import read_sitemap
from geekagent_tui.rag.store import Store, Stored
from geekagent_tui.rag.workers import Workers

READERS = 4
"""Sources that are read, extracted or waiting for a worker process at the same time."""
_PREPARE_SECONDS = 120.0
_NEWS_SECONDS = 0.1
"""Least time between two events about the bytes of one source."""
_SLICE = 100
"""Sources that are told to be queued without a pause for whatever else the event loop has to do."""

_CAME_TO_NOTHING = (IngestState.FAILED, IngestState.SKIPPED)

_T = TypeVar("_T")
_log = logging.getLogger(__name__)

OnEvent = Callable[[IngestEvent], None]


@dataclass(frozen=True, slots=True)
class Means:
    """What a batch works with.

    Attributes:
        pace: Keeps requests of crawls apart.
        lane: The thread that writes the database.
        root: The folder that files must be in; None for any.
        chunking: One of `chunk.Chunking`.
        stored: Called with each document that was added or updated, once it is durable.
    """

    fetcher: Fetcher
    pace: Pace
    workers: Workers
    lane: Lane[Store]
    root: Path | None
    chunking: str
    stored: Callable[[Stored, Prepared], None]


class Batch:
    """One run over some sources.

    Args:
        means: What it works with.
        previews: The sources.
        tell: Told about progress, in the event loop.
        again: Whether known documents are read again to bring them up to date.
        tags: What each document is to have beside the tags that it has.
    """

    def __init__(
        self,
        means: Means,
        previews: Sequence[SourcePreview],
        tell: OnEvent,
        *,
        again: bool = False,
        tags: Sequence[str] = (),
    ) -> None:
        self._means = means
        self._tell = tell
        self._places: list[Place] = []
        self._results: list[IngestResult | None] = []
        self._names: list[str] = []
        self._owners: dict[str, int] = {}
        self._add_places(previews)
        self._schedule = Schedule(self._places)
        self._shelf = Shelf(means.lane, self._stored, again=again, tags=tags)
        self._checking = Checking(means.lane)

    async def run(self) -> list[IngestResult]:
        """Ingest everything; the results are in the sources' order.

        Cancelling stops it cleanly: what is stored stays, the rest is told to be cancelled.
        """
        try:
            await self._begin()
            async with asyncio.TaskGroup() as group:
                group.create_task(self._shelf.run())
                grows = any(place.crawl is not None for place in self._places)
                readers = READERS if grows else min(READERS, len(self._places))
                for reader in [group.create_task(self._read_all()) for _ in range(readers)]:
                    await reader
                await self._shelf.end()
            await self._end()
            await self._checking.record()
        except asyncio.CancelledError:
            self._cancel_rest()
            raise
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None
        return [result for result in self._results if result is not None]

    async def _end(self) -> None:
        """What is left to do when everything was read and stored."""

    def _add_places(self, previews: Sequence[SourcePreview]) -> None:
        for preview in previews:
            if preview.problem:
                self._results.append(self._not_found(preview))
                self._names.append(preview.typed)
            for source in () if preview.problem else preview.sources:
                if source.identity not in self._owners:  # the same page spelled twice is read once
                    grows = source.growth is not None
                    crawl = Crawl(source, self._means.fetcher, self._means.pace) if grows else None
                    self._add_place(source, crawl)

    def _add_place(self, source: Source, crawl: Crawl | None, depth: int = 0) -> Place:
        self._results.append(None)
        self._names.append(source.identity)
        place = Place(source, len(self._results), crawl, depth)
        self._places.append(place)
        self._owners[source.identity] = place.position
        return place

    async def _begin(self) -> None:
        for position, result in enumerate(self._results, start=1):
            if result is not None:
                self._tell(IngestFinished(result, position, len(self._results)))
        for position, place in enumerate(self._places):
            if position % _SLICE == _SLICE - 1:
                await asyncio.sleep(0)
            self._moved(place, IngestPhase.QUEUED)

    async def _read_all(self) -> None:
        while (place := await self._schedule.next()) is not None:
            try:
                await self._ingest(place)
            except SkippedError as error:
                self._skip(place, error.message)
            except RagError as error:
                self._not_read(place, error)
            except Exception as error:
                _log.exception("ingest of %s", place.source.identity)
                self._not_read(place, failed(str(error) or type(error).__name__))
            finally:
                self._schedule.done(place)

    async def _ingest(self, place: Place) -> None:
        try:
            self._moved(place, IngestPhase.FETCHING)
            raw = await self._read(place)
        finally:
            self._schedule.read(place)
        self._moved(place, IngestPhase.PARSING)
        if place.crawl is None:
            prepared = await self._run(prepare, raw, self._means.chunking)
        elif place.source.growth is Growth.SITEMAP:
            await self._unfold(place, place.crawl, raw)
            return
        else:
            place, prepared = await self._harvest(place, place.crawl, raw)
        self._moved(place, IngestPhase.STORING)
        await self._shelf.put(Ready(place, replace(raw, data=b""), prepared))

    async def _run(self, work: Callable[..., _T], *arguments: object) -> _T:
        return await self._means.workers.run(work, *arguments, timeout=_PREPARE_SECONDS)

    async def _read(self, place: Place) -> Raw:
        source = place.source
        if source.given is not None:
            return raw_of(source.given)
        if source.kind is SourceKind.FILE:
            return await asyncio.to_thread(read_file, source, self._means.root)
        last = 0.0

        def on_bytes(done: int, size: int | None) -> None:
            nonlocal last
            if time.monotonic() - last >= _NEWS_SECONDS:
                last = time.monotonic()
                self._moved(place, IngestPhase.FETCHING, done, size)

        if place.crawl is not None:
            return await place.crawl.fetch(source.location, place.depth, on_bytes)
        return await self._means.fetcher.fetch(source.location, on_bytes, leash=self._leash(place))

    def _leash(self, place: Place) -> Leash:
        return Leash()

    async def _harvest(self, place: Place, crawl: Crawl, raw: Raw) -> tuple[Place, Prepared]:
        """A page of a crawl under the name that it gives itself, its links taken up."""
        wants = crawl.wants_links(place.depth)
        page = await self._run(harvest, raw, self._means.chunking, wants)
        crawl.found(page.links, place.depth)
        try:
            name = self._own(place, crawl, page.canonical or raw.final_url)
        finally:
            await self._grow(crawl)
        if page.prepared is None:
            raise page.error or empty()
        return replace(place, source=replace(place.source, identity=name)), page.prepared

    def _own(self, place: Place, crawl: Crawl, name: str) -> str:
        """Make a page the one that is called `name`, unless there is one already.

        Raises:
            SkippedError: There is one.
        """
        owner = self._owners.setdefault(name, place.position)
        if owner == place.position:
            return name
        result = self._results[owner - 1]
        if result is not None and result.state in _CAME_TO_NOTHING:
            self._owners[name] = place.position
            return name
        crawl.give_back()
        raise SkippedError(_("与 {url} 是同一个网页，没有重复采集").format(url=name))

    async def _grow(self, crawl: Crawl) -> int:
        """Add the pages of a crawl that have room now, and tell how many."""
        pages = 0
        while (link := crawl.next()) is not None:
            if link.url in self._owners:
                crawl.give_back()
                continue
            place = self._add_place(page_source(link), crawl, link.depth)
            pages += 1
            self._moved(place, IngestPhase.QUEUED)
            if await crawl.may_fetch(link):
                self._schedule.add(place)
            else:
                crawl.give_back()
                self._skip(place, forbidden().message)
            await asyncio.sleep(0)  # a sitemap lists thousands
        return pages

    async def _unfold(self, place: Place, crawl: Crawl, raw: Raw) -> None:
        """Add the pages of a sitemap, or of the sitemaps that it lists."""
        first = await self._run(read_sitemap, raw, crawl.site)
        crawl.found(first.pages, place.depth)
        pages = await self._grow(crawl)
        offsite, unread = first.offsite, max(0, len(first.sitemaps) + 1 - limits.SITEMAP_FILES)
        for url in first.sitemaps[: limits.SITEMAP_FILES - 1]:
            try:
                further = await crawl.fetch(url, 0, lambda _done, _size: None)
                sitemap = await self._run(read_sitemap, further, crawl.site)
            except RagError as error:
                _log.warning("sitemap %s: %s", url, error)
                unread += 1
                continue
            crawl.found(sitemap.pages, place.depth)
            offsite += sitemap.offsite
            pages += await self._grow(crawl)
        self._skip(place, unfolded(crawl, pages, offsite, unread))

    def _stored(self, ready: Ready, outcome: Stored | BaseException) -> None:
        if isinstance(outcome, BaseException):
            _log.error("storing %s", ready.place.source.identity, exc_info=outcome)
            self._fail(ready.place, failed(str(outcome)))
            return
        document, state, reason = outcome.document, outcome.state, ""
        if state is IngestState.UNCHANGED:
            tagged = _("已在知识库中，只加上了标签")
            reason = tagged if outcome.tagged else _("已在知识库中，跳过（重复采集）")
        else:
            self._means.stored(outcome, ready.prepared)
        self._finish(
            ready.place,
            IngestResult(
                self._names[ready.place.position - 1],
                state,
                document.id,
                document.title,
                document.characters,
                document.passages,
                reason,
            ),
        )

    def _not_read(self, place: Place, error: RagError) -> None:
        self._checking.failed(place.source.identity, error.message)
        self._fail(place, error)

    def _fail(self, place: Place, error: RagError) -> None:
        source = self._names[place.position - 1]
        self._finish(place, IngestResult(source, IngestState.FAILED, reason=error.message))

    def _skip(self, place: Place, reason: str) -> None:
        source = self._names[place.position - 1]
        self._finish(place, IngestResult(source, IngestState.SKIPPED, reason=reason))

    def _cancel_rest(self) -> None:
        for place in self._places:
            if self._results[place.position - 1] is None:
                source, reason = place.source.identity, _("已取消采集")
                self._finish(place, IngestResult(source, IngestState.CANCELLED, reason=reason))

    def _moved(self, place: Place, phase: IngestPhase, done: int = 0, size: int | None = None) -> None:
        total = len(self._results)
        source = self._names[place.position - 1]
        self._tell(IngestProgress(source, place.position, total, phase, done, size))

    def _finish(self, place: Place, result: IngestResult) -> None:
        self._results[place.position - 1] = result
        self._tell(IngestFinished(result, place.position, len(self._results)))

    def _not_found(self, preview: SourcePreview) -> IngestResult:
        nothing = not preview.typed.strip()
        reason = preview.problem if nothing else failed(preview.problem).message
        return IngestResult(preview.typed, IngestState.FAILED, reason=reason)
