"""Workbooks: one section a sheet, values as they are shown (ECMA-376, part 1, §18)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain

from geekagent_tui.rag.extract.package import (
    Package,
    attribute,
    child,
    descendants,
    local,
    stream_xml,
)
from geekagent_tui.rag.extract.tables import write_data
from geekagent_tui.rag.extract.tree import Element
from geekagent_tui.rag.extract.writer import Writer
from geekagent_tui.rag.failures import damaged

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_STRICT = "{http://purl.oclc.org/ooxml/spreadsheetml/main}"
_MOST_COLUMNS = 1_000
_DATES = frozenset({*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)})  # §18.8.30
_IN_QUOTES = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.|_.')
_DATE_SIGNS = re.compile(r"[ymdhs]", re.IGNORECASE)
_LONGEST_INDEX = 9  # digits
_LAST_DAY = 2_958_465  # 9999-12-31


@dataclass(frozen=True, slots=True)
class _Book:
    """What cells refer to: shared texts, which formats show dates, and the day that counts as 0."""

    strings: list[str]
    dates: list[bool]
    zero: datetime


def extract_xlsx(package: Package, main: str) -> str:
    """The text of all visible sheets, each under its name.

    Raises:
        SourceError: Damaged.
    """
    root = package.xml(main)
    if root is None:
        raise damaged("XLSX")
    relations = package.relations(main)
    book = _read_book(package, root, [*relations.values()])
    out = Writer()
    for sheet in descendants(root, "sheet"):
        ids = [value for key, value in sheet.items() if key.endswith("}id")]
        kind, name = relations.get(ids[0] if ids else "", ("", ""))
        if kind != "worksheet" or attribute(sheet, "state") in {"hidden", "veryHidden"}:
            continue
        rows = _rows(package.read(name), book)
        first = next(rows, None)
        if first is not None:
            out.heading(2, attribute(sheet, "name"))
            write_data(out, chain((first,), rows))
    return out.text()


def _rows(data: bytes, book: _Book) -> Iterator[list[str]]:
    """The rows that hold anything, cells in their columns."""
    namespace = _STRICT if _STRICT[1:-1].encode() in data[:4096] else _MAIN
    for row in stream_xml(data, f"{namespace}row", "XLSX") if data else ():
        cells: list[str] = []
        for cell in row:
            if local(cell) != "c":
                continue
            column = _column(attribute(cell, "r"), len(cells))
            if column >= _MOST_COLUMNS:
                break
            cells.extend([""] * (column - len(cells)))
            cells.append(_value(cell, book))
        if any(cells):
            yield cells


def _column(reference: str, default: int) -> int:
    """`C7` → 2; the next column when a cell does not say."""
    number = 0
    for letter in reference.rstrip("0123456789")[:4]:
        if not "A" <= letter <= "Z":
            return default
        number = number * 26 + ord(letter) - 64
    return max(number - 1, default) if number else default


def _value(cell: Element, book: _Book) -> str:
    kind = attribute(cell, "t")
    if kind == "inlineStr":
        return _shown(cell)
    value = child(cell, "v")
    text = (value.text or "").strip() if value is not None else ""
    if kind == "s":
        index = _index(text)
        return book.strings[index] if 0 <= index < len(book.strings) else ""
    if kind == "b":
        return {"1": "TRUE", "0": "FALSE"}.get(text, text)
    if kind in {"", "n"} and text:
        style = _index(attribute(cell, "s"))
        is_date = 0 <= style < len(book.dates) and book.dates[style]
        return _number(text, book.zero if is_date else None)
    return text


def _index(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < _LONGEST_INDEX else -1


def _number(text: str, zero: datetime | None) -> str:
    """A number without the noise of binary fractions, or the date that it stands for."""
    try:
        number = float(text)
    except ValueError:
        return text
    if zero is None or not 0 <= number <= _LAST_DAY:
        return text if len(text) < 16 else f"{number:.15g}"
    moment = zero + timedelta(seconds=round(number * 86_400))
    if number < 1:
        return f"{moment:%H:%M:%S}"
    shown = f"{moment:%Y-%m-%d %H:%M:%S}".removesuffix(" 00:00:00")
    return shown.removesuffix(":00") if " " in shown else shown


def _read_book(package: Package, root: Element, relations: list[tuple[str, str]]) -> _Book:
    strings: list[str] = []
    dates: list[bool] = []
    for kind, name in relations:
        if kind == "sharedStrings":
            strings = _strings(package.xml(name))
        elif kind == "styles":
            dates = _dates(package.xml(name))
    properties = child(root, "workbookPr")
    from_1904 = properties is not None and attribute(properties, "date1904") in {"1", "true"}
    # Day 60 is a 29 February 1900 that never was, so later days count from 30 December 1899
    return _Book(strings, dates, datetime(1904, 1, 1) if from_1904 else datetime(1899, 12, 30))


def _strings(root: Element | None) -> list[str]:
    return [_shown(each) for each in descendants(root, "si")]


def _shown(element: Element) -> str:
    """All text of a cell but its phonetic guide."""
    return "".join(
        text.text or ""
        for each in element.iter()
        if local(each) in {"si", "is", "r"}
        for text in each
        if local(text) == "t"
    )


def _dates(root: Element | None) -> list[bool]:
    """For each cell format whether it shows a date or a time."""
    own: dict[str, bool] = {}
    for form in descendants(root, "numFmt"):
        code = _IN_QUOTES.sub("", attribute(form, "formatCode"))
        own[attribute(form, "numFmtId")] = _DATE_SIGNS.search(code) is not None
    shown: list[bool] = []
    formats = child(root, "cellXfs")
    for form in () if formats is None else formats:
        number = attribute(form, "numFmtId")
        shown.append(own.get(number, _index(number) in _DATES))
    return shown
