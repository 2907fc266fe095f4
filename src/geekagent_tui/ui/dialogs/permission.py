"""May this tool run?"""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Static

from geekagent_tui.agent.events import PermissionDecision, PermissionReview, Scope
from geekagent_tui.i18n import _
from geekagent_tui.ui.dialogs.base import Dialog, button
from geekagent_tui.ui.text import shorten_middle


class PermissionDialog(Dialog[PermissionDecision]):
    """Shows the question and the whole arguments.

    Args:
        review: What is asked.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("s", "session", "", id="dialog.session")]

    def __init__(self, review: PermissionReview) -> None:
        super().__init__(guarded=True)
        self._review = review

    def compose(self) -> ComposeResult:
        """Question, arguments, buttons."""
        *before, question = self._review.question.strip().split("\n")
        if not before:
            before, question = [question], ""
        with Vertical(id="dialog"):
            yield Static(Content(_("请求许可")), classes="title")
            yield Static(Content("\n".join(before)), classes="text")
            if self._review.arguments:
                with VerticalScroll(id="arguments"):
                    yield Static(Content(self._review.arguments))
            if question:
                yield Static(Content(question), classes="question")
            with Horizontal(classes="buttons"):
                yield button(_("允许一次"), "y", "yes")
                target = shorten_middle(self._review.target or self._review.tool, self._room())
                yield button(_("本会话允许 {target}").format(target=target), "s", "session")
                yield button(_("拒绝"), "n", "no")

    def _room(self) -> int:
        """How many cells of the target the row of buttons can show, so that none is cut off."""
        width = self.app.size.width
        words = _("允许一次") + _("本会话允许 {target}").format(target="") + _("拒绝")
        around = 8 if width < 80 else 11  # of each button: margin, padding, the key
        return max(1, min(24, min(86, width * 94 // 100) - 6 - 3 * around - cell_len(words)))

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """A button is its action."""
        if event.button.id == "session":
            self.action_session()

    def action_yes(self) -> None:
        """This once."""
        self.dismiss(PermissionDecision(allow=True))

    def action_session(self) -> None:
        """As long as the session lasts, for this target."""
        self.dismiss(PermissionDecision(allow=True, scope=Scope.SESSION))

    def action_no(self) -> None:
        """Refuse."""
        self.dismiss(PermissionDecision())
