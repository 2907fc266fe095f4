"""Text that stays folded until somebody wants to read it: what a model thought, a summary."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.reactive import reactive
from textual.widgets import Static

from geekagent_tui.i18n import ngettext

_SHOWN = 20_000
"""Characters that are drawn of a text."""


class Details(Static, can_focus=True):
    """One line; a click or Enter shows the text beneath it, and hides it again.

    Args:
        title: What the text is.
        text: Foreign text.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "unfold", "", id="details.unfold")]
    unfolded: reactive[bool] = reactive(False, layout=True)

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._title = title
        self._text = text

    def render(self) -> Content:
        """The line, and the text when it is wanted."""
        n = len(self._text)
        length = ngettext("{n} 字", "{n} 字", n).format(n=n)
        line = Content(f"{'▾' if self.unfolded else '▸'} {self._title} · {length}")
        if not self.unfolded:
            return line
        return Content.assemble(line, "\n", Content(self._text[:_SHOWN]))

    def on_click(self) -> None:
        """Fold or unfold."""
        self.action_unfold()

    def action_unfold(self) -> None:
        """Fold or unfold."""
        self.unfolded = not self.unfolded
