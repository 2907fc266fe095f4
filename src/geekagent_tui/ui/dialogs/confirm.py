"""A plain question."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Button, Static

from geekagent_tui.i18n import _
from geekagent_tui.ui.dialogs.base import Dialog, button
from geekagent_tui.ui.dialogs.buttons import Buttons


class Confirm(Dialog[bool]):
    """Ask the user about the user's own wish.

    Args:
        title: What it is about.
        text: What will happen, or to what; foreign text, shown as it is.
        yes: What agreeing does, in a word or two; empty when there is nothing to agree to.
    """

    def __init__(self, title: str, text: str, yes: str) -> None:
        super().__init__()
        self._title, self._text, self._yes = title, text, yes

    def compose(self) -> ComposeResult:
        """Title, text, buttons."""
        with Vertical(id="dialog", classes="small"):
            yield Static(Content(self._title), classes="title")
            yield Static(Content(self._text), classes="text")
            with Buttons():
                if self._yes:
                    yield button(self._yes, "y", "yes")
                yield button(_("取消") if self._yes else _("关闭"), "n", "no")

    def first_focus(self) -> None:
        """The wish was the user's own: Enter agrees."""
        self.query(Button).first().focus()

    def action_yes(self) -> None:
        """Agree, where there is something to agree to."""
        if self._yes:
            self.dismiss(True)

    def action_no(self) -> None:
        """Leave it."""
        self.dismiss(False)
