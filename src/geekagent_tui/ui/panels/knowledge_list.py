"""The knowledge panel's list, what stands in its place, and the line of what can be done with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.style import Style
from textual.widgets import Static

from geekagent_tui.i18n import _, ngettext
from geekagent_tui.ui import keymap
from geekagent_tui.ui.panels.knowledge_documents import DocumentRow
from geekagent_tui.ui.panels.knowledge_filter import ActionLine
from geekagent_tui.ui.widgets.row_list import Row, RowList

_MOST = 12
"""Documents that are shown above the passages, until the user wants all."""
_OFFERED = (
    "knowledge.mark",
    "knowledge.tag",
    "knowledge.update",
    "knowledge.only",
    "knowledge.remove",
    "knowledge.retry",
    "knowledge.why",
    "knowledge.mark-all",
    "knowledge.group",
    "knowledge.sort",
    "knowledge.sync",
    "knowledge.undo",
)


class DocumentList(RowList):
    """Documents, passages."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "mark", "", id="knowledge.mark"),
    ]

    class Above(Message):
        """The user goes up from the first row."""

    def action_cursor(self, step: int) -> None:
        """Up from the first row leads out of the list."""
        if step < 0 and self.at_top:
            self.post_message(self.Above())
        super().action_cursor(step)


class MoreRow(Row):
    """Documents that are left out; opens them.

    Args:
        count: How many.
    """

    def __init__(self, count: int) -> None:
        super().__init__("more:")
        self._count = count

    def lines(self, width: int) -> list[Content]:
        """One line."""
        text = ngettext("…还有 {n} 个文档", "…还有 {n} 个文档", self._count).format(n=self._count)
        return [Content.styled("    " + text, "$muted")]


def first(rows: list[Row]) -> list[Row]:
    """The first documents with their headings, and how many more there are."""
    places = [place for place, row in enumerate(rows) if isinstance(row, DocumentRow)]
    if len(places) <= _MOST + 1:
        return rows
    return [*rows[: places[_MOST]], MoreRow(len(places) - _MOST)]


class PanelActions(ActionLine):
    """The keys that work in the panel now, as words to click; up to two lines.

    Args:
        undoable: Whether there is a removal to undo, as far as this run of the program knows.
    """

    def __init__(self, undoable: Callable[[], bool]) -> None:
        super().__init__(id="knowledge-actions")
        self._undoable = undoable

    def on_mount(self) -> None:
        """Follow the bindings."""
        self.screen.bindings_updated_signal.subscribe(self, self._changed)

    def _changed(self, _screen: Screen[object]) -> None:
        self.refresh()

    def render(self) -> Content:
        """As many as fit, whole."""
        active = {
            found.binding.id: found.binding
            for found in reversed(list(self.screen.active_bindings.values()))
            if found.enabled
        }
        lines = [Content("")]
        offered = _OFFERED if self._undoable() else _OFFERED[:-1]
        for binding_id in offered:
            if (binding := active.get(binding_id)) is None:
                continue
            key = Content.assemble(
                (self.app.get_key_display(binding), "$foreground"),
                " ",
                (keymap.words(binding_id), "$muted"),
            )
            key = self.target(key, binding.action)
            longer = Content.assemble(lines[-1], "  ", key) if lines[-1] else key
            if longer.cell_length <= self.content_size.width or not lines[-1]:
                lines[-1] = longer
            elif len(lines) < self.content_size.height:
                lines.append(key)
            else:
                break
        return Content("\n").join(lines)


class EmptyBase(Static, can_focus=True):
    """Stands in place of an empty list: says how to begin; Enter and a click begin."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "app.add_sources", "", id="knowledge.first"),
    ]

    def __init__(self) -> None:
        super().__init__(id="knowledge-empty")

    def tell(self, *, filtered: bool) -> None:
        """Say why nothing is there: the filter leaves nothing, or nothing was ever added."""
        self.can_focus = not filtered
        self.update(_nothing_left() if filtered else _how_to_begin())


def _nothing_left() -> Content:
    return Content.styled(_("没有标题、来源或标签含有这些字的资料。"), "$muted")


def _how_to_begin() -> Content:
    return Content.assemble(
        (_("还没有资料。"), "$foreground"),
        "\n\n",
        (_("/rag add <网址或路径>"), "$user"),
        "\n",
        (_("采集网页、文件或文件夹"), "$muted"),
        "\n\n",
        Content.styled(_("＋ 加入"), "$knowledge").stylize(Style.from_meta({"@click": "app.add_sources"})),
    )
