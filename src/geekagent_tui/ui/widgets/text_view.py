"""A document's text: wrapped once, drawn only where one looks, with passages and words marked in it."""

from __future__ import annotations

import asyncio
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.style import Style
from textual.visual import Visual

from geekagent_tui.ui.wrapping import wrap_spans

_GUTTER = 2
_MEASURE = 96
"""Cells of a line at most; longer ones are hard to read."""

Range = tuple[int, int]
"""Characters of the text: from the first one to just behind the last one."""


class TextView(ScrollView, can_focus=True):
    """The text, scrollable and selectable."""

    ALLOW_SELECT = True
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "text-view--marked",
        "text-view--bar",
        "text-view--cited",
        "text-view--found",
        "text-view--here",
    }
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll_up", "", id="chat.up", show=False),
        Binding("down,j", "scroll_down", "", id="chat.down", show=False),
    ]

    def __init__(self) -> None:
        super().__init__(id="text")
        self._text = ""
        self._spans: list[Range] = []
        self._width = 0
        self._mark: Range | None = None
        self._cited: list[Range] = []
        self._found: Sequence[Range] = ()
        self._here: int | None = None

    async def load(self, text: str) -> None:
        """Show a text, with nothing marked."""
        self._text = text
        self._mark, self._cited, self._found, self._here = None, [], (), None
        await self._wrap()

    def mark(self, start: int, end: int) -> None:
        """Mark a passage, and bring its beginning into view."""
        self._mark = start, end
        self._to(start)

    def cite(self, ranges: Sequence[Range]) -> None:
        """Tell apart the passages that answers cite."""
        self._cited = sorted(ranges)
        self.refresh()

    def found(self, ranges: Sequence[Range], here: int | None) -> None:
        """Light up what was found, the one at `here` most of all, and bring that into view.

        Args:
            ranges: In order, none over another.
            here: An index among them; None for none.
        """
        self._found, self._here = ranges, here
        if here is not None:
            self._to(ranges[here][0])
        self.refresh()

    def _to(self, place: int) -> None:
        line = max(0, bisect_right(self._spans, (place, len(self._text))) - 1)
        self.scroll_to(y=max(0, line - 2), animate=False)
        self.refresh()

    def on_resize(self) -> None:
        """Wrap anew at another width."""
        if self._text and self._line_width() != self._width:
            self.run_worker(self._wrap(), group="wrap", exclusive=True)

    def _line_width(self) -> int:
        return max(8, min(_MEASURE, self.scrollable_content_region.width - _GUTTER))

    async def _wrap(self) -> None:
        self._width = self._line_width()
        self._spans = await asyncio.to_thread(wrap_spans, self._text, self._width)
        self.virtual_size = Size(self._width + _GUTTER, len(self._spans))
        if self._mark is not None:
            self._to(self._mark[0])
        self.refresh()

    # --- drawing ------------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """Draw one line of the screen."""
        line = y + self.scroll_offset.y
        width = self.scrollable_content_region.width
        base = self.get_visual_style()
        if line >= len(self._spans):
            return Strip.blank(width, base.rich_style)
        start, end = self._spans[line]
        marked = self._mark is not None and start < self._mark[1] and end > self._mark[0]
        content = self._line(start, end)
        if (selection := self.text_selection) and (span := selection.get_span(line)):
            style = Style.from_styles(self.screen.get_component_styles("screen--selection"))
            content = content.stylize(style, span[0], None if span[1] == -1 else span[1])
        style = self.get_visual_style("text-view--marked") if marked else base
        strip = Visual.to_strips(self, content, self._width, 1, style, apply_selection=False, pad=True)[0]
        body = strip.crop_extend(0, self._width, style.rich_style).apply_offsets(0, line)
        gutter = self._gutter(start, end, marked=marked)
        return Strip.join([gutter, body]).crop_extend(0, width, base.rich_style)

    def _gutter(self, start: int, end: int, *, marked: bool) -> Strip:
        """The passage one is at has a bar, one that is cited a sign on its first line and a thin bar."""
        name, sign = "", "  "
        behind = max(end, start + 1)
        if place := bisect_left(self._cited, (behind, 0)):
            first, last = self._cited[place - 1]
            if start < last:
                name, sign = "text-view--cited", "❝ " if start <= first else "│ "
        if marked:
            name, sign = "text-view--cited" if name else "text-view--bar", "▌ "
        style = self.get_visual_style(name) if name else self.get_visual_style()
        return Visual.to_strips(self, Content(sign), _GUTTER, 1, style, pad=True)[0]

    def _line(self, start: int, end: int) -> Content:
        text = self._text[start:end]
        heading = text.startswith("#") and (start == 0 or self._text[start - 1] == "\n")
        content = Content.styled(text.expandtabs(4), "bold") if heading else Content(text.expandtabs(4))
        # What was found may begin on the line before, but none over another: so one back is enough.
        place = max(0, bisect_left(self._found, (start, start)) - 1)
        while place < len(self._found) and self._found[place][0] < end:
            first, last = (max(0, edge - start) for edge in self._found[place])
            if last > 0:
                columns = len(text[:first].expandtabs(4)), len(text[:last].expandtabs(4))
                name = "text-view--here" if place == self._here else "text-view--found"
                content = content.stylize(self.get_visual_style(name), *columns)
            place += 1
        return content

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The text that is selected."""
        return selection.extract("\n".join(self._text[start:end] for start, end in self._spans)), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Draw the selection."""
        self.refresh()
