"""The top of the knowledge panel: what is looked for, and how the documents are shown."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.style import Style
from textual.widget import Widget

from geekagent_tui.i18n import _, ngettext
from geekagent_tui.ui.panels.knowledge_query import Wanted, chips
from geekagent_tui.ui.panels.knowledge_view import View
from geekagent_tui.ui.text import columns, fit
from geekagent_tui.ui.widgets.line_input import LineInput


class FilterBox(LineInput):
    """Where the user types what to look for."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "", show=False, id="knowledge.leave"),
        Binding("down", "list", "", show=False, id="knowledge.list"),
    ]

    def action_leave(self) -> None:
        """Take back what was typed; with nothing there, go on to the list."""
        if self.value:
            self.clear()
        else:
            self.action_list()

    def action_list(self) -> None:
        """Go on to the list."""
        self.screen.query_one("#documents").focus()


class ActionLine(Widget):
    """Lines of words that can be clicked; each does what its key does."""

    class Do(Message):
        """The user clicked one.

        Args:
            action: The panel's action.
        """

        def __init__(self, action: str) -> None:
            super().__init__()
            self.action = action

    def action_do(self, action: str) -> None:
        """Hand a click on."""
        self.post_message(self.Do(action))

    def target(self, content: Content, action: str) -> Content:
        """Words that do something when they are clicked."""
        return content.stylize(Style.from_meta({"@click": f"do({action!r})"}))


class ViewLine(ActionLine):
    """What the filter was understood as, else how to filter, else grouping and order; marks at the right."""

    def __init__(self) -> None:
        super().__init__(id="view")
        self._view = View()
        self._marked = 0
        self._typing = False

    def show(self, view: View, marked: int, *, typing: bool) -> None:
        """Show other figures.

        Args:
            view: How the documents are shown.
            marked: How many are marked.
            typing: The filter has the focus.
        """
        self._view, self._marked, self._typing = view, marked, typing
        self.refresh()

    def render(self) -> Content:
        """One line."""
        width = self.content_size.width
        right = Content("")
        if self._marked:
            text = ngettext("已选 {n}", "已选 {n}", self._marked).format(n=self._marked)
            right = self.target(Content.assemble((text, "$user"), (" ✕", "$muted")), "unmark")
        left = self._left()
        return columns(left, right, width, gap=1) if right else fit(left, width)

    def _left(self) -> Content:
        wanted = self._view.wanted
        if wanted.wrong or wanted.selection:
            return self._understood(wanted)
        if self._typing and not wanted.text:
            return Content.styled(_("#标签 kind:pdf host:… since:7d"), "$faint")
        group = Content.assemble((_("分组") + " ", "$faint"), (self._view.grouping.word, "$muted"))
        order = Content.assemble((_("排序") + " ", "$faint"), (self._view.order.word, "$muted"))
        return Content.assemble(self.target(group, "group"), "   ", self.target(order, "sort"))

    def _understood(self, wanted: Wanted) -> Content:
        parts = [Content.styled(chip, "$knowledge") for chip in chips(wanted.selection)]
        parts += [Content.styled(_("不明白 {part}").format(part=part), "$warning") for part in wanted.wrong]
        return Content.styled(" · ", "$faint").join(parts)
