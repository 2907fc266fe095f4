"""Word documents: headings, lists, tables, code, footnotes (ECMA-376, part 1, §17)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from geekagent_tui.rag.extract.package import Package, attribute, child, descendants, local
from geekagent_tui.rag.extract.tree import Element
from geekagent_tui.rag.extract.writer import Writer
from geekagent_tui.rag.failures import damaged

_HEADING = re.compile(r"(?:heading|标题|標題)\s*([1-9])")
_NESTED = re.compile(r"list (?:bullet|number)\s*([2-9])")  # "List Bullet 2" is a list of its own
_TITLES = frozenset({"title", "标题", "標題"})
_CODE = re.compile(r"code|html preformatted|plain text|preformatted|代码|源码|macro")
_CONTENTS = re.compile(r"toc\s*\d|table of contents")
_BREAKS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
# Deleted text, field codes, the second of two versions, formatting
_SKIPPED = frozenset({"del", "delText", "instrText", "Fallback", "moveFrom", "pPr", "rPr", "txbxContent"})
_DEEPEST_STYLE = 20


@dataclass(slots=True)
class _Style:
    name: str = ""
    based_on: str = ""
    level: int = 0  # of a heading, from 1
    list_id: str = ""
    depth: int = 0  # of a list, from 0


@dataclass(slots=True)
class _Book:
    """What the body refers to."""

    styles: dict[str, _Style] = field(default_factory=dict)
    ordered: dict[tuple[str, str], bool] = field(default_factory=dict)
    notes: dict[tuple[str, str], str] = field(default_factory=dict)


def extract_docx(package: Package, main: str) -> tuple[str, str]:
    """The title as its style or the first heading says (may be empty), and the text.

    Raises:
        SourceError: Damaged.
    """
    root = package.xml(main)
    body = child(root, "body")
    if body is None:
        raise damaged("DOCX")
    writer = _DocxWriter(_read_book(package, main))
    writer.flow(body)
    writer.finish()
    return writer.title or writer.first_heading, writer.out.text()


class _DocxWriter:
    """Walks a body and writes blocks; paragraphs of code are collected until other text comes."""

    def __init__(self, book: _Book) -> None:
        self.out = Writer()
        self.title = ""
        self.first_heading = ""
        self._book = book
        self._code: list[str] = []
        self._used: list[str] = []
        self._counts: dict[tuple[str, str], int] = {}

    def flow(self, parent: Element) -> None:
        """Write all blocks below an element."""
        for element in parent:
            name = local(element)
            if name == "p":
                self._paragraph(element)
            elif name == "tbl":
                self._end_code()
                self._table(element)
            elif name not in _SKIPPED and not name.endswith("Pr"):
                self.flow(element)

    def finish(self) -> None:
        """Write what is still held, the footnotes last."""
        self._end_code()
        self.out.end_list()
        for note in self._used:
            self.out.paragraph(note)

    def _paragraph(self, element: Element) -> None:
        properties = child(element, "pPr")
        style = self._style(properties)
        text = self._text(element)
        if _CODE.search(style.name):
            self._code.append(text)
        else:
            self._end_code()
            self._prose(text.strip(), style, properties)
        for box in _boxes(element):
            self.flow(box)

    def _prose(self, text: str, style: _Style, properties: Element | None) -> None:
        if not text or _CONTENTS.match(style.name):
            return
        level = style.level or _outline_level(properties)
        list_id, depth = _numbering(properties)
        if style.name in _TITLES:
            self.title = self.title or text
            self.out.heading(1, text)
        elif level:
            self.first_heading = self.first_heading or text
            self.out.heading(level, text)
        elif list_id := list_id or style.list_id:
            depth = depth or style.depth
            self.out.item(text, level=depth, marker=self._marker(list_id, depth))
        else:
            self.out.paragraph(text)

    def _marker(self, list_id: str, depth: int) -> str:
        if not self._book.ordered.get((list_id, str(depth))):
            return "-"
        key = (list_id, str(depth))
        self._counts[key] = self._counts.get(key, 0) + 1
        for other in [other for other in self._counts if other[0] == list_id and int(other[1]) > depth]:
            del self._counts[other]
        return f"{self._counts[key]}."

    def _end_code(self) -> None:
        self.out.code("\n".join(self._code))
        self._code.clear()

    def _table(self, table: Element) -> None:
        rows = [list(_unwrapped(row, "tc")) for row in _unwrapped(table, "tr")]
        if max(map(len, rows), default=0) < 2:  # a frame around text
            for cell in (cell for row in rows for cell in row):
                self.flow(cell)
            return
        self.out.rows(
            ["\n".join(self._text(paragraph) for paragraph in descendants(cell, "p")) for cell in row]
            for row in rows
        )

    def _text(self, element: Element) -> str:
        return "".join(self._parts(element))

    def _parts(self, element: Element) -> Iterator[str]:
        for each in element:
            name = local(each)
            if name == "t":
                yield each.text or ""
            elif name in _BREAKS:
                yield _BREAKS[name]
            elif name in {"footnoteReference", "endnoteReference"}:
                note = self._book.notes.get((name[:-9], attribute(each, "id")))
                if note and note not in self._used:
                    self._used.append(note)
            elif name not in _SKIPPED:
                yield from self._parts(each)

    def _style(self, properties: Element | None) -> _Style:
        """A paragraph's style with what it inherits."""
        found = _Style()
        reference = child(properties, "pStyle")
        name = attribute(reference, "val") if reference is not None else ""
        for _step in range(_DEEPEST_STYLE):
            style = self._book.styles.get(name)
            if style is None:
                break
            found.name = found.name or style.name
            found.level = found.level or style.level
            found.list_id = found.list_id or style.list_id
            found.depth = found.depth or style.depth
            name = style.based_on
        return found


def _unwrapped(parent: Element, name: str) -> Iterator[Element]:
    """Rows of a table or cells of a row, also inside content controls."""
    for each in parent:
        if local(each) == name:
            yield each
        elif local(each) in {"sdt", "sdtContent", "customXml", "ins"}:
            yield from _unwrapped(each, name)


def _boxes(parent: Element) -> Iterator[Element]:
    """The text boxes that hang on a paragraph; each is there twice, the second time for old programs."""
    for each in parent:
        if local(each) == "txbxContent":
            yield each
        elif local(each) != "Fallback":
            yield from _boxes(each)


def _outline_level(properties: Element | None) -> int:
    outline = child(properties, "outlineLvl")
    value = attribute(outline, "val") if outline is not None else ""
    return int(value) + 1 if value in set("012345678") and value else 0


def _numbering(properties: Element | None) -> tuple[str, int]:
    """The list that a paragraph belongs to (empty: none) and its depth from 0."""
    numbering = child(properties, "numPr")
    list_id, depth = (child(numbering, name) for name in ("numId", "ilvl"))
    value = attribute(depth, "val") if depth is not None else "0"
    return (
        attribute(list_id, "val").strip("0") and attribute(list_id, "val") if list_id is not None else "",
        int(value) if value in set("012345678") and value else 0,
    )


def _read_book(package: Package, main: str) -> _Book:
    book = _Book()
    for kind, name in package.relations(main).values():
        if kind == "styles":
            _read_styles(package.xml(name), book)
        elif kind == "numbering":
            _read_lists(package.xml(name), book)
        elif kind in {"footnotes", "endnotes"}:
            for note in descendants(package.xml(name), kind[:-1]):
                text = " ".join("".join(t.text or "" for t in descendants(note, "t")).split())
                book.notes[kind[:-1], attribute(note, "id")] = text
    return book


def _read_styles(root: Element | None, book: _Book) -> None:
    for element in descendants(root, "style"):
        name, based_on = (child(element, each) for each in ("name", "basedOn"))
        style = _Style()
        if name is not None:
            style.name = attribute(name, "val").casefold()
        if based_on is not None:
            style.based_on = attribute(based_on, "val")
        properties = child(element, "pPr")
        heading = _HEADING.match(style.name)
        style.level = int(heading.group(1)) if heading else _outline_level(properties)
        style.list_id, style.depth = _numbering(properties)
        if nested := _NESTED.match(style.name):
            style.depth = int(nested.group(1)) - 1
        book.styles[attribute(element, "styleId")] = style


def _read_lists(root: Element | None, book: _Book) -> None:
    kinds: dict[tuple[str, str], bool] = {}
    for abstract in descendants(root, "abstractNum"):
        for level in descendants(abstract, "lvl"):
            form = child(level, "numFmt")
            ordered = form is not None and attribute(form, "val") not in {"bullet", "none"}
            kinds[attribute(abstract, "abstractNumId"), attribute(level, "ilvl")] = ordered
    for number in descendants(root, "num"):
        target = child(number, "abstractNumId")
        for (abstract_id, level_number), ordered in kinds.items():
            if target is not None and attribute(target, "val") == abstract_id:
                book.ordered[attribute(number, "numId"), level_number] = ordered
