"""Driving the application in tests: waiting for conditions, never for time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.cells import cell_len
from textual.app import App
from textual.pilot import Pilot

from geekagent_tui.agent import events as ev
from geekagent_tui.agent.hub import Hub, Subscription
from geekagent_tui.rag.errors import UnknownDocumentError
from geekagent_tui.rag.model import (
    BatchProgress,
    Document,
    DocumentText,
    Hit,
    IngestProgress,
    IngestResult,
    IngestState,
    NoHits,
    Passage,
    SearchResult,
    Selection,
    SourceKind,
    SourcePreview,
    Stats,
)
from geekagent_tui.rag.sources import resolve
from geekagent_tui.ui.app import GeekAgentApp
from geekagent_tui.ui.gateway import Core
from geekagent_tui.ui.widgets.composer import Composer

NOW = datetime(2026, 12, 1, 14, 2, 7, tzinfo=UTC)
SIZES = [(60, 20), (80, 24), (140, 40), (200, 60)]


async def wait_until(pilot: Pilot[Any], condition: Callable[[], object], *, seconds: float = 20) -> None:
    """Let the application run until a condition holds."""
    deadline = asyncio.get_running_loop().time() + seconds
    while True:
        await pilot.pause()
        if condition():
            return
        if asyncio.get_running_loop().time() > deadline:
            raise AssertionError(f"not reached: {condition}\n{screen_text(pilot.app)}")
        await asyncio.sleep(0.01)


def screen_text(app: App[Any]) -> str:
    """What the terminal shows, as text."""
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip) for strip in strips)


def document(
    number: int, title: str, source: str, *, passages: int = 2, characters: int = 1042, **fields: Any
) -> Document:
    kind = SourceKind.URL if "://" in source else SourceKind.FILE
    return replace(Document(number, title, source, kind, passages, characters, NOW, NOW), **fields)


def hit(number: int, title: str, passage: int, text: str, score: float = 7.25) -> Hit:
    return Hit(number, title, f"http://127.0.0.1/{number}", passage, 0, text, "", score)


class EventSource:
    """The core's interface over events that a test makes by hand; the subscriptions are the real ones."""

    def __init__(self, *, documents: Sequence[Document] = ()) -> None:
        self.status = ev.Status("离线模型", True, "default", 1200, 64_000, 3, False)
        self.documents = tuple(documents)
        self.texts: dict[int, DocumentText] = {}
        self.passages: dict[tuple[int | None, int], ev.CitedPassage] = {}
        self.chat: list[ev.ChatEntry] = []
        self.tools: dict[str, ev.ToolEntry] = {}
        self.requests: dict[str, ev.Request] = {}
        self.submitted: list[str] = []
        self.answers: list[tuple[str, ev.Decision]] = []
        self.removed: list[str | int] = []
        self.undos = 0
        self.synced: list[tuple[str, ...]] = []
        self.retried: list[tuple[str, ...]] = []
        self.tagged: list[tuple[tuple[str | int, ...], tuple[str, ...], tuple[str, ...]]] = []
        self.selections: list[Selection | None] = []
        self.searched: list[tuple[str, Selection | None, bool]] = []
        self.hits: tuple[Hit, ...] = ()
        self.citing: tuple[ev.Cited, ...] = ()
        self.interrupts = 0
        self.cancels = 0
        self.folder = Path("/")
        self.batch: BatchProgress | None = None
        self.ingests: dict[str, IngestProgress] = {}
        self.taken: list[tuple[list[SourcePreview], tuple[str, ...]]] = []
        self.closed = False
        self.hub = Hub(self._snapshot, lambda: None)

    async def open(self) -> EventSource:
        return self

    def publish(self, *events: ev.Event) -> None:
        for event in events:
            match event:
                case ev.ChatAdded():
                    self.chat.append(event.entry)
                case ev.ToolChanged():
                    self.tools[event.entry.call_id] = event.entry
                case ev.KnowledgeChanged():
                    self.documents = event.documents
                case ev.StatusChanged():
                    self.status = event.status
                case ev.BatchMoved():
                    self.batch = event.progress
                case ev.IngestMoved():
                    self.ingests[event.progress.source] = event.progress
                case ev.IngestEnded():
                    self.ingests.pop(event.result.source, None)
                case ev.IngestReview() | ev.PermissionReview():
                    self.requests[event.request_id] = event
                case ev.RequestClosed():
                    self.requests.pop(event.request_id, None)
            self.hub.publish(event)

    def say(self, role: str, text: str, **fields: Any) -> None:
        self.publish(ev.ChatAdded(ev.ChatEntry(len(self.chat) + 1, role, text, NOW, **fields)))

    def subscribe(self, *, interactive: bool = False) -> Subscription:
        return self.hub.subscribe(interactive=interactive)

    async def submit(self, text: str) -> None:
        self.submitted.append(text)

    def interrupt(self) -> bool:
        self.interrupts += 1
        return self.status.busy

    def answer(self, request_id: str, decision: ev.Decision) -> bool:
        self.answers.append((request_id, decision))
        self.publish(ev.RequestClosed(request_id))
        return True

    async def preview(self, typed: Sequence[str], crawl: int = 0) -> list[SourcePreview]:
        return await asyncio.to_thread(lambda: [resolve(word, self.folder, None, crawl) for word in typed])

    async def take_in(self, previews: Sequence[SourcePreview], *, tags: Sequence[str] = ()) -> None:
        self.taken.append((list(previews), tuple(tags)))

    async def retry(self, sources: Sequence[str] = ()) -> int:
        self.retried.append(tuple(sources))
        return len(sources)

    def cancel_ingest(self) -> bool:
        self.cancels += 1
        return True

    async def document(self, document_id: int) -> DocumentText:
        if document_id not in self.texts:
            raise UnknownDocumentError("没有这个文档")
        return self.texts[document_id]

    async def cited_passage(self, citation: ev.Citation) -> ev.CitedPassage:
        if passage := self.passages.get((citation.document_id, citation.passage)):
            return passage
        assert citation.document_id is not None
        same = ev.TextState.SAME
        return ev.CitedPassage(citation.title, same, citation.document_id, citation.passage)

    async def remove(self, sources: Sequence[str | int]) -> list[IngestResult]:
        self.removed += sources
        return []

    async def undo_remove(self) -> list[IngestResult]:
        self.undos += 1
        gone, self.removed = self.removed, []
        return [IngestResult(str(source), IngestState.ADDED) for source in gone]

    async def sync(self, sources: Sequence[str] = (), *, prune: bool = False) -> None:
        self.synced.append(tuple(sources))

    async def tag(
        self, names: Sequence[str | int], *, add: Sequence[str] = (), remove: Sequence[str] = ()
    ) -> list[IngestResult]:
        self.tagged.append((tuple(names), tuple(add), tuple(remove)))
        return [IngestResult(str(name), IngestState.UPDATED) for name in names]

    async def focus(self, selection: Selection | None) -> None:
        self.selections.append(selection)
        focus = None if selection is None else ev.Focus(selection, "选定的资料", 1)
        self.publish(ev.StatusChanged(replace(self.status, focus=focus)))

    async def search(
        self, query: str, limit: int = 4, *, within: Selection | None = None, explain: bool = False
    ) -> SearchResult:
        self.searched.append((query, within, explain))
        hits = self.hits[:limit]
        if not explain:
            hits = tuple(replace(found, shares={}) for found in hits)
        return SearchResult(query, hits, 3.0, None if hits else NoHits.NO_MATCH)

    async def cited(self, document_id: int) -> tuple[ev.Cited, ...]:
        return self.citing

    async def close(self) -> None:
        self.closed = True
        self.hub.close()

    def add_text(self, entry: Document, *texts: str) -> None:
        """Give a document its text, one passage each."""
        passages, whole = [], ""
        for number, text in enumerate(texts, start=1):
            passages.append(Passage(number, len(whole), text, f"第 {number} 节"))
            whole += text + "\n\n"
        self.texts[entry.id] = DocumentText(entry, whole, tuple(passages))

    def _snapshot(self) -> ev.Snapshot:
        stats = Stats(
            len(self.documents),
            sum(d.passages for d in self.documents),
            sum(d.characters for d in self.documents),
        )
        return ev.Snapshot(
            self.status,
            tuple(self.chat),
            tuple(self.tools.values()),
            self.documents,
            stats,
            tuple(self.ingests.values()),
            tuple(self.requests.values()),
            batch=self.batch,
        )


@asynccontextmanager
async def running(
    open_core: Callable[[], Awaitable[Core]],
    folder: Path | None = None,
    *,
    size: tuple[int, int] = (140, 40),
    theme: str = "",
) -> AsyncIterator[Pilot[None]]:
    """The application, open and attached to its core."""
    app = GeekAgentApp(open_core, folder=folder, theme=theme)
    async with app.run_test(size=size, notifications=True, tooltips=True) as pilot:
        await wait_until(pilot, lambda: app.gateway is not None)
        await wait_until(pilot, lambda: "正在打开" not in screen_text(app))
        yield pilot


def shows(pilot: Pilot[None], *texts: str) -> Callable[[], bool]:
    """Whether all of these are on the screen."""
    return lambda: all(text in screen_text(pilot.app) for text in texts)


async def type_text(pilot: Pilot[None], text: str) -> None:
    """Put text into the composer as a paste does, and send it."""
    composer = pilot.app.screen.query_one(Composer)
    composer.focus()
    composer.load_text(text)
    await pilot.pause()
    composer.action_send()
    await pilot.pause()


async def click_on(pilot: Pilot[Any], text: str, *, control: bool = False) -> None:
    """Click on the first place where a text is on the screen."""
    for y, line in enumerate(screen_text(pilot.app).split("\n")):
        if (place := line.find(text)) >= 0:
            await pilot.click(offset=(cell_len(line[:place]), y), control=control)
            return
    raise AssertionError(f"not on the screen: {text}\n{screen_text(pilot.app)}")
