"""The tables of AsciiDoc: cells that begin with `|`, or comma-separated values."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence

# What may stand before the sign: spans, repetition, alignment, style
_CELL = re.compile(
    r"(?<!\\)(?:(?:^|(?<=\s))(?:\d{0,2}(?:\.\d{1,2})?[+*])?[<^>]?(?:\.[<^>])?[a-z]?)?\|", re.MULTILINE
)
_COLUMNS = re.compile(r"cols\s*=\s*(?:\"([^\"]*)\"|([^,\]]*))")
_TIMES = re.compile(r"(\d{1,3})\*")
_MOST_COLUMNS = 200


def table_rows(lines: Sequence[str], attributes: str, sign: str) -> tuple[list[list[str]], bool]:
    """The rows, and whether the first one is the table's head.

    Args:
        lines: What stands between the delimiters.
        attributes: What stood in brackets above.
        sign: The first character of the delimiter: `|`, `,`, `:` or `!` (a table in a cell).
    """
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    head = "header" in attributes or (len(lines) > first + 1 and not lines[first + 1].strip() and first == 0)
    if sign in ",:" or "format=" in attributes:
        try:
            return [row for row in csv.reader(lines, delimiter=":" if sign == ":" else ",") if row], head
        except csv.Error:
            return [[line] for line in lines], False
    text = "\n".join(lines).replace("!", "|") if sign == "!" else "\n".join(lines)
    cells = [" ".join(cell.split()).replace("\\|", "|") for cell in _CELL.split(text)[1:]]
    width = _width(attributes) or len(_CELL.split(lines[first])) - 1 if lines else 0
    if not 0 < width <= _MOST_COLUMNS:
        width = 1
    return [cells[start : start + width] for start in range(0, len(cells), width)], head


def _width(attributes: str) -> int:
    """How many columns `cols="1,2*,3"` announces; 0 when it is absent."""
    match = _COLUMNS.search(attributes)
    if match is None:
        return 0
    listed = (match.group(1) or match.group(2) or "").split(",")
    times = (_TIMES.match(column.strip()) for column in listed)
    return sum(int(each.group(1)) if each else 1 for each in times)
