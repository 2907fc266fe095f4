"""May what came with this folder count?"""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from geekagent_tui.agent.events import TrustItem, TrustReview
from geekagent_tui.i18n import _, ngettext
from geekagent_tui.ui.dialogs.base import Dialog, button
from geekagent_tui.ui.dialogs.buttons import Buttons


class TrustDialog(Dialog[bool]):
    """Shows each file and what it would change.

    Args:
        review: What is asked.
    """

    def __init__(self, review: TrustReview) -> None:
        super().__init__(guarded=True)
        self._review = review

    def compose(self) -> ComposeResult:
        """What came, what it changes, buttons."""
        told = ngettext(
            "{folder} 带来了 {n} 个会改变助手行为的文件。只信任你自己写的，或看过并同意的内容；"
            "不信任也能照常使用，这些文件不会生效。",
            "{folder} 带来了 {n} 个会改变助手行为的文件。只信任你自己写的，或看过并同意的内容；"
            "不信任也能照常使用，这些文件不会生效。",
            len(self._review.items),
        )
        with Vertical(id="dialog", classes="roomy" if self._is_long() else None):
            yield Static(Content(_("信任这个文件夹吗？")), classes="title")
            yield Static(
                Content(told.format(folder=self._review.folder, n=len(self._review.items))), classes="text"
            )
            with VerticalScroll(id="arguments"):
                yield Static(Content("\n\n").join(map(_shown, self._review.items)))
            later = _("之后可用 /trust 查看，/trust reset 重新决定；内容改变时会再问。")
            yield Static(Content.styled(later, "$muted"), classes="scope")
            with Buttons():
                yield button(_("信任"), "y", "yes")
                yield button(_("不信任"), "n", "no")

    def _is_long(self) -> bool:
        lines = sum(
            1 + len(item.effects) + item.text.count("\n") + len(item.text) // 60
            for item in self._review.items
        )
        return lines > 6

    def action_yes(self) -> None:
        """Let it count."""
        self.dismiss(True)

    def action_no(self) -> None:
        """Leave it out."""
        self.dismiss(False)


def _shown(item: TrustItem) -> Content:
    """A file: its name, what it changes, its own words, all of them: all of them would count."""
    lines = [Content.styled(item.path, "$foreground bold")]
    lines += [Content.styled(f"· {effect}", "$warning") for effect in item.effects]
    if item.text:
        lines += [Content.styled(f"│ {line}", "$muted") for line in item.text.split("\n")]
    return Content("\n").join(lines)
