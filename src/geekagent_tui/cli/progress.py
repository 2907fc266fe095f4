"""Where a batch stands, as one line that is written over."""

from __future__ import annotations

import math
import time

from geekagent_tui.cli.output import Output
from geekagent_tui.i18n import _, ngettext
from geekagent_tui.rag.model import BatchProgress

_PAUSE = 0.1
"""Least seconds between two looks of the line; a folder's files end by the hundred in that time."""
_MINUTE, _HOUR = 60, 3600


class ProgressLine:
    """Shown on a terminal only.

    Args:
        output: Where.
    """

    def __init__(self, output: Output) -> None:
        self._output = output
        self._source = ""
        self._batch: BatchProgress | None = None
        self._shown = -math.inf

    def source(self, source: str) -> None:
        """This source is being worked on."""
        self._source = source
        self._show()

    def batch(self, progress: BatchProgress) -> None:
        """The batch stands there."""
        self._batch = progress
        self._show()

    def clear(self) -> None:
        """Take the line away; it comes back with the next news."""
        if self._shown > -math.inf:
            self._output.progress("")
            self._shown = -math.inf

    def _show(self) -> None:
        now = time.monotonic()
        if now - self._shown >= _PAUSE:
            self._shown = now
            parts = batch_parts(self._batch) if self._batch is not None else []
            self._output.progress(" · ".join([*parts, self._source]))


def batch_parts(progress: BatchProgress) -> list[str]:
    """The parts of the line that tell about a whole batch."""
    share = progress.done * 100 // progress.total if progress.total else 0
    parts = [f"{share}%", f"{progress.done}/{progress.total}"]
    if progress.passages:
        passages = ngettext("{n} 块", "{n} 块", progress.passages)
        parts.append(passages.format(n=progress.passages))
    if progress.failed:
        parts.append(ngettext("{n} 个失败", "{n} 个失败", progress.failed).format(n=progress.failed))
    if progress.seconds_left is not None and progress.done < progress.total:
        parts.append(time_left(progress.seconds_left))
    return parts


def time_left(seconds: float) -> str:
    """An estimate in words, as exact as it deserves."""
    if seconds < _MINUTE:
        n = max(1, math.ceil(seconds))
        return ngettext("剩余约 {n} 秒", "剩余约 {n} 秒", n).format(n=n)
    if seconds < _HOUR:
        n = math.ceil(seconds / _MINUTE)
        return ngettext("剩余约 {n} 分钟", "剩余约 {n} 分钟", n).format(n=n)
    hours, rest = divmod(seconds, _HOUR)
    return _("剩余约 {hours} 小时 {minutes} 分").format(hours=int(hours), minutes=int(rest // _MINUTE))
