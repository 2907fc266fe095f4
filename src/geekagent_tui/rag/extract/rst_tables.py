"""The tables of reStructuredText: drawn with lines, or with columns of `=`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_GRID_RULE = re.compile(r"\+(?:[-=]+\+)+\Z")
_SIMPLE_RULE = re.compile(r"=+(?: +=+)+\Z")
_SPAN_RULE = re.compile(r"[- ]+\Z")


def is_grid_rule(line: str) -> bool:
    """Whether a line draws the border of a table: `+---+---+`."""
    return _GRID_RULE.match(line) is not None


def is_simple_rule(line: str) -> bool:
    """Whether a line is the border of a simple table: `===  ===`."""
    return _SIMPLE_RULE.match(line) is not None


def grid_rows(lines: Sequence[str]) -> tuple[list[list[str]], bool]:
    """The rows of a drawn table, and whether the first one is its head."""
    rows: list[list[str]] = []
    cells: list[list[str]] = []
    head = False
    for line in lines:
        line = line.rstrip()
        if line.startswith("+"):
            if cells:
                rows.append([" ".join(filter(None, cell)) for cell in cells])
                cells = []
            head = head or (len(rows) == 1 and "=" in line)
        else:
            parts = [part.strip() for part in re.split(r"(?<!\\)\|", line.strip("|"))]
            cells.extend([] for _ in range(len(parts) - len(cells)))
            for cell, part in zip(cells, parts, strict=False):
                cell.append(part)
    return rows, head


def simple_rows(lines: Sequence[str]) -> tuple[list[list[str]], bool, int]:
    """The rows of a simple table, whether the first one is its head, and how many lines the table has.

    No rows when its end is missing.
    """
    rules = [0]
    starts = _columns(lines[0])
    for number, line in enumerate(lines[1:], start=1):
        if is_simple_rule(line.rstrip()) and _columns(line) == starts:
            rules.append(number)
            if number + 1 >= len(lines) or not lines[number + 1].strip():
                break
    if len(rules) < 2:
        return [], False, 0
    rows: list[list[str]] = []
    for line in lines[1 : rules[-1]]:
        if not line.strip() or is_simple_rule(line.rstrip()) or _SPAN_RULE.match(line):
            continue
        cells = _cut(line, starts)
        if cells[0] or not rows:
            rows.append(cells)
        else:  # an empty first cell continues the row before
            rows[-1] = [f"{old} {new}".strip() for old, new in zip(rows[-1], cells, strict=True)]
    return rows, len(rules) > 2, rules[-1] + 1


def _columns(rule: str) -> list[int]:
    return [match.start() for match in re.finditer("=+", rule)]


def _cut(line: str, starts: Sequence[int]) -> list[str]:
    """A line's cells; columns are places on the screen, where a Chinese character takes two."""
    if not line.isascii():
        wide = [unicodedata.east_asian_width(character) in "WF" for character in line]
        line = "".join(f"{char}\x00" if is_wide else char for char, is_wide in zip(line, wide, strict=True))
    ends = [*starts[1:], len(line)]
    return [
        line[start:end].replace("\x00", "").strip()
        for start, end in zip(starts, [*ends[:-1], max(len(line), ends[-1])], strict=True)
    ]
