"""The blocks of a Markdown-flavoured text: headings, paragraphs, list items, table rows, code fences."""

from __future__ import annotations

import re
from dataclasses import dataclass

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_FENCE = re.compile(r"(`{3,}|~{3,})")
_HEADING = re.compile(r"(#{1,6})[ \t]+(\S.*)")
_UNDERLINE = re.compile(r"=+|-{2,}")
_ITEM = re.compile(r"(?:[-*+•]|\d{1,9}[.)])[ \t]+\S")
_CLOSING = re.compile(r"(?:[ \t]+#+)?(?:[ \t]*\{[^{}]*\})?$")

_LONGEST_HEADING = 200
"""A longer line is text, whatever marks it."""
_INDENTED = 4
"""A line that is indented by so much is no heading (CommonMark)."""

SEPARATOR = " › "


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of text that belongs together.

    Attributes:
        start: Its first code point, never white space.
        end: The code point behind its last one, which is no white space either.
        is_heading: Whether it is a heading.
        path: The headings it stands under, itself included, joined by " › ".
    """

    start: int
    end: int
    is_heading: bool
    path: str


def blocks(text: str) -> list[Block]:
    """Split a text into its blocks, in order; between them is white space only.

    An unclosed code fence reaches to the end of the text.
    """
    reader = _Reader(text)
    for match in _LINE.finditer(text):
        reader.read(match.group(), match.start())
    reader.close()
    return reader.blocks


class _Reader:
    """Reads a text line by line; `start` is -1 when no block is open."""

    def __init__(self, text: str) -> None:
        self.blocks: list[Block] = []
        self._text = text
        self._titles: list[tuple[int, str]] = []
        self._path = ""
        self._start = self._end = -1
        self._fence = ""
        self._one_line = False  # the open block is a paragraph of one line so far

    def read(self, line: str, at: int) -> None:
        content = line.strip()
        first = at + line.index(content)
        if self._fence:
            self._read_code(content, first)
        elif not content:
            self.close()
        elif fence := _FENCE.match(content):
            self._open(first, first + len(content))
            self._fence = fence.group()
        elif (heading := self._heading(content)) and first - at < _INDENTED:
            self.close()
            self._add_heading(first, first + len(content), *heading)
        elif self._one_line and _UNDERLINE.fullmatch(content) and self._end - self._start <= _LONGEST_HEADING:
            title = self._text[self._start : self._end]
            self._add_heading(self._start, first + len(content), 1 if content[0] == "=" else 2, title)
            self._start = -1
            self._one_line = False
        elif content[0] == "|" or _ITEM.match(content):
            self._open(first, first + len(content))
        elif self._start < 0:
            self._open(first, first + len(content))
            self._one_line = True
        else:
            self._end = first + len(content)
            self._one_line = False

    def close(self) -> None:
        """End the open block, if there is one."""
        if self._start >= 0:
            self.blocks.append(Block(self._start, self._end, False, self._path))
        self._start = -1
        self._one_line = False

    def _open(self, start: int, end: int) -> None:
        self.close()
        self._start, self._end = start, end

    def _read_code(self, content: str, first: int) -> None:
        if content:
            self._end = first + len(content)
        if content.startswith(self._fence) and not content.strip(self._fence[0]):
            self._fence = ""
            self.close()

    @staticmethod
    def _heading(content: str) -> tuple[int, str] | None:
        match = _HEADING.fullmatch(content) if len(content) <= _LONGEST_HEADING else None
        return (len(match.group(1)), _CLOSING.sub("", match.group(2))) if match else None

    def _add_heading(self, start: int, end: int, level: int, title: str) -> None:
        title = " ".join(title.replace("**", "").replace("`", "").split())
        self._titles = [above for above in self._titles if above[0] < level] + [(level, title)]
        self._path = SEPARATOR.join(title for _, title in self._titles if title)
        self.blocks.append(Block(start, end, True, self._path))
