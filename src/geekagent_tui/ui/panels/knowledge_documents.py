"""The knowledge panel's rows of documents, and the headings they stand under."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from rich.cells import cell_len
from textual.content import Content

from geekagent_tui.i18n import _
from geekagent_tui.rag.model import Badge, Document, SourceKind
from geekagent_tui.ui.text import (
    cell,
    columns,
    compact,
    fit,
    one_line,
    passages,
    shorten,
    shorten_middle,
    shorten_start,
)
from geekagent_tui.ui.widgets.row_list import Row

_WORDS = 40
"""Cells of a row from which on a badge is told in words as well."""
_TICK = 2

# Glyphs that take one cell in every terminal: none of them is of ambiguous width.
_BADGES = {
    Badge.FAILED: ("✕", "$error"),
    Badge.STALE: ("◌", "$warning"),
    Badge.CHANGED: ("✎", "$user"),
    Badge.NEW: ("✦", "$knowledge"),
}


def badge_glyph(badge: Badge | None) -> tuple[str, str]:
    """A badge's sign and its style."""
    return ("◦", "$faint") if badge is None else _BADGES[badge]


def badge_word(badge: Badge | None) -> str:
    """A badge in a word; "" without one."""
    if badge is None:
        return ""
    return {
        Badge.FAILED: _("失败"),
        Badge.STALE: _("待更新"),
        Badge.CHANGED: _("有变"),
        Badge.NEW: _("新"),
    }[badge]


class GroupRow(Row):
    """What several documents have in common, open or closed.

    Args:
        name: Names it among the groups.
        label: As it is shown.
    """

    def __init__(self, name: str, label: str, count: int, *, opened: bool) -> None:
        super().__init__(f"group:{name}")
        self._label, self._count, self._opened = label, count, opened

    def lines(self, width: int) -> Sequence[Content]:
        """Its name, and how many documents it has."""
        arrow = "▾ " if self._opened else "▸ "
        name = shorten_middle(self._label, width - 8)
        left = Content.assemble((arrow, "$faint"), (name, "$muted"))
        return [columns(left, Content.styled(str(self._count), "$faint"), width, gap=1)]


class DocumentRow(Row):
    """A document: mark, badge, title, tags, passages, characters.

    Args:
        key: Names it among the rows; a document may be there more than once.
        document: Which.
        marks: The ids of the marked ones; looked at when it is drawn.
        shared: Other documents have the same title: say which one it is.
    """

    box = _TICK

    def __init__(
        self, key: str, document: Document, marks: AbstractSet[int], *, shared: bool = False
    ) -> None:
        super().__init__(key)
        self.document = document
        self._marks = marks
        self._shared = shared

    def lines(self, width: int) -> Sequence[Content]:
        """One line, figures flush right."""
        document = self.document
        right = self._figures(width)
        glyph, style = badge_glyph(document.badge)
        marked = document.id in self._marks
        left = Content.assemble(("✓ " if marked else "  ", "$user"), (f"{glyph} ", style))
        room = width - right.cell_length - left.cell_length - 1
        tags = " ".join(f"#{one_line(tag)}" for tag in document.tags)
        place = shorten_start(_place(document), max(8, room // 2)) if self._shared else ""
        title = one_line(document.title) or one_line(document.source)
        beside = room - min(cell_len(title), room * 2 // 3) - 1
        aside = place or (shorten(tags, beside if beside >= 4 else 0) if room >= 12 else "")
        title = shorten(title, max(2, room - (cell_len(aside) + 1 if aside else 0)))
        left = Content.assemble(left, (title, "$user" if marked else "$foreground"))
        if aside:
            left = Content.assemble(left, " ", (aside, "$muted"))
        if place and tags and (rest := width - right.cell_length - left.cell_length - 2) >= 6:
            left = Content.assemble(left, " ", (shorten(tags, rest), "$muted"))
        return [columns(left, right, width, gap=1)]

    def _figures(self, width: int) -> Content:
        document = self.document
        count = passages(document.passages)
        figures = cell(count, max(6, cell_len(count)), right=True)
        figures += cell(compact(document.characters), 6, right=True)
        word = badge_word(document.badge) + " " if document.badge and width >= _WORDS else ""
        return Content.assemble((word, badge_glyph(document.badge)[1]), (figures, "$muted"))


def _place(document: Document) -> str:
    """What tells documents under one heading apart: a file's name, the end of an address."""
    if document.kind is SourceKind.URL:
        parts = urlsplit(document.source)
        return parts.path.rstrip("/") + (f"?{parts.query}" if parts.query else "") or document.source
    return PurePosixPath(document.source).name


class NoteRow(Row):
    """A line between rows that the cursor passes by.

    Args:
        left: What it says.
        right: A figure at its end.
    """

    def __init__(self, left: str, right: str = "", *, style: str = "$faint") -> None:
        super().__init__(None)
        self._left, self._right, self._style = left, right, style

    def lines(self, width: int) -> Sequence[Content]:
        """One line."""
        left = Content.styled(one_line(self._left), self._style)
        if not self._right:
            return [fit(left, width)]
        return [columns(left, Content.styled(self._right, "$faint"), width, gap=1)]
