"""The knowledge panel's rows: documents by host or folder, and ingests under way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from rich.cells import cell_len
from textual.content import Content

from geekagent_tui.i18n import _
from geekagent_tui.rag.model import (
    Document,
    IngestPhase,
    IngestProgress,
    IngestResult,
    IngestState,
    SourceKind,
)
from geekagent_tui.ui.text import (
    cell,
    columns,
    compact,
    one_line,
    passages,
    shorten,
    shorten_middle,
    shorten_start,
    size,
)
from geekagent_tui.ui.widgets.row_list import Row
from geekagent_tui.ui.wrapping import wrap

_BAR = 14


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


class ProgressRow(Row):
    """A source that is being ingested."""

    def __init__(self, progress: IngestProgress) -> None:
        super().__init__(None)
        self._progress = progress

    def height(self, width: int) -> int:
        """Name and bar; what waits has no bar."""
        return 1 if self._progress.phase is IngestPhase.QUEUED else 2

    def lines(self, width: int) -> Sequence[Content]:
        """What it is, how far it is."""
        progress = self._progress
        waits = progress.phase is IngestPhase.QUEUED
        style = "$faint" if waits else "$user"
        phase = Content.styled(_phase(progress.phase), style)
        name = Content.assemble(
            ("◌ " if waits else "◐ ", style),
            (shorten_middle(progress.source, width - 12), "$muted" if waits else "$foreground"),
        )
        if waits:
            return [columns(name, phase, width, gap=1)]
        share = min(1.0, progress.done / progress.size) if progress.size else None
        filled = 0 if share is None else round(share * _BAR)
        if progress.phase is IngestPhase.STORING:
            share, filled = 1.0, _BAR
        bar = Content.assemble("  ", ("━" * filled, "$user"), ("━" * (_BAR - filled), "$hairline"))
        told = "" if share is None else f" {share:4.0%}"
        if progress.done:
            told += "  " + size(progress.done)
        right = Content.styled(f"{progress.position}/{progress.total}", "$faint")
        return [
            columns(name, phase, width, gap=1),
            columns(Content.assemble(bar, (told, "$muted")), right, width, gap=1),
        ]


class FailedRow(Row):
    """A source that did not get in, and why."""

    def __init__(self, result: IngestResult) -> None:
        super().__init__(f"failed:{result.source}")
        self._result = result

    def height(self, width: int) -> int:
        """Source and reason."""
        return len(self.lines(width))

    def lines(self, width: int) -> Sequence[Content]:
        """The source, and the whole reason."""
        result = self._result
        glyph, style = ("✕ ", "$error") if result.state is IngestState.FAILED else ("⊘ ", "$warning")
        name = Content.assemble((glyph, style), (shorten_middle(result.source, width - 2), "$foreground"))
        reason = wrap(one_line(result.reason), max(8, width - 2))
        return [name, *(Content.styled("  " + line, style) for line in reason)]


def _phase(phase: IngestPhase) -> str:
    return {
        IngestPhase.QUEUED: _("排队中"),
        IngestPhase.FETCHING: _("正在下载"),
        IngestPhase.PARSING: _("正在解析"),
        IngestPhase.STORING: _("正在入库"),
    }[phase]


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
