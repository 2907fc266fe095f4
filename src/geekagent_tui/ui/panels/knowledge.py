"""The knowledge base: what is in it; the strip tells what is on its way in."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.style import Style
from textual.widgets import Input, Static

from geekagent_tui.agent import events as ev
from geekagent_tui.i18n import _
from geekagent_tui.rag.model import Document, Stats
from geekagent_tui.ui.panels.follower import Follower
from geekagent_tui.ui.panels.knowledge_rows import grouped
from geekagent_tui.ui.text import documents, passages
from geekagent_tui.ui.widgets.batch_strip import BatchStrip
from geekagent_tui.ui.widgets.panel_title import PanelTitle
from geekagent_tui.ui.widgets.row_list import Row, RowList

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


class EmptyBase(Static, can_focus=True):
    """Says how to begin; Enter and a click begin."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "app.add_sources", "", id="knowledge.first"),
    ]


class KnowledgePanel(Follower):
    """Counts, filter, ingests, documents."""

    WANTS_DOCUMENTS = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "filter", "", id="knowledge.filter"),
        Binding("d,delete", "remove", "", id="knowledge.remove"),
        Binding("a", "app.add_sources", "", id="knowledge.add"),
        Binding("U", "app.sync", "", id="knowledge.sync"),
        Binding("c", "strip('cancel')", "", id="batch.cancel"),
        Binding("R", "strip('retry_all')", "", id="batch.retry-all"),
        Binding("x", "strip('clear')", "", id="batch.clear"),
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
        self._folded: set[str] = set()
        self._rows: list[Row] | None = None
        self._due = False

    @property
    def unfinished(self) -> int:
        """How many sources are on their way in."""
        return self.query_one(BatchStrip).unfinished

    def compose(self) -> ComposeResult:
        """Title, filter, list."""
        yield PanelTitle(lambda: _("知识库"), self._figure, _links)
        yield BatchStrip()
        yield FilterBox(placeholder=_("⌕ 搜索资料"), id="filter", compact=True)
        yield EmptyBase(id="knowledge-empty")
        yield RowList("documents")

    def on_mount(self) -> None:
        """Begin empty."""
        self._draw()

    async def take(self, event: ev.Event) -> None:
        """Show what an event tells."""
        match event:
            case ev.Snapshot():
                self._know(event.documents, event.stats)
            case ev.KnowledgeChanged():
                self._know(event.documents, event.stats)
            case _:
                return
        self._draw_soon()

    def _know(self, known: tuple[Document, ...], stats: Stats) -> None:
        self._documents = {document.id: document for document in known}
        self._stats = stats
        self._rows = None

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
        rows = self._rows
        empty = self.query_one("#knowledge-empty", Static)
        moves_on = bool(rows) and empty.has_focus
        empty.display = not rows
        empty.update(self._empty(filtered=bool(wanted and self._documents)))
        shown = self.query_one("#documents", RowList)
        shown.display = bool(rows)
        shown.show(rows)
        if moves_on:
            shown.focus()
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
            "\n\n",
            Content.styled(_("＋ 加入"), "$knowledge").stylize(
                Style.from_meta({"@click": "app.add_sources"})
            ),
        )

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter as the user types."""
        event.stop()
        self._rows = None
        self._draw()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go to the documents found."""
        event.stop()
        self.query_one("#documents", RowList).focus()

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
        kind, _colon, name = (self.query_one("#documents", RowList).cursor or "").partition(":")
        return self._documents.get(int(name)) if kind == "document" else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what works now is offered."""
        if not self.is_mounted:
            return True
        match action:
            case "remove":
                return self._chosen() is not None
            case "strip":
                return self.query_one(BatchStrip).check_action(str(parameters[0]), ())
            case _:
                return True

    def action_filter(self) -> None:
        """Type into the filter."""
        self.query_one(FilterBox).focus()

    def action_remove(self) -> None:
        """Remove the document under the cursor."""
        if (document := self._chosen()) is not None:
            self.post_message(self.Remove(document))

    async def action_strip(self, action: str) -> None:
        """What the strip can do, from anywhere in the panel."""
        await self.query_one(BatchStrip).run_action(action)


def _links() -> list[tuple[str, str]]:
    return [(_("＋ 加入"), "app.add_sources"), (_("↻ 同步"), "app.sync")]


def _matches(document: Document, wanted: list[str]) -> bool:
    text = f"{document.title}\n{document.source}".casefold()
    return all(word in text for word in wanted)
