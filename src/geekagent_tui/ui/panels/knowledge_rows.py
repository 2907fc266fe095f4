"""The knowledge panel's rows of ingests: what is under way, what did not get in."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from geekagent_tui.agent import events as ev
from geekagent_tui.i18n import _
from geekagent_tui.rag.model import IngestPhase, IngestProgress, IngestResult, IngestState
from geekagent_tui.ui.text import columns, one_line, shorten_middle, size
from geekagent_tui.ui.widgets.row_list import Row
from geekagent_tui.ui.wrapping import wrap

_BAR = 14
_KEPT_FAILURES = 20


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


class Ingests:
    """What is under way, and what did not get in.

    Attributes:
        moving: Where each source stands, by its name.
        failed: How each that failed or was left out ended, by its name; the latest ones.
    """

    def __init__(self) -> None:
        self.moving: dict[str, IngestProgress] = {}
        self.failed: dict[str, IngestResult] = {}

    def take(self, event: ev.Snapshot | ev.IngestMoved | ev.IngestEnded) -> None:
        """Keep what an event tells."""
        match event:
            case ev.Snapshot():
                self.moving = {progress.source: progress for progress in event.ingests}
            case ev.IngestMoved(progress=progress):
                self.failed.pop(progress.source, None)
                self.moving[progress.source] = progress
            case ev.IngestEnded(result=result):
                self.moving.pop(result.source, None)
                if result.state in (IngestState.FAILED, IngestState.SKIPPED):
                    self.failed[result.source] = result
                    while len(self.failed) > _KEPT_FAILURES:
                        del self.failed[next(iter(self.failed))]

    def rows(self) -> list[Row]:
        """One for each; what waits comes after what runs."""
        moving = sorted(self.moving.values(), key=lambda p: p.phase is IngestPhase.QUEUED)
        rows: list[Row] = [ProgressRow(progress) for progress in moving]
        return rows + [FailedRow(result) for result in self.failed.values()]
