"""A table of an answer, drawn so that no cell is lost: long cells wrap; too narrow, it becomes a list.

Textual's own grid gives a column no cells at all when its neighbour is long (8.2.8).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain

from textual.app import ComposeResult
from textual.content import Content
from textual.geometry import Size
from textual.widgets import Markdown
from textual.widgets._markdown import MarkdownBlock, MarkdownTable, MarkdownTableCellContents

Row = Sequence[Content]

_LEAST = 4
"""Cells a column has at least, where its text is as long."""
_BAR = " │ "
_WORD = re.compile(r"[^\s\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef]+")
"""What is better not broken; Chinese, Japanese and Korean text breaks anywhere."""


def widths(columns: Sequence[Row], room: int) -> list[int]:
    """Cells for each column.

    Args:
        columns: The cells of each column, headers included.
        room: Cells for all columns together, without what is between them.

    Returns:
        Widths whose sum is at most `room`; empty when that is too little for columns.
    """
    wanted = [max((cell.cell_length for cell in column), default=0) for column in columns]
    if sum(wanted) <= room:
        return wanted
    share = room // len(columns)
    if share < _LEAST:
        return []
    shown = [
        min(width, max(_LEAST, min(_longest_word(column), share)))
        for width, column in zip(wanted, columns, strict=True)
    ]
    for _cell in range(room - sum(shown)):
        growing = [place for place, width in enumerate(shown) if width < wanted[place]]
        shown[min(growing, key=shown.__getitem__)] += 1
    return shown


def draw(headers: Row, rows: Sequence[Row], width: int) -> list[Content]:
    """The lines of a table of at most `width` cells."""
    size = max(map(len, [headers, *rows]))
    if not size or width < 1:
        return []
    table = [[*row, *[Content("")] * (size - len(row))] for row in [headers, *rows]]
    columns = widths(list(zip(*table, strict=True)), width - len(_BAR) * (size - 1))
    head, *body = table
    if not columns:
        return list(chain.from_iterable(_record(head, row, width) for row in body or [head]))
    rule = Content.styled("─┼─".join("─" * column for column in columns), "$faint")
    drawn = [_row(row, columns) for row in body]
    apart = any(len(lines) > 1 for lines in drawn)
    lines = [*_row([cell.stylize("bold $knowledge") for cell in head], columns), rule]
    for place, row in enumerate(drawn):
        if place and apart:
            lines.append(rule)
        lines += row
    return lines


class TableText(MarkdownTableCellContents):
    """The drawn table: one widget, whose text can be selected and whose links are followed."""

    def __init__(self, headers: Row, rows: Sequence[Row]) -> None:
        super().__init__()
        self._headers, self._rows = headers, rows

    def show(self, headers: Row, rows: Sequence[Row]) -> None:
        """There are more rows now."""
        self._headers, self._rows = headers, rows
        self.refresh(layout=True)

    def render(self) -> Content:
        """As many columns as there is room for."""
        return Content("\n").join(draw(self._headers, self._rows, self.content_size.width))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Lines at this width."""
        return len(draw(self._headers, self._rows, width))


class Table(MarkdownTable):
    """A Markdown table that is drawn by `TableText`."""

    def compose(self) -> ComposeResult:
        """One widget for all of it."""
        yield TableText(*self._get_headers_and_rows())

    async def _update_from_block(self, block: MarkdownBlock) -> None:
        if isinstance(block, Table):
            self.query_one(TableText).show(*block._get_headers_and_rows())
        else:
            await super()._update_from_block(block)


class TabledMarkdown(Markdown):
    """Markdown with our tables."""

    BLOCKS = {**Markdown.BLOCKS, "table_open": Table}  # noqa: RUF012  # as Textual declares it


def _longest_word(column: Row) -> int:
    words = chain.from_iterable(_WORD.findall(cell.plain) for cell in column)
    return max((Content(word).cell_length for word in words), default=0)


def _row(row: Row, columns: Sequence[int]) -> list[Content]:
    cells = [cell.wrap(max(1, width)) for cell, width in zip(row, columns, strict=True)]
    bar = Content.styled(_BAR, "$faint")
    return [
        bar.join(
            _padded(cell[line] if line < len(cell) else Content(""), width)
            for cell, width in zip(cells, columns, strict=True)
        )
        for line in range(max(map(len, cells)))
    ]


def _padded(line: Content, width: int) -> Content:
    line = line.rstrip()
    return line.pad_right(max(0, width - line.cell_length))


def _record(headers: Row, row: Row, width: int) -> list[Content]:
    """A row as a list of its cells, each with its header."""
    lines: list[Content] = []
    for header, cell in zip(headers, row, strict=True):
        lines += Content.assemble(header.stylize("bold $knowledge"), " ", cell).wrap(width)
    return [*lines, Content.styled("─" * min(width, 12), "$faint")]
