"""Writing Markdown-flavoured text block by block, within the limit of one document."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from geekagent_tui.rag import limits
from geekagent_tui.rag.extract.inline import plain
from geekagent_tui.rag.failures import too_much_text

_RUNS = re.compile("`{3,}")
_LANGUAGE = re.compile(r"[\w+#.\-]{1,20}\Z")
_DEEPEST = 6


class Writer:
    """Collects blocks; an empty line stands between two of them, none before a tight one.

    Whatever a small file unpacks to, no more than the limit is ever held.

    Attributes:
        most: The limit, in characters.
    """

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._size = 0
        self.most = limits.max_characters()
        self._tight = False

    @property
    def size(self) -> int:
        """Characters written so far."""
        return self._size

    def text(self) -> str:
        """All blocks."""
        return "".join(self._parts)

    def block(self, text: str, *, tight: bool = False) -> None:
        """Add text as it is; blank text adds nothing.

        Args:
            text: One block.
            tight: Whether it follows a tight block without an empty line, as items and rows do.

        Raises:
            TooLargeError: The limit is reached.
        """
        if not text.strip():
            return
        if self._parts:
            self._add("\n" if tight and self._tight else "\n\n")
        self._tight = tight
        self._add(text)

    def paragraph(self, text: str) -> None:
        """Add a paragraph, whose lines never begin like a heading or a fence."""
        self.block(plain(text.strip()))

    def heading(self, level: int, text: str) -> None:
        """Add a heading on one line."""
        if text := " ".join(text.split()):
            self.block(f"{'#' * min(max(level, 1), _DEEPEST)} {text}")

    def item(self, text: str, *, level: int = 0, marker: str = "-") -> None:
        """Add a list item; its further lines are indented, so that they belong to it."""
        if text := text.strip():
            text = text.replace("\n", "\n" + "  " * (level + 1))
            self.block(f"{'  ' * level}{marker} {text}", tight=True)

    def code(self, code: str, language: str = "") -> None:
        """Add fenced code, verbatim but for empty lines around it."""
        self.block(fenced(code, language))

    def rows(self, rows: Iterable[Sequence[str]], *, head: bool = True) -> None:
        """Add a table; cells become one line each.

        Args:
            rows: Of any lengths; empty ones are left out.
            head: Whether the first row holds the columns' names.
        """
        self._tight = False
        for row in rows:
            cells = [cell_text(cell).replace("|", "\\|") for cell in row]
            if any(cells):
                self.block(f"| {' | '.join(cells)} |", tight=True)
                if head:
                    self.block(f"|{' --- |' * len(cells)}", tight=True)
                head = False
        self._tight = False

    def end_list(self) -> None:
        """What follows is no part of the list or table before."""
        self._tight = False

    def _add(self, text: str) -> None:
        self._size += len(text)
        if self._size > self.most:
            raise too_much_text(self._size, self.most)
        self._parts.append(text)


def fenced(code: str, language: str = "") -> str:
    """Code in a fence that nothing in it can close; an empty string without code."""
    code = "\n".join(line.rstrip() for line in code.splitlines()).strip("\n")
    if not code:
        return ""
    fence = "`" * (max(map(len, _RUNS.findall(code)), default=2) + 1)
    return f"{fence}{language if _LANGUAGE.match(language) else ''}\n{code}\n{fence}"


def cell_text(text: str) -> str:
    """A table cell's text on one line."""
    return " ".join(text.split())
