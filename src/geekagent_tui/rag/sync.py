"""Bringing known documents up to date: read again, stored only when something has changed."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from geekagent_tui.i18n import _
from geekagent_tui.rag import queries, removing
from geekagent_tui.rag.addresses import host_of
from geekagent_tui.rag.errors import (
    EmptyContentError,
    GoneError,
    RagError,
    SkippedError,
    TooLargeError,
    UnmodifiedError,
)
from geekagent_tui.rag.failures import failed
from geekagent_tui.rag.fetch import Leash
from geekagent_tui.rag.given import PREFIX
from geekagent_tui.rag.ingest import Batch, Means
from geekagent_tui.rag.lane import until_done
from geekagent_tui.rag.ledger import OnEvent
from geekagent_tui.rag.model import (
    Document,
    IngestResult,
    IngestState,
    Source,
    SourceKind,
    SourcePreview,
)
from geekagent_tui.rag.network import Zone
from geekagent_tui.rag.queue_files import Queued
from geekagent_tui.rag.raw import Raw, Validators
from geekagent_tui.rag.robots import Robots
from geekagent_tui.rag.schedule import Place
from geekagent_tui.rag.selecting import meant, unknown
from geekagent_tui.rag.shelf import Ready
from geekagent_tui.rag.store import RemovedMeanwhileError, Store, Stored

FEW = 8
"""Documents of one host that are read again without a pause: about what a person opens in one go."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Target:
    """What one of the user's words means.

    Attributes:
        name: The word.
        documents: With what their server said last; none when the word means no document.
    """

    name: str
    documents: tuple[tuple[Document, Validators], ...]


def targets(store: Store, names: Sequence[str | int] | None, workspace: Path) -> list[Target]:
    """The documents to bring up to date.

    Args:
        store: The store.
        names: Sources in any spelling, patterns, or folders; None for every document.
        workspace: What paths are relative to.
    """
    if names is None:
        return [Target(each.source, (_with_validators(store, each),)) for each in queries.documents(store)]
    return [
        Target(str(name), tuple(_with_validators(store, each) for each in documents))
        for name, documents in zip(names, meant(store, names, workspace), strict=True)
    ]


def targets_of(store: Store, sources: Sequence[str]) -> list[Target]:
    """The documents of exactly these sources; those that were removed meanwhile are left out."""
    found = (queries.by_source(store, [source]) for source in sources)
    return [Target(each.source, (_with_validators(store, each),)) for each in found if each is not None]


def sources_of(chosen: Sequence[Target], workspace: Path) -> Iterator[Source]:
    """What is read again for some targets."""
    for target in chosen:
        yield from _preview(target, workspace).sources


class Sync(Batch):
    """One run over known documents.

    Nobody stores which pages came from a crawl, and a site does not care: what counts is how many requests
    it gets at once. So whatever host has more than `FEW` of the documents is treated as a crawl treats it,
    with a pause between two requests and by its robots.txt; a few pages that a person chose are read as a
    browser would.

    Args:
        means: What it works with.
        chosen: The documents.
        workspace: Absolute path of the workspace.
        prune: Whether documents whose source is gone are removed, together, at the end.
        tell: Told about progress, in the event loop, if anybody is.
        queued: Where it is written down how far it has come.
    """

    def __init__(
        self,
        means: Means,
        chosen: Sequence[Target],
        workspace: Path,
        *,
        prune: bool,
        tell: OnEvent | None,
        queued: Queued | None = None,
    ) -> None:
        self._documents = {each.source: each for target in chosen for each, _ in target.documents}
        self._known = {each.source: known for target in chosen for each, known in target.documents}
        self._workspace = workspace
        self._prune = prune
        self._gone: list[Place] = []
        self._robots = Robots(means.fetcher, means.pace)
        self._pace = means.pace
        hosts = Counter(host_of(each.source) for each in self._documents.values() if _is_page(each))
        self._many = {host for host, pages in hosts.items() if pages > FEW}
        previews = [_preview(target, workspace) for target in chosen]
        super().__init__(means, previews, tell, queued=queued, again=True)

    async def _ingest(self, place: Place) -> None:
        try:
            await super()._ingest(place)
        except UnmodifiedError:
            self._checking.passed(place.source.identity)
            self._finish(place, _unchanged(self._documents[place.source.identity]))

    async def _read(self, place: Place) -> Raw:
        source = place.source
        if source.kind is SourceKind.FILE and source.identity.startswith(PREFIX):
            raise SkippedError(_("来自标准输入，不能重新读取"))
        return await super()._read(place)

    def _leash(self, place: Place) -> Leash:
        known = self._known[place.source.identity]
        # An imported address was never fetched, so nobody has agreed to one of this machine or its network
        closest = None if known.url else Zone.PUBLIC
        polite = host_of(place.source.location) in self._many
        return Leash(closest, self._before if polite else None, known=known)

    async def _before(self, url: str, closest: Zone | None) -> None:
        if not await self._robots.allow(url, closest):
            raise SkippedError(_("网站的 robots.txt 现在不允许采集这个网页，文档仍保留"))
        await self._pace.turn(host_of(url), self._robots.pause(url))

    def _stored(self, ready: Ready, outcome: Stored | BaseException) -> None:
        source = ready.place.source.identity
        if isinstance(outcome, RemovedMeanwhileError):
            reason = _("同步时已从知识库移除")
            self._finish(ready.place, IngestResult(source, IngestState.SKIPPED, reason=reason))
        elif isinstance(outcome, Stored) and outcome.state is IngestState.UNCHANGED:
            self._finish(ready.place, _unchanged(outcome.document))
        else:
            super()._stored(ready, outcome)

    def _fail(self, place: Place, error: RagError) -> None:
        if isinstance(error, GoneError) and self._prune:
            self._gone.append(place)
        elif isinstance(error, GoneError):
            self._finish(place, _lost(self._documents[place.source.identity], error))
        elif isinstance(error, EmptyContentError | TooLargeError):
            document = self._documents[place.source.identity]
            reason = _("{reason}，原有内容保留").format(reason=error.message)
            self._finish(place, _not_renewed(document, reason))
        else:
            super()._fail(place, error)

    async def _end(self) -> None:
        """Remove what is gone, in one transaction, so that one undo brings all of it back."""
        if not self._gone:
            return
        ids = [self._documents[place.source.identity].id for place in self._gone]
        work = self._means.lane.start(removing.remove, ids, self._workspace)
        cancelled = await until_done(work)
        error = work.exception()
        if error is not None:
            _log.error("removing what is gone", exc_info=error)
        for at, place in enumerate(self._gone):
            if error is not None:
                super()._fail(place, failed(str(error)))
            else:
                self._finish(place, work.result()[at])
        if cancelled:
            raise asyncio.CancelledError

    def _not_found(self, preview: SourcePreview) -> IngestResult:
        return IngestResult(preview.typed, IngestState.FAILED, reason=preview.problem)


def _is_page(document: Document) -> bool:
    return document.kind is SourceKind.URL


def _with_validators(store: Store, document: Document) -> tuple[Document, Validators]:
    return document, queries.validators(store, document.id)


def _preview(target: Target, workspace: Path) -> SourcePreview:
    sources = tuple(_source(document, workspace) for document, _ in target.documents)
    problem = "" if sources else unknown(target.name)
    return SourcePreview(target.name, SourceKind.FILE, "", sources, problem=problem)


def _source(document: Document, workspace: Path) -> Source:
    local = document.kind is SourceKind.FILE
    location = str(workspace / document.source) if local else document.source
    return Source(document.kind, document.source, location)


def _unchanged(document: Document) -> IngestResult:
    return IngestResult(
        document.source,
        IngestState.UNCHANGED,
        document.id,
        document.title,
        document.characters,
        document.passages,
        _("没有变化"),
    )


def _not_renewed(document: Document, reason: str) -> IngestResult:
    return IngestResult(document.source, IngestState.FAILED, document.id, document.title, reason=reason)


def _lost(document: Document, error: RagError) -> IngestResult:
    reason = _("来源已不存在，文档仍保留，用 rag sync --prune 移除（{reason}）").format(reason=error.message)
    return _not_renewed(document, reason)
