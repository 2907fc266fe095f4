"""What a dialog is about, in a window of its own that tells how much is below."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

_FEW = 24
"""Rows of a terminal below which a window shows too little to begin with what only leads up to a change."""


class LongText(VerticalScroll):
    """A text that scrolls.

    Args:
        text: The text.
        start: Its line, counted from 0, that a small window begins with; Up shows what is before.
    """

    class Moved(Message):
        """Another part is in view.

        Attributes:
            below: Lines, as they are wrapped, below the window.
        """

        def __init__(self, below: int) -> None:
            super().__init__()
            self.below = below

    def __init__(self, text: Content, *, start: int = 0) -> None:
        super().__init__(id="arguments")
        self._text = text
        self._start = start

    def compose(self) -> ComposeResult:
        """The text."""
        yield Static(self._text)

    def on_mount(self) -> None:
        """Follow what is in view."""
        self.watch(self, "scroll_y", self._tell, init=False)
        self.watch(self, "virtual_size", self._tell, init=False)
        self.call_after_refresh(self._begin)

    def on_resize(self) -> None:
        """Another part fits."""
        self._tell()

    def _begin(self) -> None:
        if self._start and self.app.size.height < _FEW:
            before = Content("\n").join(self._text.split("\n")[: self._start])
            self.scroll_to(y=len(before.wrap(self.scrollable_content_region.width)), animate=False)
        self._tell()

    def _tell(self) -> None:
        self.post_message(self.Moved(round(self.max_scroll_y - self.scroll_y)))
