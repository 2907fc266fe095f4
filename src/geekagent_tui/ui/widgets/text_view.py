"""A document's text: wrapped once, drawn only where one looks, with one passage marked."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
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


class TextView(ScrollView, can_focus=True):
    """The text, scrollable and selectable."""

    ALLOW_SELECT = True
    COMPONENT_CLASSES: ClassVar[set[str]] = {"text-view--marked", "text-view--bar"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll_up", "", id="chat.up", show=False),
        Binding("down,j", "scroll_down", "", id="chat.down", show=False),
    ]

    def __init__(self) -> None:
        super().__init__(id="text")
        self._text = ""
        self._spans: list[tuple[int, int]] = []
        self._width = 0
        self._mark: tuple[int, int] | None = None

    async def load(self, text: str) -> None:
        """Show a text."""
        self._text = text
        await self._wrap()

    async def mark(self, start: int, end: int) -> None:
        """Mark a passage, and bring its beginning into view."""
        self._mark = start, end
        self._to_mark()
        self.refresh()

    def _to_mark(self) -> None:
        if self._mark is not None:
            line = max(0, bisect_right(self._spans, (self._mark[0], len(self._text))) - 1)
            self.scroll_to(y=max(0, line - 2), animate=False)

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
        self._to_mark()
        self.refresh()

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
        bar = self.get_visual_style("text-view--bar") if marked else base
        gutter = Visual.to_strips(self, Content("▌ " if marked else "  "), _GUTTER, 1, bar, pad=True)[0]
        body = strip.crop_extend(0, self._width, style.rich_style).apply_offsets(0, line)
        return Strip.join([gutter, body]).crop_extend(0, width, base.rich_style)

    def _line(self, start: int, end: int) -> Content:
        text = self._text[start:end].expandtabs(4)
        if text.startswith("#") and (start == 0 or self._text[start - 1] == "\n"):
            return Content.styled(text, "bold")
        return Content(text)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The text that is selected."""
        return selection.extract("\n".join(self._text[start:end] for start, end in self._spans)), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Draw the selection."""
        self.refresh()
