"""The knowledge base: what is in it, what a search finds; the strip tells what is on its way in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input

from geekagent_tui.i18n import _
from geekagent_tui.rag.model import Document, Selection, Stats
from geekagent_tui.ui import ev
from geekagent_tui.ui.panels.knowledge_acting import ActingPanel
from geekagent_tui.ui.panels.knowledge_documents import NoteRow
from geekagent_tui.ui.panels.knowledge_filter import ActionLine, FilterBox, ViewLine
from geekagent_tui.ui.panels.knowledge_kept import Keeper, as_kept
from geekagent_tui.ui.panels.knowledge_list import DocumentList, EmptyBase, PanelActions, first
from geekagent_tui.ui.panels.knowledge_query import parse
from geekagent_tui.ui.panels.knowledge_search import Asked, PassageSearch
from geekagent_tui.ui.panels.knowledge_view import Shelf, View
from geekagent_tui.ui.text import documents, passages
from geekagent_tui.ui.widgets.batch_strip import BatchStrip
from geekagent_tui.ui.widgets.panel_title import PanelTitle
from geekagent_tui.ui.widgets.row_list import Laid, Row, RowList

_PAUSE = 0.05
"""Seconds between two drawings at least: what comes meanwhile, as in a large ingest, is drawn together."""
_MANY = 400
"""Documents from which on rows are made in a thread."""


class KnowledgePanel(ActingPanel):
    """Counts, batch, filter, documents, passages."""

    WANTS_DOCUMENTS = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "filter", "", id="knowledge.filter"),
        Binding("g", "group", "", id="knowledge.group"),
        Binding("s", "sort", "", id="knowledge.sort"),
        Binding("A", "mark_all", "", id="knowledge.mark-all"),
        Binding("escape", "unmark", "", id="knowledge.unmark"),
        Binding("o", "only", "", id="knowledge.only"),
        Binding("r", "retry", "", id="knowledge.retry"),
        Binding("e", "why", "", id="knowledge.why"),
        Binding("a", "app.add_sources", "", id="knowledge.add"),
        Binding("U", "sync", "", id="knowledge.sync"),
        Binding("c", "strip('cancel')", "", id="batch.cancel"),
        Binding("R", "strip('retry_all')", "", id="batch.retry-all"),
        Binding("x", "strip('clear')", "", id="batch.clear"),
    ]

    class Open(Message):
        """The user wants to read a document.

        Args:
            document_id: Which.
            passage: Where, from 1.
        """

        def __init__(self, document_id: int, passage: int = 1) -> None:
            super().__init__()
            self.document_id = document_id
            self.passage = passage

    def __init__(self) -> None:
        super().__init__(id="knowledge")
        self._shelf = Shelf(())
        self._stats: Stats | None = None
        self._focus: ev.Focus | None = None
        self._view = View()
        self._all = False
        self._marks: set[int] = set()
        self._passages = PassageSearch()
        self._why = False
        self._found: tuple[View, Sequence[Row]] | None = None
        self._news = asyncio.Event()
        self._keeper = Keeper()

    @property
    def unfinished(self) -> int:
        """How many sources are on their way in."""
        return self.query_one(BatchStrip).unfinished

    def compose(self) -> ComposeResult:
        """Title, batch, filter, view, list, actions."""
        yield PanelTitle(lambda: _("知识库"), self._figure, self._links)
        yield BatchStrip()
        yield FilterBox(placeholder=_("⌕ 搜索资料"), id="filter", compact=True)
        yield ViewLine()
        yield EmptyBase()
        yield DocumentList("documents")
        yield PanelActions(lambda: self.gateway is not None and self.gateway.undoable)

    def on_mount(self) -> None:
        """Begin empty."""
        self.run_worker(self._keep_drawing(), group="draw")
        self._news.set()

    async def take(self, event: ev.Event) -> None:
        """Show what an event tells."""
        match event:
            case ev.Snapshot():
                self._focus = event.status.focus
                await self._know(event.documents, event.stats)
            case ev.KnowledgeChanged():
                await self._know(event.documents, event.stats)
            case ev.StatusChanged():
                self._focus = event.status.focus
                return
            case _:
                return
        self._news.set()

    async def _know(self, known: tuple[Document, ...], stats: Stats) -> None:
        self._shelf = await asyncio.to_thread(Shelf, known) if len(known) > _MANY else Shelf(known)
        self._stats = stats
        self._marks = {number for number in self._marks if self._shelf.get(number) is not None}
        self._found = None
        self._understand()
        self._passages.forget()
        self._search()

    def _figure(self) -> str:
        if self._stats is None:
            return ""
        return documents(self._stats.documents) + "  " + passages(self._stats.passages)

    def _links(self) -> list[tuple[str, str]]:
        add = (_("＋ 加入"), "app.add_sources")
        return [add, (_("↻ 同步"), "app.sync")] if len(self._shelf) else [add]

    # --- drawing ------------------------------------------------------------------------------------------

    async def _keep_drawing(self) -> None:
        self._view = await asyncio.to_thread(as_kept, self._view)
        while True:
            await self._news.wait()
            self._news.clear()
            await self._draw()
            await asyncio.sleep(_PAUSE)

    async def _draw(self) -> None:
        view, shelf, marks = self._view, self._shelf, self._marks
        found = self._found[1] if self._found and self._found[0] == view else None
        below = self._below()
        rows_list = self.query_one(DocumentList)
        width, every = rows_list.row_width, self._all or not view.wanted.text

        def build() -> tuple[Sequence[Row], Laid]:
            rows = shelf.rows(view, marks) if found is None else found
            return rows, Laid([*(rows if every else first(list(rows))), *below], width)

        rows, laid = await asyncio.to_thread(build) if len(shelf) > _MANY else build()
        if shelf is self._shelf and marks is self._marks:
            self._found = view, rows
        blank = self.query_one(EmptyBase)
        moves_on = bool(rows) and blank.has_focus
        result = self._passages.result
        blank.display = not (rows or (result is not None and result.hits))
        blank.tell(filtered=len(shelf) > 0)
        self.query_one(ViewLine).display = len(shelf) > 0
        # One that holds the focus must not go away because a filter leaves nothing.
        stays = bool(laid.rows) or len(shelf) > 0
        if rows_list.has_focus and not stays:
            self.screen.set_focus(blank)
        rows_list.display = stays
        rows_list.show(laid)
        if moves_on:
            rows_list.focus()
        self.query_one(PanelTitle).refresh()
        self._tell_view()
        self.refresh_bindings()

    def _below(self) -> list[Row]:
        if not self._passages.problem and self._passages.result is None:
            return []
        from geekagent_tui.ui.panels.knowledge_hits import NoticeRow, hit_rows  # not for the first frame

        if self._passages.problem:
            return [NoteRow(""), NoticeRow(self._passages.problem, style="$error")]
        return hit_rows(self._passages.result, explained=self._why) if self._passages.result else []

    def _tell_view(self) -> None:
        typing = self.query_one(FilterBox).has_focus
        self.query_one(ViewLine).show(self._view, len(self._marks), typing=typing)

    def on_descendant_focus(self) -> None:
        """The lines around the list say what can be done."""
        self.set_class(True, "-active")
        self._tell_view()

    def on_descendant_blur(self) -> None:
        """Likewise."""
        self.set_class(bool(self._marks) or self.has_focus_within, "-active")
        self._tell_view()

    # --- looking for --------------------------------------------------------------------------------------

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter as the user types, and search passages a moment later."""
        event.stop()
        self._all = False
        self._understand()
        self._search()
        self._news.set()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go to what was found."""
        event.stop()
        self.query_one(DocumentList).focus()

    def _understand(self) -> None:
        typed = self.query_one(FilterBox).value
        now = datetime.now().astimezone()
        wanted = parse(typed, now, tags=self._shelf.tag_counts, hosts=self._shelf.hosts)
        self._view = replace(self._view, wanted=wanted)

    def _search(self) -> None:
        wanted = self._view.wanted
        asked = Asked(wanted, self._why) if wanted.text and self.gateway is not None else None
        if self._passages.want(asked) and self.gateway is not None:
            search = self._passages.run(self.gateway, self._news.set)
            self.run_worker(search, group="passages", exclusive=True)

    def action_filter(self) -> None:
        """Type into the filter."""
        self.query_one(FilterBox).focus()

    def action_why(self) -> None:
        """Tell what the passages' scores are made of, or no longer."""
        self._why = not self._why
        self._search()
        self._news.set()

    def action_group(self) -> None:
        """Group by something else."""
        self._show_as(replace(self._view, grouping=self._view.grouping.next, closed=frozenset()))

    def action_sort(self) -> None:
        """Sort by something else."""
        self._show_as(replace(self._view, order=self._view.order.next))

    def _show_as(self, view: View) -> None:
        self._view = view
        self._news.set()
        self.run_worker(self._keeper.keep(view), group="keep")

    # --- rows ---------------------------------------------------------------------------------------------

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """Open a document or a passage; open or close a group."""
        event.stop()
        kind, _colon, name = event.key.partition(":")
        match kind:
            case "document":
                self.post_message(self.Open(int(name.partition(":")[0])))
            case "hit":
                document_id, _colon, passage = name.partition(":")
                self.post_message(self.Open(int(document_id), int(passage)))
            case "group":
                self._view = replace(self._view, closed=self._view.closed ^ {name})
            case "more":
                self._all = True
            case _:
                pass
        self._news.set()

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        """What can be done depends on the row."""
        event.stop()
        self.refresh_bindings()

    def on_row_list_marked(self, event: RowList.Marked) -> None:
        """Mark a document, or all of a group; unmark what is marked."""
        event.stop()
        self.run_worker(self._mark_those(lambda: self._at(event.key)), group="marks")

    def action_mark_all(self) -> None:
        """Mark everything that the filter leaves; unmark it when all of it is marked."""
        self.run_worker(self._mark_those(lambda: self._shelf.find(self._view.wanted)), group="marks")

    async def _mark_those(self, documents: Callable[[], Sequence[Document]]) -> None:
        many = len(self._shelf) > _MANY
        found = await asyncio.to_thread(documents) if many else documents()
        self._mark({document.id for document in found})

    def action_unmark(self) -> None:
        """Mark nothing."""
        self._mark(set(self._marks))

    def _mark(self, ids: set[int]) -> None:
        # The rows hold this very set: it changes in place.
        if ids <= self._marks:
            self._marks -= ids
        else:
            self._marks |= ids
        self.query_one(DocumentList).refresh()
        self._tell_view()
        self.refresh_bindings()

    def _at(self, key: str) -> list[Document]:
        """The documents that a row means."""
        kind, _colon, name = key.partition(":")
        if kind == "group":
            return self._shelf.under(name, self._view)
        if kind not in ("document", "hit"):
            return []
        document = self._shelf.get(int(name.partition(":")[0]))
        return [] if document is None else [document]

    def targets(self) -> list[Document]:
        """What an action is about: the marked documents, else the one under the cursor."""
        if self._marks:
            return [document for number in sorted(self._marks) if (document := self._shelf.get(number))]
        return [] if self._is_on_group else self._at(self._key)

    @property
    def known_tags(self) -> Mapping[str, int]:
        """All tags, with how many documents have each."""
        return self._shelf.tag_counts

    # --- acting -------------------------------------------------------------------------------------------

    async def on_action_line_do(self, event: ActionLine.Do) -> None:
        """A word was clicked: do what its key does."""
        event.stop()
        rows = self.query_one(DocumentList)
        rows.focus()
        await (rows if event.action == "mark" else self).run_action(event.action)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what works now is offered."""
        if not self.is_mounted:
            return True
        match action:
            case "remove" | "tag" | "update":
                return self._is_on_document
            case "only":
                return self._focus is not None or self._is_on_document or self._is_on_group
            case "unmark":
                return bool(self._marks)
            case "mark_all" | "group" | "sort" | "sync":
                return len(self._shelf) > 0
            case "retry":
                chosen = self._marks or {document.id for document in self.targets()}
                return not self._shelf.failed.isdisjoint(chosen)
            case "filter":
                return not self.query_one(FilterBox).has_focus
            case "why":
                return self._passages.asked is not None
            case "strip":
                return self.query_one(BatchStrip).check_action(str(parameters[0]), ())
            case _:
                return True

    @property
    def _key(self) -> str:
        """The row under the cursor; none while the strip has the focus, as its own row is lit then."""
        at_hand = self.query_one(BatchStrip).is_at_hand
        return "" if at_hand else self.query_one(DocumentList).cursor or ""

    @property
    def _is_on_document(self) -> bool:
        """Whether there is a document that an action could be about."""
        return bool(self._marks) or self._key.startswith(("document:", "hit:"))

    @property
    def _is_on_group(self) -> bool:
        return self._key.startswith("group:")

    def action_only(self) -> None:
        """Limit the conversation to these; when it is limited and nothing is marked, no longer.

        These are the marked ones, else those under the heading, else the filter's, else the row's.
        """
        if self._focus is not None and not self._marks:
            self.act(lambda actions: actions.focus(None))
            return
        shelf, view = self._shelf, self._view
        if self._marks or not (self._is_on_group or view.wanted.selection):
            these = Selection(documents=tuple(document.id for document in self.targets()))
            self.act(lambda actions: actions.focus(these))
        else:
            heading = self._key.removeprefix("group:") if self._is_on_group else None
            self.act(lambda actions: actions.focus_on(lambda: shelf.selection(view, heading)))

    def action_retry(self) -> None:
        """Read the sources of documents once more whose last reading failed."""
        if failed := [document for document in self.targets() if document.id in self._shelf.failed]:
            self.act(lambda actions: actions.update(failed))
