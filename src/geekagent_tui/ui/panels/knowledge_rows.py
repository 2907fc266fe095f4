"""The knowledge panel's rows: documents by host or folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from rich.cells import cell_len
from textual.content import Content

from geekagent_tui.i18n import _
from geekagent_tui.rag.model import Document, SourceKind
from geekagent_tui.ui.text import (
    cell,
    columns,
    compact,
    one_line,
    passages,
    shorten,
    shorten_middle,
    shorten_start,
)
from geekagent_tui.ui.widgets.row_list import Row


class GroupRow(Row):
    """A host or a folder, open or closed."""

    def __init__(self, name: str, count: int, *, opened: bool) -> None:
        super().__init__(f"group:{name}")
        self._name, self._count, self._opened = name, count, opened

    def lines(self, width: int) -> Sequence[Content]:
        """Its name, and how many documents it has."""
        arrow = "▾ " if self._opened else "▸ "
        name = shorten_middle(self._name, width - 8)
        left = Content.assemble((arrow, "$faint"), (name, "$muted"))
        return [columns(left, Content.styled(str(self._count), "$faint"), width, gap=1)]


class DocumentRow(Row):
    """A document: title, passages, characters.

    Args:
        document: Which.
        shared: Other documents have the same title: say which one it is.
    """

    def __init__(self, document: Document, *, shared: bool = False) -> None:
        super().__init__(f"document:{document.id}")
        self._document = document
        self._shared = shared

    def lines(self, width: int) -> Sequence[Content]:
        """One line, figures flush right."""
        document = self._document
        count = passages(document.passages)
        right = Content.styled(
            cell(count, max(6, cell_len(count)), right=True)
            + cell(compact(document.characters), 6, right=True),
            "$muted",
        )
        title = one_line(document.title) or one_line(document.source)
        place = ""
        if self._shared:
            room = width - right.cell_length - 5
            place = " " + shorten_start(_place(document), max(8, room // 2))
            title = shorten(title, max(2, room - cell_len(place)))
        left = Content.assemble(("  ● ", "$knowledge"), (title, "$foreground"), (place, "$muted"))
        return [columns(left, right, width, gap=1)]


def _place(document: Document) -> str:
    """What tells documents under one heading apart: a file's name, the end of an address."""
    if document.kind is SourceKind.URL:
        parts = urlsplit(document.source)
        return parts.path.rstrip("/") + (f"?{parts.query}" if parts.query else "") or document.source
    return PurePosixPath(document.source).name


def group_of(document: Document) -> str:
    """The heading a document stands under: the host of a page, the folder of a file."""
    if document.kind is SourceKind.URL:
        return urlsplit(document.source).netloc or document.source
    parent = str(PurePosixPath(document.source).parent)
    return _("本地") if parent == "." else parent


def grouped(documents: Iterable[Document], closed: set[str]) -> list[Row]:
    """Documents under their headings; headings and titles in order."""
    groups: dict[str, list[Document]] = {}
    titles: Counter[str] = Counter()
    for document in documents:
        groups.setdefault(group_of(document), []).append(document)
        titles[_title(document)] += 1
    rows: list[Row] = []
    for name in sorted(groups):
        members = sorted(groups[name], key=lambda d: (d.title.casefold(), d.id))
        rows.append(GroupRow(name, len(members), opened=name not in closed))
        if name not in closed:
            rows.extend(DocumentRow(document, shared=titles[_title(document)] > 1) for document in members)
    return rows


def _title(document: Document) -> str:
    return one_line(document.title).casefold()
