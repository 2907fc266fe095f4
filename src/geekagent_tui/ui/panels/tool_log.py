"""The tool log: one line a call, newest first; each opens to show all of it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from geekagent_tui.i18n import _, ngettext
from geekagent_tui.ui import ev
from geekagent_tui.ui.panels.follower import Follower
from geekagent_tui.ui.text import (
    cell,
    clock,
    columns,
    duration,
    one_line,
    passage_name,
    shorten,
    shorten_middle,
)
from geekagent_tui.ui.widgets.chat_lines import glyphs, state_word
from geekagent_tui.ui.widgets.panel_title import PanelTitle
from geekagent_tui.ui.widgets.row_list import Row, RowList
from geekagent_tui.ui.wrapping import wrap

_FULL = 56
"""Cells from which on a line has room for the duration."""
_LINES = 60
"""Lines of one text that are shown; the rest is counted."""


class CallRow(Row):
    """One tool call, closed or open."""

    lit = 1

    def __init__(self, entry: ev.ToolEntry, *, opened: bool) -> None:
        super().__init__(entry.call_id)
        self._entry = entry
        self._opened = opened
        self._drawn: tuple[int, list[Content]] = (0, [])

    def height(self, width: int) -> int:
        """One line when closed."""
        return len(self.lines(width)) if self._opened else 1

    def lines(self, width: int) -> Sequence[Content]:
        """The line, and what is inside when open."""
        if self._drawn[0] != width:
            lines = [self._head(width)]
            if self._opened:
                lines += self._inside(width)
            self._drawn = width, lines
        return self._drawn[1]

    def _head(self, width: int) -> Content:
        entry = self._entry
        glyph, style = glyphs()[entry.state]
        short = width < 40
        ended = one_line(entry.summary) or state_word(entry.state)
        right = Content.styled(shorten(ended, 14), style if style != "$success" else "$muted")
        if entry.seconds is not None and width >= 36:
            right = Content.assemble(right, " ", (cell(duration(entry.seconds), 7, right=True), "$faint"))
        left = Content.assemble(
            ("" if short else clock(entry.started_at) + " ", "$faint"),
            (glyph, style),
            " ",
            ("↳ " if entry.parent else "", "$faint"),
            (entry.name, "$foreground"),
            "  ",
        )
        room = width - left.cell_length - right.cell_length - 1
        left = Content.assemble(left, (_target(entry, room), "$muted"))
        return columns(left, right, width, gap=1)

    def _inside(self, width: int) -> list[Content]:
        entry = self._entry
        lines = _text(_("参数"), entry.arguments, width)
        if entry.hits:
            lines.append(_label(_("命中")))
            for place, hit in enumerate(entry.hits, start=1):
                name = Content.styled(
                    f"    {place} {passage_name(one_line(hit.title), hit.passage, hit.page)}", "$knowledge"
                )
                lines.append(columns(name, Content.styled(f"{hit.score:.2f}", "$muted"), width, gap=1))
                lines.append(Content.styled("      " + shorten(hit.text, width - 7), "$muted"))
        elif entry.result:
            lines += _text(_("结果"), entry.result, width)
        return [*lines, Content("")]


def _target(entry: ev.ToolEntry, room: int) -> str:
    """What a call works on; of a source its last part, when there is no room for all of it."""
    target = one_line(entry.target)
    if entry.name in {"rag_add", "rag_sync"} and cell_len(target) > room:
        return shorten_middle(target.rstrip("/").rpartition("/")[2], room)
    return shorten(target, room)


def _label(text: str) -> Content:
    return Content.styled(f"  {text}", "$faint")


def _text(label: str, text: str, width: int) -> list[Content]:
    if not text.strip():
        return []
    lines = wrap(text[: _LINES * width], width - 4)
    shown = [Content.styled("    " + line, "$muted") for line in lines[:_LINES]]
    if len(lines) > _LINES or len(text) > _LINES * width:
        note = ngettext("    …（共 {n} 字）", "    …（共 {n} 字）", len(text)).format(n=len(text))
        shown.append(Content.styled(note, "$faint"))
    return [_label(label), *shown]


class ToolLogPanel(Follower):
    """Every tool call of the session."""

    WANTS_CHAT = True

    def __init__(self) -> None:
        super().__init__(id="log")
        self._calls: dict[str, ev.ToolEntry] = {}
        self._open: set[str] = set()

    def compose(self) -> ComposeResult:
        """Title and list."""
        yield PanelTitle(
            lambda: _("工具日志"),
            lambda: ngettext("{n} 次", "{n} 次", len(self._calls)).format(n=len(self._calls)),
        )
        yield Static(id="log-empty")
        yield RowList("calls")

    def on_mount(self) -> None:
        """Begin empty."""
        self._draw()

    async def take(self, event: ev.Event) -> None:
        """Show what an event tells."""
        match event:
            case ev.Snapshot() | ev.ChatCleared():
                self._calls = {entry.call_id: entry for entry in event.tools}
                self._open.clear()
            case ev.ToolChanged():
                self._calls[event.entry.call_id] = event.entry
                if event.entry.state is ev.ToolState.FAILED:
                    self._open.add(event.entry.call_id)
            case _:
                return
        self._draw()

    def reveal(self, call_id: str) -> None:
        """Open a call and bring it into view."""
        if call_id in self._calls:
            self._open.add(call_id)
            self._draw()
            rows = self.query_one(RowList)
            rows.move_to(call_id, top=True)

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """Open or close a call."""
        event.stop()
        self._open ^= {event.key}
        self._draw()

    def _draw(self) -> None:
        empty = self.query_one("#log-empty", Static)
        empty.display = not self._calls
        empty.update(Content(_("模型查资料、写记忆时，每次调用在这里留下一行。")))
        rows = self.query_one(RowList)
        rows.display = bool(self._calls)
        rows.show(
            [CallRow(entry, opened=entry.call_id in self._open) for entry in reversed(self._calls.values())]
        )
        self.query_one(PanelTitle).refresh()
