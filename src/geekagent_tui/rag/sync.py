"""Bringing known documents up to date: read again, stored only when something has changed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from geekagent_tui.i18n import _
from geekagent_tui.rag import queries, removing
from geekagent_tui.rag.errors import GoneError, RagError, SkippedError, UnmodifiedError
from geekagent_tui.rag.failures import failed
from geekagent_tui.rag.fetch import Leash
from geekagent_tui.rag.given import PREFIX
from geekagent_tui.rag.ingest import Batch, Means, OnEvent
from geekagent_tui.rag.lane import until_done
from geekagent_tui.rag.model import (
    Document,
    IngestResult,
    IngestState,
    Source,
    SourceKind,
    SourcePreview,
)
from geekagent_tui.rag.network import Zone
from geekagent_tui.rag.raw import Raw, Validators
from geekagent_tui.rag.schedule import Place
from geekagent_tui.rag.selecting import meant, unknown
from geekagent_tui.rag.shelf import Ready
from geekagent_tui.rag.store import RemovedMeanwhileError, Store, Stored

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


def targets(store: Store, names: Sequence[str] | None, workspace: Path) -> list[Target]:
    """The documents to bring up to date.

    Args:
        store: The store.
        names: Sources in any spelling, patterns, or folders; None for every document.
        workspace: What paths are relative to.
    """
    if names is None:
        return [Target(each.source, (_with_validators(store, each),)) for each in queries.documents(store)]
    found = []
    for name in names:
        documents = meant(store, name, workspace)
        found.append(Target(name, tuple(_with_validators(store, each) for each in documents)))
    return found


class Sync(Batch):
    """One run over known documents.

    Args:
        means: What it works with.
        chosen: The documents.
        workspace: Absolute path of the workspace.
        prune: Whether documents whose source is gone are removed, together, at the end.
        tell: Told about progress, in the event loop.
    """

    def __init__(
        self, means: Means, chosen: Sequence[Target], workspace: Path, *, prune: bool, tell: OnEvent
    ) -> None:
        self._documents = {each.source: each for target in chosen for each, _ in target.documents}
        self._known = {each.source: known for target in chosen for each, known in target.documents}
        self._workspace = workspace
        self._prune = prune
        self._gone: list[Place] = []
        super().__init__(means, [_preview(target, workspace) for target in chosen], tell, again=True)

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
        return Leash(closest=None if known.url else Zone.PUBLIC, known=known)

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


def _lost(document: Document, error: RagError) -> IngestResult:
    reason = _("来源已不存在，文档仍保留，用 --prune 移除（{reason}）").format(reason=error.message)
    return IngestResult(document.source, IngestState.FAILED, document.id, document.title, reason=reason)
