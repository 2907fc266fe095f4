"""One document: its passages, its text, where it was cited, what can be done with it."""

from __future__ import annotations

import asyncio
import re
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from geekagent_tui.agent.events import Cited
from geekagent_tui.i18n import _, ngettext
from geekagent_tui.rag.errors import RagError, UnknownDocumentError
from geekagent_tui.rag.model import DocumentText, SourceKind
from geekagent_tui.ui import keymap
from geekagent_tui.ui.document_actions import DocumentActions
from geekagent_tui.ui.gateway import Gateway
from geekagent_tui.ui.links import open_original
from geekagent_tui.ui.screens.document_parts import CitedRow, DocumentWatch, Heading, outline
from geekagent_tui.ui.text import one_line
from geekagent_tui.ui.widgets.find_bar import FindBar
from geekagent_tui.ui.widgets.key_bar import KeyBar
from geekagent_tui.ui.widgets.row_list import Laid, RowList
from geekagent_tui.ui.widgets.text_view import Range, TextView

_KEYS = ("close", "next", "previous", "find", "open", "update", "tag", "remove", "undo")
_FIND_KEYS = ("find.close", "find.next", "find.previous")
_MOST_FOUND = 10_000


class DocumentScreen(Screen[Cited]):
    """Reads a document, at a passage when one is given.

    Its result is an answer of the present session that the user wants to see, if any.

    Args:
        gateway: Where the document comes from.
        document_id: Which one.
        passage: The passage to mark, from 1.
    """

    CSS_PATH = "document.tcss"
    AUTO_FOCUS = "#passages"
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012  # as Textual declares it
        (0, "-thin"),
        (72, "-narrow"),
        (100, "-wide"),
        (130, "-roomy"),
    ]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "", id="document.close"),
        Binding("n", "step(1)", "", id="document.next"),
        Binding("p,N", "step(-1)", "", id="document.previous"),
        Binding("slash", "find", "", id="document.find"),
        Binding("o", "original", "", id="document.open"),
        Binding("u", "update", "", id="document.update"),
        Binding("t", "tag", "", id="document.tag"),
        Binding("d,delete", "remove", "", id="document.remove"),
        Binding("z", "undo", "", id="document.undo"),
    ]

    def __init__(self, gateway: Gateway, document_id: int, passage: int = 1) -> None:
        super().__init__()
        self._gateway = gateway
        self._document_id = document_id
        self._passage = passage
        self._document: DocumentText | None = None
        self._gone = False
        self._cited: tuple[Cited, ...] = ()
        self._found: list[Range] = []
        self._here: int | None = None

    def compose(self) -> ComposeResult:
        """Heading, passages and citations, text, keys."""
        yield Heading()
        yield FindBar()
        with Horizontal(id="body"):
            with Vertical(id="side"):
                yield RowList("passages")
                yield Static(id="cited-title")
                yield RowList("cited")
            yield TextView()
        yield KeyBar((*_FIND_KEYS, *(f"document.{key}" for key in _KEYS)), words=self._words)
        yield DocumentWatch()

    def on_mount(self) -> None:
        """Fetch the document."""
        self.query_one("#cited-title").display = self.query_one("#cited").display = False
        self.run_worker(self._open(), group="document")

    def _words(self, binding_id: str) -> str:
        """What a key does now."""
        if self.query_one(FindBar).display:
            steps = {
                "document.next": _("下一处"),
                "document.previous": _("上一处"),
                "document.close": _("结束查找"),
            }
            return steps.get(binding_id) or keymap.words(binding_id)
        return keymap.words(binding_id)

    # --- loading ------------------------------------------------------------------------------------------

    async def _open(self) -> None:
        try:
            document = await self._gateway.document(self._document_id)
        except RagError as error:
            self.app.notify(error.message, severity="warning", markup=False)
            self.dismiss()
            return
        await self._show(document)
        self.query_one(DocumentWatch).follow(self._gateway)
        if self.has_class("-thin"):
            self.query_one(TextView).focus()

    async def _show(self, document: DocumentText) -> None:
        self._document, self._gone = document, False
        self.query_one(Heading).show(document.document)
        await self.query_one(TextView).load(document.text)
        await self._show_cited(document)
        self.query_one("#passages", RowList).move_to(str(self._passage))
        self._mark(self._passage)
        self.refresh_bindings()

    async def _show_cited(self, document: DocumentText) -> None:
        try:
            self._cited = await self._gateway.cited(self._document_id)
        except RagError as error:
            self.app.notify(error.message, severity="warning", markup=False)
        numbers = {cited.passage for cited in self._cited}
        passages = self.query_one("#passages", RowList)
        width = passages.row_width
        passages.show(await asyncio.to_thread(lambda: Laid([*outline(document.passages, numbers)], width)))
        ranges = [(p.start, p.start + len(p.text)) for p in document.passages if p.number in numbers]
        self.query_one(TextView).cite(ranges)
        title, cited_list = self.query_one("#cited-title", Static), self.query_one("#cited", RowList)
        title.display = cited_list.display = bool(self._cited)
        n = len(self._cited)
        title.update(Content(ngettext("被引用 {n} 次", "被引用 {n} 次", n).format(n=n)))
        cited_list.show(
            [CitedRow(place, cited, here=self._is_here(cited)) for place, cited in enumerate(self._cited)]
        )

    def _is_here(self, cited: Cited) -> bool:
        status = self._gateway.status
        return status is not None and cited.session == status.session

    @on(DocumentWatch.Changed)
    def look_again(self) -> None:
        """The knowledge base has changed: show the document as it is now."""
        self.run_worker(self._reload(), group="reload", exclusive=True)

    async def _reload(self) -> None:
        before = self._document
        try:
            document = await self._gateway.document(self._document_id)
        except UnknownDocumentError:
            self._leave_behind()
            return
        except RagError as error:
            self.app.notify(error.message, severity="warning", markup=False)
            return
        if before is None or self._gone or document.text != before.text:
            await self._show(document)
        elif document.document != before.document:
            self._document = document
            self.query_one(Heading).show(document.document)

    def _leave_behind(self) -> None:
        """The document is gone: what is on the screen stays readable."""
        if self._document is not None:
            self._gone = True
            self.query_one(Heading).show(self._document.document, gone=True)
            self.refresh_bindings()

    # --- moving -------------------------------------------------------------------------------------------

    def _mark(self, number: int) -> None:
        if self._document is None or not self._document.passages:
            return
        number = max(1, min(number, self._document.passages[-1].number))
        for passage in self._document.passages[number - 1 : number]:
            self._passage = passage.number
            self.query_one(TextView).mark(passage.start, passage.start + len(passage.text))

    @on(RowList.Moved, "#passages")
    def to_passage(self, event: RowList.Moved) -> None:
        """Mark the passage under the cursor."""
        self._mark(int(event.key))

    @on(RowList.Chosen, "#passages")
    def read_passage(self, event: RowList.Chosen) -> None:
        """Read on from it."""
        self._mark(int(event.key))
        self.query_one(TextView).focus()

    @on(RowList.Moved, "#cited")
    def to_cited(self, event: RowList.Moved) -> None:
        """Mark the passage that the answer cites."""
        self._mark(self._cited[int(event.key)].passage)

    @on(RowList.Chosen, "#cited")
    def open_answer(self, event: RowList.Chosen) -> None:
        """Go to the answer, or say where it is."""
        cited = self._cited[int(event.key)]
        self._mark(cited.passage)
        if self._is_here(cited):
            self.dismiss(cited)
            return
        told = _("在会话“{title}”里：输入 /open {session} 打开")
        told = told.format(title=one_line(cited.session_title), session=one_line(cited.session))
        self.app.notify(told, markup=False)

    def action_step(self, step: int) -> None:
        """To the next or previous passage, or place that was found."""
        if self.query_one(FindBar).display:
            self._step_found(step)
            return
        number = self._passage + step
        self._mark(number)
        self.query_one("#passages", RowList).move_to(str(self._passage))

    # --- finding ------------------------------------------------------------------------------------------

    def action_find(self) -> None:
        """Look for words in the text."""
        self.query_one(FindBar).open()
        self.refresh_bindings()

    @on(FindBar.Wanted)
    def find(self, event: FindBar.Wanted) -> None:
        """Light up every place."""
        self.run_worker(self._find(event.words), group="find", exclusive=True)

    async def _find(self, words: str) -> None:
        if self._document is None:
            return
        text = self._document.text
        self._found = await asyncio.to_thread(_places, text, words)
        self._here = None
        if self._found:
            # The first one from the passage on that the user is reading.
            start = self._document.passages[self._passage - 1].start if self._document.passages else 0
            self._here = next((place for place, at in enumerate(self._found) if at[0] >= start), 0)
        self._show_found()

    @on(FindBar.Step)
    def step_found(self, event: FindBar.Step) -> None:
        """To the next place, or the one before."""
        self._step_found(event.step)

    def _step_found(self, step: int) -> None:
        if self._found:
            self._here = ((self._here or 0) + step) % len(self._found)
        self._show_found()

    def _show_found(self) -> None:
        self.query_one(TextView).found(self._found, self._here)
        self.query_one(FindBar).show(self._here, len(self._found))

    @on(FindBar.Closed)
    def close_find(self) -> None:
        """Read on where one is."""
        self.query_one(FindBar).close()
        self._found, self._here = [], None
        self.query_one(TextView).found((), None)
        self.query_one(TextView).focus()
        self.refresh_bindings()

    # --- acting -------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what works now is offered."""
        match action:
            case "original" | "update" | "tag" | "remove":
                return self._document is not None and not self._gone
            case "undo":
                return self._gone
            case "find":
                return self._document is not None and not self.query_one(FindBar).display
            case _:
                return True

    @property
    def _actions(self) -> DocumentActions:
        return DocumentActions(self.app, self._gateway)

    def action_original(self) -> None:
        """Open the original, after showing where it is."""
        if self._document is not None:
            document = self._document.document
            open_original(self.app, document.source, is_url=document.kind is SourceKind.URL)

    def action_update(self) -> None:
        """Bring the document up to date."""
        if self._document is not None:
            self.run_worker(self._actions.update([self._document.document]), group="act")

    def action_tag(self) -> None:
        """Choose the document's tags."""
        if self._document is not None:
            tagging = self._actions.tag([self._document.document], self._gateway.tags())
            self.run_worker(tagging, group="act")

    def action_remove(self) -> None:
        """Remove the document, after asking."""
        self.run_worker(self._remove(), group="act")

    async def _remove(self) -> None:
        if self._document is not None and await self._actions.remove([self._document.document]):
            self._leave_behind()

    def action_undo(self) -> None:
        """Bring the document back."""
        self.run_worker(self._undo(), group="act")

    async def _undo(self) -> None:
        await self._actions.undo()
        await self._reload()

    def action_close(self) -> None:
        """End a search; else back to where one came from."""
        if self.query_one(FindBar).display:
            self.close_find()
        else:
            self.dismiss()


def _places(text: str, words: str) -> list[Range]:
    """Where words occur, whatever their case; the first thousands."""
    if not words.strip():
        return []
    found = re.finditer(re.escape(words.strip()), text, re.IGNORECASE)
    return [match.span() for match, _number in zip(found, range(_MOST_FOUND), strict=False)]
