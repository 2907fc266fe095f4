"""A list of rows that only draws what is on screen, however long it is.

Text in rows is `Content`, so nothing in it is ever read as markup. Rows can be selected with the mouse and
copied like other text.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.style import Style
from textual.visual import Visual


class Row(ABC):
    """One row: a line, or a few.

    Args:
        key: Names it among the rows; None for one that the cursor passes by.

    Attributes:
        lit: How many of its lines the cursor lights up.
        box: How many of its first cells are a box to tick: a click there marks it and does not open it.
    """

    lit: int = 99
    box: int = 0

    def __init__(self, key: str | None) -> None:
        self.key = key

    def height(self, width: int) -> int:
        """How many lines it takes at a width in cells."""
        return 1

    @abstractmethod
    def lines(self, width: int) -> Sequence[Content]:
        """Its `height(width)` lines."""


class Laid:
    """Rows with their places at a width, worked out ahead, as for thousands: in any thread.

    Attributes:
        tops: On which line each row begins, and the line behind the last one.
        places: The index of each key.
    """

    def __init__(self, rows: Sequence[Row], width: int) -> None:
        self.rows = rows
        self.width = width
        self.tops = [0, *accumulate(row.height(width) for row in rows)]
        self.places = {row.key: index for index, row in enumerate(rows) if row.key is not None}


class RowList(ScrollView, can_focus=True):
    """Rows, a cursor, and messages about it.

    Args:
        name: Its id.
    """

    ALLOW_SELECT = True
    COMPONENT_CLASSES: ClassVar[set[str]] = {"row--cursor", "row--cursor-blurred", "row--hover"}
    DEFAULT_CSS = """
    RowList {
        width: 1fr;
        height: 1fr;
        scrollbar-size: 0 1;
        scrollbar-gutter: stable;
        overflow-x: hidden;
        & > .row--cursor { background: $block-cursor-background; color: $block-cursor-foreground; }
        & > .row--cursor-blurred { background: transparent; }
        & > .row--hover { background: $block-hover-background; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "cursor(-1)", "", id="list.up", show=False),
        Binding("down", "cursor(1)", "", id="list.down", show=False),
        Binding("pageup", "page(-1)", "", show=False, id="list.page-up"),
        Binding("pagedown", "page(1)", "", show=False, id="list.page-down"),
        Binding("home", "edge(-1)", "", show=False, id="list.first"),
        Binding("end", "edge(1)", "", show=False, id="list.last"),
        Binding("enter", "choose", "", id="list.choose"),
    ]

    class Moved(Message):
        """The cursor is on another row."""

        def __init__(self, rows: RowList, key: str) -> None:
            super().__init__()
            self.rows = rows
            self.key = key

        @property
        def control(self) -> RowList:
            """The list."""
            return self.rows

    class Chosen(Moved):
        """The user opens a row: Enter, or a click."""

    class Marked(Moved):
        """The user marks a row, or unmarks it: a click on its box, or with Ctrl held."""

    def __init__(self, name: str) -> None:
        super().__init__(id=name)
        self._laid = Laid((), 0)
        self._cursor: int | None = None
        self._hover: int | None = None
        self._moved = False

    @property
    def cursor(self) -> str | None:
        """The key of the row under the cursor."""
        return None if self._cursor is None else self._rows[self._cursor].key

    @property
    def at_top(self) -> bool:
        """Whether no row above the cursor can have it."""
        return self._cursor is None or self._cursor == self._nearest(0)

    @property
    def at_bottom(self) -> bool:
        """Whether no row below the cursor can have it."""
        return self._cursor is None or self._cursor == self._nearest(len(self._rows) - 1)

    @property
    def row_width(self) -> int:
        """How wide rows are at present, in cells."""
        return self.scrollable_content_region.width or self.size.width

    def show(self, rows: Sequence[Row] | Laid) -> None:
        """Show other rows; a cursor that was moved stays on its key, else near its place."""
        key, place = self.cursor, self._cursor or 0
        laid = rows if isinstance(rows, Laid) else Laid(rows, self.row_width)
        self._laid = laid if laid.width == self.row_width else Laid(laid.rows, self.row_width)
        self._hover = None
        if not self._moved:
            self._cursor = self._nearest(0)
        elif key in laid.places:
            self._cursor = laid.places[key]
        else:
            self._cursor = self._nearest(min(place, len(laid.rows) - 1))
        self._measured()

    def move_to(self, key: str, *, top: bool = False) -> None:
        """Put the cursor on a row and bring it into view."""
        if (index := self._laid.places.get(key)) is not None:
            self._put(index, top=top)

    @property
    def _rows(self) -> Sequence[Row]:
        return self._laid.rows

    @property
    def _tops(self) -> list[int]:
        return self._laid.tops

    @property
    def _width(self) -> int:
        return self._laid.width

    def _nearest(self, place: int) -> int | None:
        """The row nearest to a place that can have the cursor."""
        for distance in range(len(self._rows)):
            for index in (place - distance, place + distance):
                if 0 <= index < len(self._rows) and self._rows[index].key is not None:
                    return index
        return None

    def _measured(self) -> None:
        self.virtual_size = Size(self._width, self._tops[-1])
        self.refresh(layout=self.styles.is_auto_height)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The height of all rows, for a list that is as high as its rows."""
        return sum(row.height(width) for row in self._rows)

    def on_resize(self) -> None:
        """Rows may need more or fewer lines at another width."""
        if self.row_width != self._width:
            self._laid = Laid(self._rows, self.row_width)
            self._measured()

    # --- drawing ------------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """Draw one line of the screen."""
        line = y + self.scroll_offset.y
        width = self.scrollable_content_region.width
        index = bisect_right(self._tops, line) - 1
        if not 0 <= index < len(self._rows):
            return Strip.blank(width, self.get_visual_style().rich_style)
        lines = self._rows[index].lines(self._width)
        offset = line - self._tops[index]
        content = lines[offset] if offset < len(lines) else Content("")
        style = self._style(index) if offset < self._rows[index].lit else self.get_visual_style()
        if (selection := self.text_selection) and (span := selection.get_span(line)):
            start, end = span
            mark = Style.from_styles(self.screen.get_component_styles("screen--selection"))
            content = content.stylize(mark, start, None if end == -1 else end)
        strips = Visual.to_strips(self, content, max(1, width), 1, style, apply_selection=False, pad=True)
        strip = strips[0] if strips else Strip.blank(width, style.rich_style)
        return strip.crop_extend(0, width, style.rich_style).apply_offsets(0, line)

    def _style(self, index: int) -> Style:
        if index == self._cursor:
            return self.get_visual_style("row--cursor" if self.has_focus else "row--cursor-blurred")
        return self.get_visual_style("row--hover") if index == self._hover else self.get_visual_style()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The text that is selected."""
        lines = [line.plain.rstrip() for row in self._rows for line in row.lines(self._width)]
        return selection.extract("\n".join(lines)), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Draw the selection."""
        self.refresh()

    # --- moving -------------------------------------------------------------------------------------------

    def action_cursor(self, step: int) -> None:
        """Move to the next row that can have the cursor; scroll when there is none."""
        index = -1 if self._cursor is None else self._cursor + step
        while 0 <= index < len(self._rows) and self._rows[index].key is None:
            index += step
        if 0 <= index < len(self._rows):
            self._put(index)
        else:
            self.scroll_relative(y=step, animate=False)

    def action_page(self, step: int) -> None:
        """Move by a screenful."""
        if self._cursor is None:
            self.scroll_relative(y=step * self.size.height, animate=False)
            return
        line = self._tops[self._cursor] + step * max(1, self.size.height - 1)
        line = min(max(0, line), max(0, self._tops[-1] - 1))
        self._put(self._nearest(bisect_right(self._tops, line) - 1))

    def action_edge(self, step: int) -> None:
        """Move to the first or the last row."""
        self._put(self._nearest(0 if step < 0 else len(self._rows) - 1))
        if step < 0:
            self.scroll_home(animate=False)

    def action_choose(self) -> None:
        """Open the row under the cursor."""
        if (key := self.cursor) is not None:
            self.post_message(self.Chosen(self, key))

    def action_mark(self) -> None:
        """Mark the row under the cursor, or unmark it."""
        if (key := self.cursor) is not None:
            self.post_message(self.Marked(self, key))

    def _put(self, index: int | None, *, top: bool = False) -> None:
        if index is None:
            return
        self._moved = True
        moved = index != self._cursor
        self._cursor = index
        height = self._tops[index + 1] - self._tops[index]
        region = Region(0, self._tops[index], self._width, min(height, max(1, self.size.height)))
        self.scroll_to_region(region, animate=False, top=top, force=True)
        self.refresh()
        if moved and (key := self._rows[index].key) is not None:
            self.post_message(self.Moved(self, key))

    # --- mouse --------------------------------------------------------------------------------------------

    def _at(self, event: events.MouseEvent) -> int | None:
        offset = event.get_content_offset(self)
        if offset is None:
            return None
        index = bisect_right(self._tops, offset.y + self.scroll_offset.y) - 1
        return index if 0 <= index < len(self._rows) else None

    def on_click(self, event: events.Click) -> None:
        """Open the row under the mouse."""
        index = self._at(event)
        if index is not None and self._rows[index].key is not None:
            self._put(index)
            offset = event.get_content_offset(self)
            if event.ctrl or (offset is not None and offset.x < self._rows[index].box):
                self.action_mark()
            else:
                self.action_choose()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Light up the row under the mouse."""
        index = self._at(event)
        index = None if index is None or self._rows[index].key is None else index
        if index != self._hover:
            self._hover = index
            self.refresh()

    def on_leave(self) -> None:
        """Put the light out."""
        self._hover = None
        self.refresh()
