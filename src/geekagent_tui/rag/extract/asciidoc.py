"""AsciiDoc, as manuals and books are written in it (https://docs.asciidoctor.org/asciidoc/latest/)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from textwrap import dedent

from geekagent_tui.rag.extract.asciidoc_inline import inline
from geekagent_tui.rag.extract.asciidoc_table import table_rows
from geekagent_tui.rag.extract.writer import Writer

_HEADING = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*?)(?:[ \t]+\1)?\Z")
_UNDERLINE = re.compile(r"([=\-~^+])\1{2,}\Z")
_UNDERLINES = "=-~^+"
_ATTRIBUTE = re.compile(r":(!?[\w\-]+!?):(?:[ \t]+(.*))?\Z")
_BLOCK_ATTRIBUTES = re.compile(r"\[(.*)\]\Z")
_LANGUAGE = re.compile(r"(?:source|listing)?%?\w*,\s*([\w+#.\-]+)")
_DIRECTIVE = re.compile(r"(?:include|ifdef|ifndef|ifeval|endif|toc|audio|video)::\S*\[.*\]\Z")
_IMAGE = re.compile(r"image::\S+?\[([^\],]*)[^\]]*\]\Z")
_FENCE = re.compile(r"```\s*([\w+#.\-]*)\s*\Z")
_TABLE = re.compile(r"[|,:!]={3,}\Z")
_VERBATIM = re.compile(r"(?:-{4,}|\.{4,})\Z")
_LEFT_OUT = re.compile(r"(?:/{4,}|\+{4,})\Z")
_CONTAINER = re.compile(r"(?:={4,}|\*{4,}|_{4,}|--)\Z")
_ITEM = re.compile(r"[ \t]*(\*{1,5}|-|\.{1,5}|\d{1,4}\.|<(?:\d{1,3}|\.)>)[ \t]+(\S.*)\Z")
_TERM = re.compile(r"[ \t]*(\S.*?)(:{2,4}|;;)(?:[ \t]+(.*))?\Z")
_BLOCK_TITLE = re.compile(r"\.([^\s.].*)\Z")
_RULE = re.compile(r"(?:'{3,}|<{3,}|-{3}|\*{3})\Z")
_CODE_STYLES = ("source", "listing", "literal")
_LONGEST_MARK = 2_000  # characters; a longer line is text, whatever it begins with


def extract_asciidoc(text: str) -> tuple[str, str]:
    """The first heading (may be empty) and the text.

    Raises:
        TooLargeError: It holds more than the limit.
    """
    reader = _Reader(text.split("\n"))
    reader.read()
    return reader.first_heading, reader.out.text()


class _Reader:
    """Reads lines one after another; `_held` are those of the open paragraph or list item."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.out = Writer()
        self.first_heading = ""
        self._lines = lines
        self._at = 0
        self._attributes: dict[str, str] = {}
        self._block = ""  # what stands in [brackets] above the next block
        self._held: list[str] = []
        self._open: list[str] = []  # delimiters of the containers around
        self._item: tuple[int, str] | None = None  # level and marker of the open item
        self._numbers: list[int] = [0] * 6
        self._language = ""

    def read(self) -> None:
        """Write everything."""
        while self._at < len(self._lines):
            line = self._lines[self._at].rstrip()
            self._at += 1
            if not line:
                self._end()
                self._numbers_end()
            elif len(line) > _LONGEST_MARK:
                self._held.append(line.strip())
            elif not (self._says_nothing(line) or self._delimited(line) or self._structure(line)):
                self._held.append(line if self._is_literal(line) else line.strip())
        self._end()

    def _is_literal(self, line: str) -> bool:
        """Whether a line belongs to an indented block, or to one whose attributes say that it is code."""
        if self._item is not None:
            return False
        return (self._held[0] if self._held else line)[0].isspace() or self._block.startswith(_CODE_STYLES)

    def _says_nothing(self, line: str) -> bool:
        """Comments, attributes, inclusions, rules and marks, none of which a reader sees."""
        if line.startswith("//") and not _LEFT_OUT.match(line):
            return True
        if match := _ATTRIBUTE.match(line):
            if not self._held:
                self._set(match.group(1), match.group(2) or "")
                return True
            return False
        if line == "+":
            self._end()
            return True
        if _DIRECTIVE.match(line) or (_RULE.match(line) and not self._held):
            self._end()
            return True
        if (match := _BLOCK_ATTRIBUTES.match(line)) and not self._held:
            self._block = "" if match.group(1).startswith(("[", "#")) else match.group(1)
            return True
        return False

    def _set(self, name: str, value: str) -> None:
        if name == "source-language":
            self._language = value
        self._attributes[name.strip("!").casefold()] = value

    def _delimited(self, line: str) -> bool:
        """Read a whole delimited block, or skip the delimiter of one that holds ordinary text."""
        if match := _FENCE.match(line):
            self._code(self._until("```"), match.group(1))
        elif _VERBATIM.match(line) and not self._underlines(line):
            self._code(self._until(line), self._block_language())
        elif _LEFT_OUT.match(line):
            self._until(line)
        elif _TABLE.match(line):
            self._end()
            rows, head = table_rows(self._until(line), self._block, line[0])
            self.out.rows([[inline(cell, self._attributes) for cell in row] for row in rows], head=head)
        elif line in self._open:
            self._end()
            del self._open[self._open.index(line) :]
        elif _CONTAINER.match(line) and not self._underlines(line):
            self._announce()
            self._end()
            self._open.append(line)
        else:
            return False
        self._block = ""
        return True

    def _until(self, delimiter: str) -> list[str]:
        """The lines up to a closing delimiter, which is read, too."""
        start = self._at
        while self._at < len(self._lines) and self._lines[self._at].rstrip() != delimiter:
            self._at += 1
        self._at += 1
        return list(self._lines[start : self._at - 1])

    def _underlines(self, line: str) -> bool:
        """Whether a line of signs is the old way to mark the line above it as a heading."""
        return (
            len(self._held) == 1
            and self._item is None
            and not self._block
            and _UNDERLINE.match(line) is not None
            and abs(_width(self._held[0]) - len(line)) < 2
        )

    def _structure(self, line: str) -> bool:
        """Headings, titles of blocks, images, items of lists."""
        if self._underlines(line):
            title = self._held.pop()
            self._heading(_UNDERLINES.index(line[0]) + 1, title)
        elif match := _HEADING.match(line):
            self._end()
            self._heading(len(match.group(1)), match.group(2))
        elif match := _IMAGE.match(line):
            self._end()
            self.out.paragraph(inline(match.group(1), self._attributes))
        elif (match := _BLOCK_TITLE.match(line)) and not self._held:
            self.out.paragraph(inline(match.group(1), self._attributes))
        elif match := _ITEM.match(line):
            self._end()
            self._begin_item(match.group(1), match.group(2))
        elif (match := _TERM.match(line)) and (not self._held or self._item is not None):
            self._end()
            text = match.group(3) or ""
            self._item, self._held = (len(match.group(2)) - 2, "-"), [f"{match.group(1)}: {text}".rstrip()]
        else:
            return False
        return True

    def _heading(self, level: int, title: str) -> None:
        title = inline(title, self._attributes)
        self.out.heading(level, title)
        if not self.first_heading:
            self.first_heading = title
            if level == 1:
                self._skip_header()
        self._block = ""

    def _skip_header(self) -> None:
        """Author and revision: lines right below a document's title that are no attributes."""
        while self._at < len(self._lines) and (line := self._lines[self._at].rstrip()):
            if match := _ATTRIBUTE.match(line):
                self._set(match.group(1), match.group(2) or "")
            elif _HEADING.match(line) or line.startswith(("[", "include::")):
                return
            self._at += 1

    def _begin_item(self, mark: str, text: str) -> None:
        level = len(mark) - 1 if mark[0] in "*." else 0
        if mark[0] == ".":
            self._numbers[level] += 1
            self._numbers[level + 1 :] = [0] * (5 - level)
            mark = f"{self._numbers[level]}."
        elif mark[0] == "<":
            self._numbers[0] = int(mark[1:-1]) if mark[1:-1].isdecimal() else self._numbers[0] + 1
            mark = f"{self._numbers[0]}."
        self._item, self._held = (level, mark if mark[0].isdecimal() else "-"), [text]

    def _numbers_end(self) -> None:
        """Forget the numbers of a list that ends here: the next block is no item."""
        following = next((line for line in self._lines[self._at : self._at + 3] if line.strip()), "")
        if not _ITEM.match(following):
            self._numbers = [0] * 6
            self.out.end_list()

    def _end(self) -> None:
        """Write the open paragraph or item."""
        text = "\n".join(self._held)
        item, self._held, self._item = self._item, [], None
        if not text:
            return
        if item is None and text[0].isspace():
            self.out.code(dedent(text), self._block_language() if self._block else "")
        elif item is None and (self._block.startswith(_CODE_STYLES)):
            self.out.code(text, self._block_language())
        elif item is None:
            self._announce()
            self.out.paragraph(inline(re.sub(r" \+$", "", text, flags=re.MULTILINE), self._attributes))
        else:
            self.out.item(inline(text, self._attributes), level=item[0], marker=item[1])
        self._block = ""

    def _announce(self) -> None:
        """Name what a block is, as far as its style says so: a note, a quotation's author."""
        style = self._block.partition(",")[0].strip()
        if style in {"NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION"}:
            self.out.paragraph(f"{style}:")

    def _code(self, lines: Sequence[str], language: str) -> None:
        self._end_keeping_block()
        self.out.code("\n".join(lines), language)

    def _end_keeping_block(self) -> None:
        block, self._block = self._block, ""
        self._end()
        self._block = block

    def _block_language(self) -> str:
        match = _LANGUAGE.match(self._block)
        if match:
            return match.group(1)
        return self._language if self._block.startswith("source") else ""


def _width(text: str) -> int:
    return sum(1 if character < "\u1100" else 2 for character in text)
