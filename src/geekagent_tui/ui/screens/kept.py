"""The words an answer rested on, when its document says something else by now or is gone."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from geekagent_tui.agent.events import Citation, CitedPassage, TextState
from geekagent_tui.i18n import _
from geekagent_tui.rag.errors import RagError
from geekagent_tui.ui.gateway import Gateway
from geekagent_tui.ui.text import one_line, shorten_middle
from geekagent_tui.ui.widgets.key_bar import KeyBar
from geekagent_tui.ui.widgets.text_view import TextView

_Open = Callable[[int, int], None]
"""Opens a document at a passage."""


async def open_citation(app: App[object], gateway: Gateway, citation: Citation, open_document: _Open) -> None:
    """Show what a citation rests on: in its document while that still says so, else as it was kept."""
    try:
        passage = await gateway.cited_passage(citation)
    except RagError as error:
        app.notify(error.message, severity="warning", markup=False)
        return
    if passage.state is TextState.SAME and passage.document_id is not None:
        open_document(passage.document_id, passage.passage)
    else:
        app.push_screen(KeptScreen(citation, passage, open_document))


class KeptHeading(Static):
    """Which passage it was, where it came from, what became of it."""

    def __init__(self, citation: Citation, passage: CitedPassage) -> None:
        super().__init__(id="heading")
        self._citation = citation
        self._passage = passage

    def render(self) -> Content:
        """Three lines."""
        citation = self._citation
        name = _("《{title}》第 {n} 段").format(title=one_line(citation.title), n=citation.passage)
        source = shorten_middle(one_line(citation.source), max(10, self.content_size.width - 1))
        if self._passage.state is TextState.GONE:
            told = _("这个文档已不在知识库里，下面是回答当时引用的原话")
        else:
            told = _("这个文档后来改动过，下面是回答当时引用的原话")
        return Content("\n").join(
            [
                Content.styled(name, "bold"),
                Content.styled(" " + source, "$knowledge"),
                Content.styled(" " + told, "$warning"),
            ]
        )


class KeptScreen(Screen[None]):
    """Reads the kept words.

    Args:
        citation: What was cited.
        passage: Its words, and what became of the document.
        open_document: Opens the document of today.
    """

    CSS_PATH = "kept.tcss"
    AUTO_FOCUS = "#text"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "", id="kept.close"),
        Binding("o", "document", "", id="kept.document"),
    ]

    def __init__(self, citation: Citation, passage: CitedPassage, open_document: _Open) -> None:
        super().__init__()
        self._citation = citation
        self._passage = passage
        self._open_document = open_document

    def compose(self) -> ComposeResult:
        """Heading, words, keys."""
        yield KeptHeading(self._citation, self._passage)
        yield TextView()
        yield KeyBar(("kept.close", "kept.document"))

    async def on_mount(self) -> None:
        """Show the words."""
        await self.query_one(TextView).load(self._passage.text or _("（会话里没有留下这段原话）"))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A document that is gone can't be opened."""
        return action != "document" or self._passage.document_id is not None

    def action_document(self) -> None:
        """The document as it is now, in place of the words."""
        if self._passage.document_id is not None:
            self.dismiss()
            self._open_document(self._passage.document_id, self._passage.passage)

    def action_close(self) -> None:
        """Back to the answer."""
        self.dismiss()
