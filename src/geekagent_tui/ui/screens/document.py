"""One document: its passages, its text, what can be done with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from geekagent_tui.i18n import _, ngettext
from geekagent_tui.rag.errors import RagError
from geekagent_tui.rag.model import Document, DocumentText, Passage, SourceKind
from geekagent_tui.ui.gateway import Gateway
from geekagent_tui.ui.links import open_original
from geekagent_tui.ui.removal import ask_to_remove
from geekagent_tui.ui.text import columns, day_and_time, fit, one_line, passages, shorten_middle
from geekagent_tui.ui.widgets.key_bar import KeyBar
from geekagent_tui.ui.widgets.row_list import Row, RowList
from geekagent_tui.ui.widgets.text_view import TextView


class PassageRow(Row):
    """A passage: its number, and its heading or first words."""

    def __init__(self, passage: Passage) -> None:
        super().__init__(str(passage.number))
        self._passage = passage

    def lines(self, width: int) -> Sequence[Content]:
        """One line."""
        passage = self._passage
        number = Content.styled(_("第 {n} 段").format(n=passage.number), "$knowledge")
        words = one_line(passage.heading.split(" › ")[-1] or passage.text[:80]).lstrip("# ")
        return [fit(Content.assemble(number, "  ", (words, "$muted")), width)]


class Heading(Static):
    """Title and source on the left, figures on the right."""

    def __init__(self) -> None:
        super().__init__(id="heading")
        self.document: DocumentText | None = None

    def render(self) -> Content:
        """Two lines."""
        if self.document is None:
            return Content.styled(_("读取中…"), "$muted")
        document = self.document.document
        width = self.content_size.width
        figures = ngettext("{n} 字", "{n} 字", document.characters).format(n=document.characters)
        figures = f"{figures} · {passages(document.passages)}"
        added = _("加入 {when}").format(when=day_and_time(document.added_at))
        title = Content.styled(_("《{title}》").format(title=one_line(document.title)), "bold")
        source = shorten_middle(document.source, max(10, width - 20))
        return Content.assemble(
            columns(title, Content.styled(figures, "$muted"), width),
            "\n",
            columns(Content.styled(" " + source, "$knowledge"), Content.styled(added, "$muted"), width),
        )


class DocumentScreen(Screen[None]):
    """Reads a document, at a passage when one is given.

    Args:
        gateway: Where the document comes from.
        document_id: Which one.
        passage: The passage to mark, from 1.
    """

    CSS_PATH = "document.tcss"
    AUTO_FOCUS = "#passages"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012  # as Textual declares it
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "", id="document.close"),
        Binding("n", "step(1)", "", id="document.next"),
        Binding("p", "step(-1)", "", id="document.previous"),
        Binding("o", "original", "", id="document.open"),
        Binding("d", "remove", "", id="document.remove"),
    ]

    def __init__(self, gateway: Gateway, document_id: int, passage: int = 1) -> None:
        super().__init__()
        self._gateway = gateway
        self._document_id = document_id
        self._passage = passage
        self._document: DocumentText | None = None

    def compose(self) -> ComposeResult:
        """Heading, passages, text, keys."""
        yield Heading()
        with Horizontal(id="body"):
            yield RowList("passages")
            yield TextView()
        yield KeyBar(
            ("document.close", "document.next", "document.previous", "document.open", "document.remove")
        )

    def on_mount(self) -> None:
        """Fetch the document."""
        self.run_worker(self._load(), group="document")

    async def _load(self) -> None:
        try:
            document = await self._gateway.document(self._document_id)
        except RagError as error:
            self.app.notify(error.message, severity="warning", markup=False)
            self.dismiss()
            return
        self._document = document
        heading = self.query_one(Heading)
        heading.document = document
        heading.refresh(layout=True)
        rows = self.query_one(RowList)
        rows.show([PassageRow(passage) for passage in document.passages])
        await self.query_one(TextView).load(document.text)
        rows.move_to(str(self._passage))
        await self._mark(self._passage)

    async def _mark(self, number: int) -> None:
        if self._document is None:
            return
        for passage in self._document.passages:
            if passage.number == number:
                self._passage = number
                await self.query_one(TextView).mark(passage.start, passage.start + len(passage.text))

    async def on_row_list_moved(self, event: RowList.Moved) -> None:
        """Mark the passage under the cursor."""
        await self._mark(int(event.key))

    async def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """Read on from it."""
        await self._mark(int(event.key))
        self.query_one(TextView).focus()

    def action_step(self, step: int) -> None:
        """To the next or previous passage."""
        self.query_one(RowList).move_to(str(self._passage + step))

    def action_original(self) -> None:
        """Open the original, after showing where it is."""
        if self._document is not None:
            document = self._document.document
            open_original(self.app, document.source, is_url=document.kind is SourceKind.URL)

    def action_remove(self) -> None:
        """Remove the document, after asking."""
        if self._document is not None:
            document = self._document.document
            self.run_worker(self._remove_and_close(document), group="remove")

    async def _remove_and_close(self, document: Document) -> None:
        if await ask_to_remove(self.app, self._gateway, document):
            self.dismiss()

    def action_close(self) -> None:
        """Back to where one came from."""
        self.dismiss()
