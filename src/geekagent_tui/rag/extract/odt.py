"""OpenDocument texts: headings, lists, tables, code, notes (OASIS OpenDocument 1.3, part 3)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from geekagent_tui.rag.extract.package import (
    Package,
    attribute,
    child,
    descendants,
    encrypted,
    first_text,
    local,
)
from geekagent_tui.rag.extract.tree import Element
from geekagent_tui.rag.extract.writer import Writer
from geekagent_tui.rag.failures import damaged

_CODE = re.compile(r"preformatted|code|代码|源码", re.IGNORECASE)
_SKIPPED = frozenset(
    {"tracked-changes", "table-of-content", "alphabetical-index", "annotation", "sequence-decls", "forms"}
)
_ROW_GROUPS = frozenset({"table-header-rows", "table-rows", "table-row-group"})
_MOST_SPACES = 100
_MOST_REPEATED = 100


def extract_odt(data: bytes) -> tuple[str, str]:
    """Title (metadata, else the first heading, else empty) and text.

    Raises:
        SourceError: Damaged, or locked with a password.
    """
    with Package(data, "ODT") as package:
        manifest = package.xml("META-INF/manifest.xml")
        if any(True for _ in descendants(manifest, "encryption-data")):
            raise encrypted("ODT")
        root = package.xml("content.xml")
        meta = package.xml("meta.xml")
    body = child(root, "body", "text")
    if body is None:
        raise damaged("ODT")
    writer = _OdtWriter(root)
    writer.flow(body)
    writer.finish()
    return first_text(meta, "title") or writer.first_heading, writer.out.text()


def _boxes(parent: Element) -> Iterator[Element]:
    """The text boxes that hang on a paragraph, but not those in them."""
    for each in parent:
        if local(each) == "text-box":
            yield each
        else:
            yield from _boxes(each)


def _rows(table: Element) -> Iterator[Element]:
    """A table's own rows, not those of tables in its cells."""
    for each in table:
        if local(each) == "table-row":
            yield each
        elif local(each) in _ROW_GROUPS:
            yield from _rows(each)


class _OdtWriter:
    """Walks a body and writes blocks; paragraphs of code are collected until other text comes."""

    def __init__(self, root: Element | None) -> None:
        self.out = Writer()
        self.first_heading = ""
        self._code: list[str] = []
        self._notes: list[str] = []
        # A paragraph formatted by hand has a style of its own that stands on the named one
        self._parents = {
            attribute(style, "name"): attribute(style, "parent-style-name")
            for style in descendants(root, "style")
        }
        self._ordered = {
            attribute(style, "name")
            for style in descendants(root, "list-style")
            if any(local(level) == "list-level-style-number" for level in style)
        }

    def flow(self, parent: Element) -> None:
        """Write all blocks below an element."""
        for element in parent:
            name = local(element)
            if name in {"h", "p"}:
                self._paragraph(element, name)
            elif name == "list":
                self._end_code()
                self._list(element, 0, ordered=False)
                self.out.end_list()
            elif name == "table":
                self._end_code()
                self.out.rows(self._row(row) for row in _rows(element))
            elif name not in _SKIPPED:
                self.flow(element)

    def finish(self) -> None:
        """Write what is still held, the notes last."""
        self._end_code()
        for note in self._notes:
            self.out.paragraph(note)

    def _paragraph(self, element: Element, name: str) -> None:
        text = self._text(element)
        style = attribute(element, "style-name")
        if name == "p" and (_CODE.search(style) or _CODE.search(self._parents.get(style, ""))):
            self._code.append(text)
            return
        self._end_code()
        if name == "p":
            self.out.paragraph(text)
        elif text.strip():
            level = attribute(element, "outline-level")
            self.first_heading = self.first_heading or text.strip()
            self.out.heading(int(level) if level.isdecimal() and len(level) < 3 else 1, text)
        for box in _boxes(element):
            self.flow(box)

    def _list(self, element: Element, depth: int, *, ordered: bool) -> None:
        style = attribute(element, "style-name")
        ordered = style in self._ordered if style else ordered
        number = 0
        for item in element:
            if local(item) not in {"list-item", "list-header"}:
                continue
            number += 1
            marker = f"{number}." if ordered else "-"
            lines: list[str] = []
            for each in item:
                if local(each) == "list":
                    self.out.item("\n".join(lines), level=depth, marker=marker)
                    lines.clear()
                    self._list(each, depth + 1, ordered=ordered)
                else:
                    lines += [self._text(p) for p in each.iter() if local(p) in {"p", "h"}]
            self.out.item("\n".join(lines), level=depth, marker=marker)

    def _row(self, row: Element) -> list[str]:
        cells: list[str] = []
        for cell in row:
            if local(cell) in {"table-cell", "covered-table-cell"}:
                text = " ".join(self._text(p) for p in descendants(cell, "p"))
                repeated = attribute(cell, "number-columns-repeated")
                times = int(repeated) if repeated.isdecimal() and len(repeated) < 9 else 1
                cells += [text] * min(times, _MOST_REPEATED)
        return cells

    def _end_code(self) -> None:
        self.out.code("\n".join(self._code))
        self._code.clear()

    def _text(self, element: Element) -> str:
        return "".join(self._parts(element))

    def _parts(self, element: Element) -> Iterator[str]:
        yield element.text or ""
        for each in element:
            name = local(each)
            if name == "s":
                count = attribute(each, "c")
                yield " " * (min(int(count), _MOST_SPACES) if count.isdecimal() and len(count) < 9 else 1)
            elif name == "tab":
                yield "\t"
            elif name == "line-break":
                yield "\n"
            elif name == "note":
                body = child(each, "note-body")
                if body is not None:
                    self._notes.append(" ".join("".join(body.itertext()).split()))
            elif name and name not in _SKIPPED and name != "text-box":
                yield from self._parts(each)
            yield each.tail or ""
