"""One batch of sources: read, extracted and cut in worker processes, stored, each ending in one state."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from geekagent_tui.i18n import _
from geekagent_tui.rag import limits, queue_format
from geekagent_tui.rag.checking import Checking
from geekagent_tui.rag.crawl import Crawl, forbidden, page_source, unfolded
from geekagent_tui.rag.errors import RagError, SkippedError
from geekagent_tui.rag.failures import empty, failed
from geekagent_tui.rag.fetch import Fetcher, Leash
from geekagent_tui.rag.given import raw_of
from geekagent_tui.rag.lane import Lane
from geekagent_tui.rag.ledger import SLICE, Ledger, OnEvent
from geekagent_tui.rag.links import harvest
from geekagent_tui.rag.model import (
    Growth,
    IngestPhase,
    IngestResult,
    IngestState,
    Source,
    SourceKind,
    SourcePreview,
)
from geekagent_tui.rag.prepare import Prepared, prepare
from geekagent_tui.rag.queue_files import Queued
from geekagent_tui.rag.queue_format import Trail
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

_BEFORE, _NOTHING = 0, -1
"""In the place of positions: sources that have ended in an earlier run, with a document or without."""
_T = TypeVar("_T")
_log = logging.getLogger(__name__)


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
        tell: Told about progress, in the event loop, if anybody is.
        queued: Where it is written down how far it has come.
        trail: How far it had come when it was interrupted.
        again: Whether known documents are read again to bring them up to date.
        tags: What each document is to have beside the tags that it has.
    """

    def __init__(
        self,
        means: Means,
        previews: Sequence[SourcePreview],
        tell: OnEvent | None,
        *,
        queued: Queued | None = None,
        trail: Trail | None = None,
        again: bool = False,
        tags: Sequence[str] = (),
    ) -> None:
        self._means = means
        self._ledger = Ledger(tell, queued or Queued())
        self._places: list[Place] = []
        self._owners: dict[str, int] = {}
        self._add_places(previews, trail or Trail())
        self._schedule = Schedule(self._places)
        self._shelf = Shelf(means.lane, self._stored, self._durable, again=again, tags=tags)
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
            await self._cancel_rest()
            raise
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None
        finally:
            try:
                await self._ledger.queued.remove()
            finally:
                self._ledger.close()
        return self._ledger.results()

    async def drop(self) -> None:
        """Forget a batch that was never run."""
        await self._ledger.queued.leave()

    async def _end(self) -> None:
        """What is left to do when everything was read and stored."""

    def _add_places(self, previews: Sequence[SourcePreview], trail: Trail) -> None:
        for preview in previews:
            if preview.problem:
                self._ledger.enter(preview.typed, self._not_found(preview))
            for source in () if preview.problem else preview.sources:
                if source.identity not in self._owners:  # the same page spelled twice is read once
                    grows = source.growth is not None
                    crawl = Crawl(source, self._means.fetcher, self._means.pace) if grows else None
                    self._add_unless_ended(source, crawl, 0, trail)
                    if crawl is not None and crawl.start in trail.crawls:
                        self._go_on(crawl, trail)
        self._owners |= {name: _BEFORE for name in trail.ended.values() if name}

    def _add_unless_ended(self, source: Source, crawl: Crawl | None, depth: int, trail: Trail) -> None:
        stored_as = trail.ended.get(source.identity)
        if stored_as is None:
            self._add_place(source, crawl, depth)
        else:
            self._owners[source.identity] = _BEFORE if stored_as else _NOTHING

    def _go_on(self, crawl: Crawl, trail: Trail) -> None:
        """Let a crawl go on where it was interrupted: its pages that have not ended get a place again."""
        earlier = trail.crawls[crawl.start]
        pages = [page for page in earlier.pages if page.url not in self._owners]
        for page in pages:
            self._add_unless_ended(page_source(page), crawl, page.depth, trail)
        nothing = sum(self._owners[page.url] == _NOTHING for page in pages)
        crawl.go_on(earlier.site, earlier.zone, earlier.found, [page.url for page in pages], nothing)

    def _add_place(self, source: Source, crawl: Crawl | None, depth: int = 0) -> Place:
        place = Place(source, self._ledger.enter(source.identity), crawl, depth)
        self._places.append(place)
        self._owners[source.identity] = place.position
        return place

    async def _begin(self) -> None:
        await self._ledger.begin()
        for at, place in enumerate(self._places):
            if at % SLICE == SLICE - 1:
                await asyncio.sleep(0)
            self._moved(place, IngestPhase.QUEUED)

    async def _read_all(self) -> None:
        while (place := await self._schedule.next()) is not None:
            try:
                await self._ingest(place)
            except SkippedError as error:
                await self._make_room(place)
                self._skip(place, error.message)
            except RagError as error:
                await self._make_room(place)
                self._not_read(place, error)
            except Exception as error:
                _log.exception("ingest of %s", place.source.identity)
                self._not_read(place, failed(str(error) or type(error).__name__))
            finally:
                self._schedule.done(place)

    async def _make_room(self, place: Place) -> None:
        """What turned out to be no page of its own gives its place in the crawl to another."""
        if place.crawl is not None and place.depth:
            place.crawl.give_back()
            await self._grow(place.crawl)

    async def _ingest(self, place: Place) -> None:
        try:
            self._moved(place, IngestPhase.FETCHING)
            raw = await self._read(place)
        finally:
            self._schedule.read(place)
        self._ledger.read(place.position, len(raw.data))
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
        wants = crawl.wants_links
        page = await self._run(harvest, raw, self._means.chunking, wants)
        self._found(crawl, page.links, place.depth)
        try:
            name = self._own(place, page.canonical or raw.final_url)
        finally:
            await self._grow(crawl)
        if page.prepared is None:
            raise page.error or empty()
        return replace(place, source=replace(place.source, identity=name)), page.prepared

    def _own(self, place: Place, name: str) -> str:
        """Make a page the one that is called `name`, unless there is one already.

        Raises:
            SkippedError: There is one.
        """
        owner = self._owners.setdefault(name, place.position)
        if owner == place.position:
            return name
        if owner == _NOTHING or (owner > 0 and self._ledger.came_to_nothing(owner)):
            self._owners[name] = place.position
            return name
        raise SkippedError(_("与 {url} 是同一个网页，没有重复采集").format(url=name))

    def _found(self, crawl: Crawl, urls: Sequence[str], depth: int) -> None:
        queued = self._ledger.queued
        if depth == 0:
            queued.note(queue_format.settled(crawl.start, crawl.site, crawl.zone))
        if new := crawl.found(urls, depth):
            queued.note(queue_format.found(crawl.start, new))

    async def _grow(self, crawl: Crawl) -> int:
        """Add the pages of a crawl that have room now, and tell how many."""
        pages = 0
        while (link := crawl.next(self._owners)) is not None:
            place = self._add_place(page_source(link), crawl, link.depth)
            self._ledger.queued.note(queue_format.placed(crawl.start, link))
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
        self._found(crawl, first.pages, place.depth)
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
            self._found(crawl, sitemap.pages, place.depth)
            offsite += sitemap.offsite
            pages += await self._grow(crawl)
        self._skip(place, unfolded(crawl, pages, offsite, unread))

    def _durable(self, portion: Sequence[Ready]) -> None:
        self._ledger.write_ends([(ready.place.position, ready.place.source.identity) for ready in portion])

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
                self._ledger.name(ready.place.position),
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
        source = self._ledger.name(place.position)
        self._finish(place, IngestResult(source, IngestState.FAILED, reason=error.message))

    def _skip(self, place: Place, reason: str) -> None:
        source = self._ledger.name(place.position)
        self._finish(place, IngestResult(source, IngestState.SKIPPED, reason=reason))

    async def _cancel_rest(self) -> None:
        with contextlib.suppress(asyncio.CancelledError):  # it is being cancelled already
            await self._ledger.queued.leave()
        left = [place for place in self._places if self._ledger.result(place.position) is None]
        for at, place in enumerate(left):
            if at % SLICE == SLICE - 1:
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.sleep(0)
            source, reason = place.source.identity, _("已取消采集")
            self._finish(place, IngestResult(source, IngestState.CANCELLED, reason=reason))

    def _moved(self, place: Place, phase: IngestPhase, done: int = 0, size: int | None = None) -> None:
        self._ledger.moved(place.position, phase, done, size)

    def _finish(self, place: Place, result: IngestResult) -> None:
        self._ledger.end(place.position, result, place.source.identity)

    def _not_found(self, preview: SourcePreview) -> IngestResult:
        nothing = not preview.typed.strip()
        reason = preview.problem if nothing else failed(preview.problem).message
        return IngestResult(preview.typed, IngestState.FAILED, reason=reason)
