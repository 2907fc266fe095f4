"""The short pieces of a conversation: what the user said, notices, tool calls in one line."""

from __future__ import annotations

from functools import cache

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from geekagent_tui.i18n import _
from geekagent_tui.ui import ev
from geekagent_tui.ui.text import columns, duration, one_line
from geekagent_tui.ui.widgets.details import Details

_SHOWN = 6_000
"""Characters of a message that are shown; a longer paste is kept whole but not drawn whole."""


@cache
def glyphs() -> dict[ev.ToolState, tuple[str, str]]:
    """A glyph and its colour for each state of a tool call."""
    return {
        ev.ToolState.RUNNING: ("◐", "$user"),
        ev.ToolState.DONE: ("✓", "$success"),
        ev.ToolState.FAILED: ("✕", "$error"),
        ev.ToolState.DENIED: ("⊘", "$warning"),
        ev.ToolState.CANCELLED: ("⊘", "$muted"),
    }


def state_word(state: ev.ToolState) -> str:
    """A tool call's state in a word."""
    return {
        ev.ToolState.RUNNING: _("进行中"),
        ev.ToolState.DONE: _("完成"),
        ev.ToolState.FAILED: _("失败"),
        ev.ToolState.DENIED: _("已拒绝"),
        ev.ToolState.CANCELLED: _("已取消"),
    }[state]


def _bounded(text: str) -> Content:
    if len(text) <= _SHOWN:
        return Content(text)
    note = _("…（共 {n} 字，只显示开头）").format(n=len(text))
    return Content.assemble(text[:_SHOWN], "\n", (note, "$muted"))


class UserMessage(Static):
    """What the user said, or a command the user typed."""

    def __init__(self, entry: ev.ChatEntry) -> None:
        command = entry.text.startswith("/")
        super().__init__(_bounded(entry.text), classes="-command" if command else "")


class Notice(Static):
    """Command output, results of an ingest, errors."""

    def __init__(self, entry: ev.ChatEntry) -> None:
        glyph = {ev.Level.WARNING: "! ", ev.Level.ERROR: "✕ "}.get(entry.level, "")
        super().__init__(Content.assemble(glyph, _bounded(entry.text)), classes=f"-{entry.level}")


class NoticeWithDetails(Vertical):
    """A notice with more text beneath it, folded."""

    def __init__(self, entry: ev.ChatEntry) -> None:
        super().__init__()
        self._entry = entry

    def compose(self) -> ComposeResult:
        """Both."""
        yield Notice(self._entry)
        yield Details(_("摘要"), self._entry.details)


class ToolLine(Static):
    """A tool call in one line; a click shows all of it in the tool log."""

    class Opened(Message):
        """The user wants to see the whole call."""

        def __init__(self, call_id: str) -> None:
            super().__init__()
            self.call_id = call_id

    def __init__(self, entry: ev.ToolEntry) -> None:
        super().__init__()
        self.entry = entry

    def show(self, entry: ev.ToolEntry) -> None:
        """The call moved on."""
        self.entry = entry
        self.refresh()

    def render(self) -> Content:
        """Name and target on the left, result and time on the right."""
        entry = self.entry
        target = one_line(entry.target)
        left = Content.assemble(
            glyphs()[entry.state],
            " ",
            (entry.name, "$muted"),
            "  ",
            (f"“{target}”" if target else "", "$foreground"),
        )
        ended = one_line(entry.summary) or state_word(entry.state)
        if entry.seconds is not None:
            ended += " · " + duration(entry.seconds)
        return columns(left, Content.styled(ended, "$muted"), self.content_size.width)

    def on_click(self) -> None:
        """Show it in the tool log."""
        self.post_message(self.Opened(self.entry.call_id))
