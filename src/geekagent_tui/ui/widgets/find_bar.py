"""Finding words in the text on the screen."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.style import Style
from textual.widgets import Input, Static

from geekagent_tui.i18n import _
from geekagent_tui.ui.widgets.line_input import LineInput


class FindInput(LineInput):
    """The words."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "", show=False, id="find.close"),
        Binding("down", "step(1)", "", id="find.next"),
        Binding("up", "step(-1)", "", id="find.previous"),
    ]

    def action_close(self) -> None:
        """End the search."""
        self.post_message(FindBar.Closed())

    def action_step(self, step: int) -> None:
        """To the next or previous place."""
        self.post_message(FindBar.Step(step))


class FindCount(Static):
    """Which of the places one is at, with signs to click."""

    def show(self, place: int | None, count: int) -> None:
        """Show figures; the place counts from 0."""
        told = f"{0 if place is None else place + 1}/{count}"
        parts = [
            Content.styled(told, "$muted" if count else "$warning"),
            *(
                Content.styled(f" {sign} ", "$foreground").stylize(Style.from_meta({"@click": action}))
                for sign, action in (("↑", "step(-1)"), ("↓", "step(1)"), ("✕", "close"))
            ),
        ]
        self.update(Content.assemble(*parts))

    def action_step(self, step: int) -> None:
        """To the next or previous place."""
        self.post_message(FindBar.Step(step))

    def action_close(self) -> None:
        """End the search."""
        self.post_message(FindBar.Closed())


class FindBar(Horizontal):
    """One line: the words, and how often they occur."""

    class Wanted(Message):
        """The user looks for something else.

        Args:
            words: What; may be empty.
        """

        def __init__(self, words: str) -> None:
            super().__init__()
            self.words = words

    class Step(Message):
        """The user wants to see the next place, or the one before."""

        def __init__(self, step: int) -> None:
            super().__init__()
            self.step = step

    class Closed(Message):
        """The user has found it."""

    def compose(self) -> ComposeResult:
        """Words and figures."""
        yield FindInput(placeholder=_("在文档中查找"), compact=True, id="find")
        yield FindCount(id="found")

    def on_mount(self) -> None:
        """Be there when wanted."""
        self.display = False

    def open(self) -> None:
        """Show it, and begin to type."""
        self.display = True
        self.query_one(FindInput).focus()

    def close(self) -> None:
        """Hide it."""
        self.query_one(FindInput).clear()
        self.display = False

    def show(self, place: int | None, count: int) -> None:
        """Show which place one is at, from 0, and how many there are."""
        self.query_one(FindCount).show(place, count)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Look for it."""
        event.stop()
        self.post_message(self.Wanted(event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """On to the next place."""
        event.stop()
        self.post_message(self.Step(1))
