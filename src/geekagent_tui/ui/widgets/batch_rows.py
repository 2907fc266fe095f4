"""A batch of ingests in words and rows: how far it is, what is on its way, what failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from textual.content import Content
from textual.style import Style

from geekagent_tui.i18n import _, ngettext
from geekagent_tui.rag.model import BatchProgress, IngestPhase, IngestProgress, IngestResult, IngestState
from geekagent_tui.ui.text import columns, one_line, passages, shorten, shorten_middle, size
from geekagent_tui.ui.widgets.row_list import Row
from geekagent_tui.ui.wrapping import wrap

RETRY = "retry"
"""Under this name the place that tries a source again has the source among the metadata of its style."""
_BAR = 14


class ProgressRow(Row):
    """A source that is being ingested: what it is, what is being done to it, how far that is."""

    def __init__(self, progress: IngestProgress) -> None:
        super().__init__(None)
        self._progress = progress

    def lines(self, width: int) -> Sequence[Content]:
        """One line."""
        progress = self._progress
        told = _phase(progress.phase)
        if progress.phase is IngestPhase.FETCHING and progress.done:
            known = progress.size and min(1.0, progress.done / progress.size)
            told += f" {known:.0%}" if known else " " + size(progress.done)
        right = Content.styled(told, "$user")
        name = shorten_middle(progress.source, max(4, width - right.cell_length - 4))
        return [columns(Content.assemble(("◐ ", "$user"), (name, "$foreground")), right, width, gap=1)]


class FailedRow(Row):
    """A source that did not get in, and why; the whole reason when it is opened."""

    def __init__(self, result: IngestResult, *, opened: bool) -> None:
        super().__init__(f"failed:{result.source}")
        self._result = result
        self._opened = opened

    def height(self, width: int) -> int:
        """Source and reason."""
        return len(self.lines(width)) if self._opened else 2

    def lines(self, width: int) -> Sequence[Content]:
        """The source, and the reason."""
        result = self._result
        failed = result.state is IngestState.FAILED
        glyph, style = ("✕ ", "$error") if failed else ("⊘ ", "$warning")
        link = Content("")
        if failed:
            link = Content.styled(_("重试"), "$knowledge").stylize(Style.from_meta({RETRY: result.source}))
        name = shorten_middle(result.source, max(4, width - link.cell_length - 4))
        first = columns(Content.assemble((glyph, style), (name, "$foreground")), link, width, gap=1)
        room = max(8, width - 2)
        reason = one_line(result.reason)
        told = wrap(reason, room) if self._opened else [shorten(reason, room)]
        return [first, *(Content.styled("  " + line, style) for line in told or [""])]


def _phase(phase: IngestPhase) -> str:
    return {
        IngestPhase.QUEUED: _("排队中"),
        IngestPhase.FETCHING: _("正在下载"),
        IngestPhase.PARSING: _("正在解析"),
        IngestPhase.STORING: _("正在入库"),
    }[phase]


def bar(batch: BatchProgress, width: int) -> Content:
    """How far a batch is, as a bar of so many cells."""
    share = min(1.0, batch.done / batch.total) if batch.total else 0.0
    filled = round(share * width)
    return Content.assemble(("━" * filled, "$user"), ("━" * (width - filled), "$hairline"))


def headline(batch: BatchProgress, width: int) -> Content:
    """Bar, share, and how many of how many."""
    share = min(1.0, batch.done / batch.total) if batch.total else 0.0
    right = Content.assemble((f"{share:4.0%}", "$user"), (f"  {batch.done}/{batch.total}", "$muted"))
    room = max(4, width - right.cell_length - 2)
    return columns(bar(batch, room), right, width, gap=1)


def figures(batch: BatchProgress, room: int) -> Content:
    """Time left, failures, passages, bytes: as many as there is room for, whole."""
    parts = [Content.styled(left(batch), "$foreground")]
    if batch.failed:
        parts.append(Content.styled(_("失败 {n}").format(n=batch.failed), "$error"))
    if batch.passages:
        parts.append(Content.styled(passages(batch.passages), "$muted"))
    if batch.bytes:
        parts.append(Content.styled(size(batch.bytes), "$muted"))
    separator = Content.styled(" · ", "$faint")
    while len(parts) > 1 and separator.join(parts).cell_length > room:
        parts.pop()
    return separator.join(parts)


def left(batch: BatchProgress) -> str:
    """How long a batch will still take, as people say it."""
    if batch.seconds_left is None:
        return _("正在采集")
    seconds = max(1, round(batch.seconds_left))
    if seconds < 90:
        return ngettext("剩余约 {n} 秒", "剩余约 {n} 秒", seconds).format(n=seconds)
    minutes = round(seconds / 60)
    if minutes < 90:
        return ngettext("剩余约 {n} 分钟", "剩余约 {n} 分钟", minutes).format(n=minutes)
    hours = round(minutes / 60)
    return ngettext("剩余约 {n} 小时", "剩余约 {n} 小时", hours).format(n=hours)


def compact_line(batch: BatchProgress, width: int) -> Content:
    """A whole batch on one line."""
    share = min(1.0, batch.done / batch.total) if batch.total else 0.0
    right = Content.styled(f"{batch.done}/{batch.total}", "$faint")
    head = Content.assemble((_("采集"), "$user"), " ", bar(batch, _BAR), (f" {share:.0%}", "$user"), "  ")
    room = width - head.cell_length - right.cell_length - 1
    return columns(Content.assemble(head, figures(batch, room)), right, width, gap=1)


def summary(ends: Mapping[IngestState, int]) -> str:
    """How a batch ended, in one line; empty when nothing was in it."""
    counts = Counter(dict(ends))
    words = {
        IngestState.ADDED: _("新增 {n}"),
        IngestState.UPDATED: _("更新 {n}"),
        IngestState.UNCHANGED: _("未变 {n}"),
        IngestState.REMOVED: _("移除 {n}"),
        IngestState.SKIPPED: _("跳过 {n} 项"),
        IngestState.CANCELLED: _("取消 {n} 项"),
        IngestState.FAILED: _("失败 {n}"),
    }
    if set(+counts) == {IngestState.CANCELLED}:
        return _("已取消")
    parts = [told.format(n=counts[state]) for state, told in words.items() if counts[state]]
    return _("采集完成：{counts}").format(counts=_("，").join(parts)) if parts else ""
