"""May this tool run?"""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Button, Static

from geekagent_tui.agent.events import PermissionDecision, PermissionReview, Scope
from geekagent_tui.i18n import _, ngettext
from geekagent_tui.ui.dialogs.base import Dialog, button
from geekagent_tui.ui.dialogs.buttons import Buttons
from geekagent_tui.ui.dialogs.long_text import LongText
from geekagent_tui.ui.text import shorten_middle

_STYLES = {"+": "$success", "-": "$error", "@": "$faint"}
_SMALL_DIFF = 6
_SCOPE = 160
"""Cells of the scope that are shown at most; the rest is in the question and the arguments."""


class PermissionDialog(Dialog[PermissionDecision]):
    """Shows the question, what would change or the whole arguments, and how far a lasting answer reaches.

    Args:
        review: What is asked.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "session", "", id="dialog.session"),
        Binding("a", "always", "", id="dialog.always"),
        Binding("up", "read('scroll_up')", "", show=False, id="dialog.up"),
        Binding("down", "read('scroll_down')", "", show=False, id="dialog.down"),
        Binding("pageup", "read('scroll_page_up')", "", show=False, id="dialog.page-up"),
        Binding("pagedown", "read('scroll_page_down')", "", show=False, id="dialog.page-down"),
        Binding("home", "read('scroll_home')", "", show=False, id="dialog.home"),
        Binding("end", "read('scroll_end')", "", show=False, id="dialog.end"),
    ]

    def __init__(self, review: PermissionReview) -> None:
        super().__init__(guarded=True)
        self._review = review

    def compose(self) -> ComposeResult:
        """Question, what it is about, scope, buttons."""
        review = self._review
        *before, question = review.question.strip().split("\n")
        if not before:
            before, question = [question], ""
        about = diff_content(review.diff) if review.diff else Content(review.arguments)
        with Vertical(id="dialog", classes="roomy" if review.diff.count("\n") > _SMALL_DIFF else None):
            yield Static(Content(_("请求许可")), classes="title")
            yield Static(Content("\n".join(before)), classes="text")
            if about:
                yield LongText(about, start=first_change(review.diff))
                yield Static(id="more")
            if question:
                yield Static(Content(question), classes="question")
            if not review.once_only:
                scope = shorten_middle(review.label or review.target or review.tool, _SCOPE)
                words = _("本会话或始终允许的范围：{scope}").format(scope=scope)
                yield Static(Content.styled(words, "$muted"), classes="scope")
            with Buttons():
                yield button(_("允许一次"), "y", "yes")
                if not review.once_only:
                    yield button(_("本会话"), "s", "session")
                    yield button(_("始终"), "a", "always")
                yield button(_("拒绝"), "n", "no")

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """A button is its action."""
        if event.button.id == "session":
            self.action_session()
        elif event.button.id == "always":
            self.action_always()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nothing lasts longer than this once where only that can be allowed."""
        if action in ("session", "always") and self._review.once_only:
            return False
        return super().check_action(action, parameters)

    def action_read(self, move: str) -> None:
        """Scroll the text, wherever the focus is."""
        for text in self.query(LongText):
            getattr(text, move)(animate=False)

    def on_mount(self) -> None:
        """Nothing is known to be below yet."""
        for more in self.query("#more"):
            more.display = False
        super().on_mount()

    def on_long_text_moved(self, event: LongText.Moved) -> None:
        """Tell how much is below; the line stays once it is there, as it would change what is below."""
        more = self.query_one("#more", Static)
        told = ngettext("↓ 还有 {n} 行", "↓ 还有 {n} 行", event.below).format(n=event.below)
        more.update(Content(told if event.below else ""))
        more.display = more.display or event.below > 0

    def action_yes(self) -> None:
        """This once."""
        self.dismiss(PermissionDecision(allow=True))

    def action_session(self) -> None:
        """As long as the session lasts, for this target."""
        self.dismiss(PermissionDecision(allow=True, scope=Scope.SESSION))

    def action_always(self) -> None:
        """For good, for this target."""
        self.dismiss(PermissionDecision(allow=True, scope=Scope.ALWAYS))

    def action_no(self) -> None:
        """Refuse."""
        self.dismiss(PermissionDecision())


def diff_content(diff: str) -> Content:
    """A unified diff with what comes and what goes in colours; its first two lines name the file."""
    header, lines = diff.split("\n")[:2], diff.split("\n")[2:]
    styled = [Content.styled(line, "$muted") for line in header]
    styled += [Content.styled(line, _STYLES.get(line[:1], "$foreground")) for line in lines]
    return Content("\n").join(styled)


def first_change(diff: str) -> int:
    """The line of a unified diff that changes something first, counted from 0."""
    changed = (place for place, line in enumerate(diff.split("\n")) if place > 1 and line[:1] in ("+", "-"))
    return next(changed, 0)
