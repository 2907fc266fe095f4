"""Tables of data, as spreadsheets hold them: rows that can be understood on their own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from geekagent_tui.rag import limits
from geekagent_tui.rag.extract.writer import Writer, cell_text
from geekagent_tui.rag.failures import too_much_text

_SMALL = 700
"""A table of at most so many characters fits a passage, header and all."""
_FIRST = 200  # rows looked at before it is known whether the table is small
_NUMBER = re.compile(r"[-+]?[\d.,:/%\s]+\Z")


def write_data(writer: Writer, rows: Iterable[Sequence[str]]) -> None:
    """Add a table of data; one of a single column becomes lines.

    A small one becomes Markdown rows. In a longer one with a header each row becomes one list item, with
    the columns' names: a passage shows a few rows only, and nobody can read these without their names.
    """
    filled = _filled(rows)
    first = list(islice(filled, _FIRST))
    if not first:
        return
    named = _is_header(first)
    if max(map(len, first)) == 1:
        for row in chain(first, filled):
            writer.block(" ".join(row), tight=True)
    elif len(first) < _FIRST and sum(len(cell) + 3 for row in first for cell in row) <= _SMALL:
        writer.rows(first, head=named)
    elif named:
        writer.end_list()
        for row in chain(first[1:], filled):
            writer.item(_record(first[0], row))
        writer.end_list()
    else:
        writer.rows(chain(first, filled), head=False)


def _filled(rows: Iterable[Sequence[str]]) -> Iterator[list[str]]:
    """The rows that hold anything; a file may name one long text a million times, so they are counted first.

    Raises:
        TooLargeError: Their text alone is more than a document may have.
    """
    size = 0
    most = limits.max_characters()
    for row in rows:
        size += sum(map(len, row))
        if size > most:
            raise too_much_text(size, most)
        if cells := _trimmed(row):
            yield cells


def _trimmed(row: Sequence[str]) -> list[str]:
    """The cells of a row, without empty ones at its end."""
    cells = [cell_text(cell) for cell in row]
    while cells and not cells[-1]:
        cells.pop()
    return cells


def _is_header(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names the columns: all of them, differently, and not with numbers."""
    first = rows[0]
    width = max(map(len, rows[1:]), default=0)
    return (
        1 < len(first) >= width > 0
        and all(first)
        and len(set(first)) == len(first)
        and not any(_NUMBER.match(cell) for cell in first)
    )


def _record(names: Sequence[str], row: Sequence[str]) -> str:
    return "; ".join(_pairs(names, row))


def _pairs(names: Sequence[str], row: Sequence[str]) -> Iterator[str]:
    for number, cell in enumerate(row):
        if cell:
            yield f"{names[number]}: {cell}" if number < len(names) else cell
