"""An extracted tree → Markdown-flavoured text.

Our own, because Trafilatura's Markdown escapes what was not marked up and rewrites formulas: stored text is
what the reader saw. It knows both Trafilatura's element names and HTML's, which the fallback has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from geekagent_tui.rag.extract.code import MARKED, Code
from geekagent_tui.rag.extract.inline import BREAK, code_span, collapsed, one_line, plain, struck

if TYPE_CHECKING:
    from geekagent_tui.rag.extract.tree import Element

_HEADINGS = frozenset({"head", "h1", "h2", "h3", "h4", "h5", "h6"})
_LISTS = frozenset({"list", "ul", "ol", "dl", "menu"})
_ITEMS = frozenset({"item", "li", "dt", "dd"})
_QUOTES = frozenset({"quote", "blockquote"})
_ROWS = frozenset({"row", "tr"})
_CELLS = frozenset({"cell", "td", "th"})
_BREAKS = frozenset({"lb", "br"})
_STRUCK = frozenset({"del", "s", "strike"})
_SECTIONS = frozenset(
    {"article", "aside", "body", "details", "div", "footer", "header", "html", "main", "section"}
)
_ROW_GROUPS = frozenset({"tbody", "tfoot", "thead"})
_BLOCKS = (
    _SECTIONS
    | _ROW_GROUPS
    | {
        "address",
        "caption",
        "center",
        "fieldset",
        "figcaption",
        "figure",
        "form",
        "hr",
        "p",
        "pre",
        "summary",
    }
)
_SILENT = frozenset(
    {"script", "style", "noscript", "template", "svg", "iframe", "object", "select", "textarea"}
)


def render(body: Element, codes: Sequence[Code]) -> str:
    """The text of a tree.

    Headings `#`, fenced code, `-` and numbered list items, `|` table rows, `>` quotes; an empty line between
    blocks, none between the items of a list or the rows of a table.

    Args:
        body: `Document.body` as Trafilatura returns it with formatting, or an HTML element.
        codes: The blocks that `normalise_code` took out of the page.
    """
    renderer = _Renderer(codes)
    renderer.flow(body)
    return renderer.text()


class _Renderer:
    """Walks a tree and writes blocks.

    `_inline` collects the text of the paragraph being read; `_prefix` stands before every line of a block,
    and `_marker` replaces it once, at the beginning of a list item.
    """

    def __init__(self, codes: Sequence[Code]) -> None:
        self._codes = codes
        self._out: list[str] = []
        self._tight = False  # the next block follows without an empty line
        self._inline: list[str] = []
        self._prefix = ""
        self._marker: str | None = None
        self._in_item = False

    def text(self) -> str:
        return "".join(self._out)

    def flow(self, element: Element) -> None:
        """Everything inside an element."""
        self._inline.append(element.text or "")
        for child in element:
            self._child(child)
            self._inline.append(child.tail or "")
        if element.tag in _BLOCKS or element.tag in _ITEMS:
            self._flush()

    def _child(self, child: Element) -> None:
        tag = child.tag
        if not isinstance(tag, str) or tag in _SILENT:
            return  # comments and what is not shown
        if tag in _BREAKS:
            self._inline.append(BREAK)
        elif tag == "code" and not MARKED.search(text := "".join(child.itertext())):
            self._inline.append(code_span(text))
        elif tag in _STRUCK:
            self._inline.append(struck("".join(child.itertext())))
        elif tag in _HEADINGS:
            self._flush()
            self._heading(child)
        elif tag in _LISTS:
            self._flush()
            self._list(child)
        elif tag == "table":
            self._flush()
            self._table(child)
        elif tag in _QUOTES:
            self._flush()
            self._nested(child, self._prefix + "> ")
        else:
            if tag in _BLOCKS:
                self._flush()
            self.flow(child)

    def _heading(self, element: Element) -> None:
        level = (element.get("rend") or str(element.tag))[-1:]
        text = one_line(element)
        if text:
            self._write(f"{'#' * (int(level) if level.isdecimal() else 2)} {text}")

    def _list(self, element: Element) -> None:
        outer, inside = self._prefix, self._in_item
        tight = inside
        numbered = element.get("rend") == "ol" or element.tag == "ol"
        number = 0
        for item in element:
            if item.tag in _LISTS:  # a list right inside a list, as many pages have it
                self._nested(item, outer)
                continue
            if item.tag not in _ITEMS:
                self._child(item)
                continue
            number += 1
            is_definition = item.tag == "dd" or (item.get("rend") or "").startswith("dd")
            marker = f"{number}. " if numbered else "  " if is_definition else "- "
            self._tight = tight
            self._marker = outer + marker
            self._prefix = outer + "  "
            self._in_item = True
            self.flow(item)
            self._prefix, self._marker, tight, self._in_item = outer, None, True, inside
        self._tight = inside

    def _nested(self, element: Element, prefix: str) -> None:
        outer, self._prefix = self._prefix, prefix
        if element.tag in _LISTS:
            self._list(element)
        else:
            self.flow(element)
            self._flush()
        self._prefix = outer

    def _table(self, element: Element) -> None:
        rows = [[cell for cell in row if cell.tag in _CELLS] for row in _rows(element)]
        for caption in element:
            if caption.tag == "caption":
                self.flow(caption)
        if max(map(len, rows), default=0) < 2 or _lays_out(element):
            for cell in (cell for row in rows for cell in row):
                self.flow(cell)
                self._flush()
            return
        for index, row in enumerate(rows):
            texts = [one_line(cell) for cell in row]
            if any(texts):
                self._write(f"| {' | '.join(texts)} |")
                self._tight = True
                if index == 0 and all(cell.get("role") == "head" or cell.tag == "th" for cell in row):
                    self._write(f"|{' --- |' * len(row)}")
                    self._tight = True
        self._tight = False

    def _flush(self) -> None:
        """End the paragraph being read."""
        text = "".join(self._inline)
        self._inline.clear()
        position = 0
        for match in MARKED.finditer(text):
            self._paragraph(text[position : match.start()])
            number = int(match.group(1))
            if number < len(self._codes):
                self._fence(self._codes[number])
            position = match.end()
        self._paragraph(text[position:])

    def _paragraph(self, text: str) -> None:
        if text := collapsed(text):
            self._write(plain(text))

    def _fence(self, code: Code) -> None:
        longest = max((len(run) for run in re.findall(r"`{3,}", code.text)), default=2)
        fence = "`" * (longest + 1)
        self._write(f"{fence}{code.language}\n{code.text}\n{fence}", verbatim=True)

    def _write(self, block: str, *, verbatim: bool = False) -> None:
        """Add one block; code stays at the left edge, so that it is kept as it is."""
        if self._out:
            self._out.append("\n" if self._tight else "\n\n")
        self._tight = False
        if not verbatim:
            first = self._prefix if self._marker is None else self._marker
            block = first + block.replace("\n", f"\n{self._prefix}")
            self._marker = None
        self._out.append(block)


def _rows(table: Element) -> Iterator[Element]:
    """A table's own rows, not those of tables in its cells."""
    for child in table:
        if child.tag in _ROWS:
            yield child
        elif child.tag in _ROW_GROUPS:
            yield from (row for row in child if row.tag in _ROWS)


def _lays_out(table: Element) -> bool:
    """Whether a table holds what no row of text can: it draws the page, as pages did once."""
    inner = sum(1 for _ in table.iter("table", *_HEADINGS)) - 1
    return inner > 0 or MARKED.search("".join(table.itertext())) is not None
