"""The knowledge base: what is in it, what is on its way in."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from geekagent_tui.agent import events as ev
from geekagent_tui.i18n import _
from geekagent_tui.rag.model import Document, IngestPhase, IngestProgress, IngestResult, IngestState, Stats
from geekagent_tui.ui.panels.follower import Follower
from geekagent_tui.ui.panels.knowledge_rows import FailedRow, ProgressRow, grouped
from geekagent_tui.ui.text import documents, passages
from geekagent_tui.ui.widgets.panel_title import PanelTitle
from geekagent_tui.ui.widgets.row_list import Row, RowList

_KEPT_FAILURES = 20
_PAUSE = 0.05
"""Seconds between two drawings at least."""


class FilterBox(Input):
    """Where the user types part of a title or source."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "", show=False, id="knowledge.leave"),
        Binding("down", "leave", "", show=False, id="knowledge.list"),
    ]

    def action_leave(self) -> None:
        """Go on to the list."""
        self.screen.query_one("#documents").focus()


class KnowledgePanel(Follower):
    """Counts, filter, documents, ingests."""

    WANTS_DOCUMENTS = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "filter", "", id="knowledge.filter"),
        Binding("d,delete", "remove", "", id="knowledge.remove"),
        Binding("c", "cancel", "", id="knowledge.cancel"),
        Binding("x", "clear", "", id="knowledge.clear"),
    ]

    class Open(Message):
        """The user wants to read a document."""

        def __init__(self, document_id: int) -> None:
            super().__init__()
            self.document_id = document_id

    class Remove(Message):
        """The user wants a document gone."""

        def __init__(self, document: Document) -> None:
            super().__init__()
            self.document = document

    def __init__(self) -> None:
        super().__init__(id="knowledge")
        self._documents: dict[int, Document] = {}
        self._stats: Stats | None = None
        self._moving: dict[str, IngestProgress] = {}
        self._failed: dict[str, IngestResult] = {}
        self._folded: set[str] = set()
        self._rows: list[Row] | None = None
        self._due = False

    @property
    def unfinished(self) -> int:
        """How many sources are on their way in."""
        return len(self._moving)

    def compose(self) -> ComposeResult:
        """Title, filter, list."""
        yield PanelTitle(lambda: _("知识库"), self._figure)
        yield FilterBox(placeholder=_("⌕ 搜索资料"), id="filter", compact=True)
        yield Static(id="knowledge-empty")
        yield RowList("documents")

    def on_mount(self) -> None:
        """Begin empty."""
        self._draw()

    async def take(self, event: ev.Event) -> None:
        """Show what an event tells."""
        match event:
            case ev.Snapshot():
                self._know(event.documents, event.stats)
                self._moving = {progress.source: progress for progress in event.ingests}
            case ev.KnowledgeChanged():
                self._know(event.documents, event.stats)
            case ev.IngestMoved():
                self._failed.pop(event.progress.source, None)
                self._moving[event.progress.source] = event.progress
            case ev.IngestEnded():
                self._ended(event.result)
            case _:
                return
        self._draw_soon()

    def _know(self, known: tuple[Document, ...], stats: Stats) -> None:
        self._documents = {document.id: document for document in known}
        self._stats = stats
        self._rows = None

    def _ended(self, result: IngestResult) -> None:
        self._moving.pop(result.source, None)
        if result.state in (IngestState.FAILED, IngestState.SKIPPED):
            self._failed[result.source] = result
            while len(self._failed) > _KEPT_FAILURES:
                del self._failed[next(iter(self._failed))]

    def _figure(self) -> str:
        if self._stats is None:
            return ""
        return documents(self._stats.documents) + "  " + passages(self._stats.passages)

    # --- drawing ------------------------------------------------------------------------------------------

    def _draw_soon(self) -> None:
        """Draw a moment later: what comes in the meantime, as in a large ingest, is drawn together."""
        if not self._due:
            self._due = True
            self.set_timer(_PAUSE, self._draw)

    def _draw(self) -> None:
        self._due = False
        wanted = self.query_one(FilterBox).value.casefold().split()
        if self._rows is None:
            found = [document for document in self._documents.values() if _matches(document, wanted)]
            self._rows = grouped(found, set() if wanted else self._folded)
        moving = sorted(self._moving.values(), key=lambda p: p.phase is IngestPhase.QUEUED)
        rows: list[Row] = [ProgressRow(progress) for progress in moving]
        rows += [FailedRow(result) for result in self._failed.values()]
        rows += self._rows
        empty = self.query_one("#knowledge-empty", Static)
        empty.display = not rows
        empty.update(self._empty(filtered=bool(wanted and self._documents)))
        shown = self.query_one(RowList)
        shown.display = bool(rows)
        shown.show(rows)
        self.query_one(PanelTitle).refresh()
        self.refresh_bindings()

    def _empty(self, *, filtered: bool) -> Content:
        if filtered:
            return Content.styled(_("没有标题或来源含有这些字的资料。"), "$muted")
        return Content.assemble(
            (_("还没有资料。"), "$foreground"),
            "\n\n",
            (_("/rag add <网址或路径>"), "$user"),
            "\n",
            (_("采集网页、文件或文件夹"), "$muted"),
        )

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter as the user types."""
        event.stop()
        self._rows = None
        self._draw()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go to the documents found."""
        event.stop()
        self.query_one(RowList).focus()

    # --- acting -------------------------------------------------------------------------------------------

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """Open a document; open or close a group."""
        event.stop()
        kind, _colon, name = event.key.partition(":")
        if kind == "document":
            self.post_message(self.Open(int(name)))
        elif kind == "group":
            self._folded ^= {name}
            self._rows = None
            self._draw()

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        """What can be done depends on the row."""
        event.stop()
        self.refresh_bindings()

    def _chosen(self) -> Document | None:
        kind, _colon, name = (self.query_one(RowList).cursor or "").partition(":")
        return self._documents.get(int(name)) if kind == "document" else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what works now is offered."""
        if not self.is_mounted:
            return True
        match action:
            case "remove":
                return self._chosen() is not None
            case "cancel":
                return bool(self._moving)
            case "clear":
                return bool(self._failed)
            case _:
                return True

    def action_filter(self) -> None:
        """Type into the filter."""
        self.query_one(FilterBox).focus()

    def action_remove(self) -> None:
        """Remove the document under the cursor."""
        if (document := self._chosen()) is not None:
            self.post_message(self.Remove(document))

    def action_cancel(self) -> None:
        """Stop the running ingests."""
        if self.gateway is not None:
            self.gateway.cancel_ingest()

    def action_clear(self) -> None:
        """Forget the failures."""
        self._failed.clear()
        self._draw()


def _matches(document: Document, wanted: list[str]) -> bool:
    text = f"{document.title}\n{document.source}".casefold()
    return all(word in text for word in wanted)
