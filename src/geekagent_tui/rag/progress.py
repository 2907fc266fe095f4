"""How far a batch has come, and how long it may still take."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable

from geekagent_tui.rag.model import BatchProgress, IngestResult, IngestState

_NEWS_SECONDS = 0.2
"""Least time between two events about a batch."""
_MEMORY = 10.0
"""Seconds after which what was seen counts a third: unchanged sources go faster than new ones."""
_GROWTH_MEMORY = 3.0
"""The same for sources that were found: a sitemap's come all at once and then no more."""
_BASIS_SECONDS = 1.0
_BASIS_SOURCES = 2.0
"""Time and sources without which nothing is said."""
_LONGEST = 30 * 86_400.0
"""Seconds above which an estimate says nothing."""
_READ_SHARE = 0.8
"""How much of a source's work is done when all its bytes are there; a guess, and no more is needed."""


class Estimate:
    """The time that is left, from how fast the number of open sources has been falling lately.

    A crawl finds sources while it works. As long as they come as fast as they are done there is no telling.
    """

    def __init__(self) -> None:
        self._began: float | None = None
        self._last = 0.0
        self._done = self._total = 0.0
        self._seconds = self._growth_seconds = 0.0
        self._recent = self._growth = 0.0

    def update(self, now: float, done: float, total: float) -> float | None:
        """The seconds that are left.

        Args:
            now: Seconds of any steady clock.
            done: Sources that have ended; a part of one counts too.
            total: Sources known so far.

        Returns:
            None while there is nothing to base it on.
        """
        if self._began is None:
            self._began, self._last, self._done, self._total = now, now, done, total
        passed = max(0.0, now - self._last)
        fade, growth_fade = math.exp(-passed / _MEMORY), math.exp(-passed / _GROWTH_MEMORY)
        self._seconds = self._seconds * fade + passed
        self._growth_seconds = self._growth_seconds * growth_fade + passed
        self._recent = self._recent * fade + max(0.0, done - self._done)
        self._growth = self._growth * growth_fade + max(0.0, total - self._total)
        self._last, self._done, self._total = max(now, self._last), done, total
        if done >= total:
            return 0.0
        if self._last - self._began < _BASIS_SECONDS or done < min(_BASIS_SOURCES, total / 2):
            return None
        speed = self._recent / self._seconds - self._growth / self._growth_seconds
        if speed <= (total - done) / _LONGEST:
            return None
        return (total - done) / speed


class Meter:
    """Counts what happens in a batch, and tells it now and then; used in the event loop.

    Args:
        tell: Whom.
    """

    def __init__(self, tell: Callable[[BatchProgress], None]) -> None:
        self._tell = tell
        self._began = self._last = time.monotonic()
        self._estimate = Estimate()
        self._reading: dict[int, tuple[int, float]] = {}
        self._late: asyncio.TimerHandle | None = None
        self._done = self._total = self._bytes = self._passages = self._failed = 0

    def grown(self, total: int) -> None:
        """There are so many sources now."""
        self._total = total

    def read(self, position: int, done: int, size: int | None) -> None:
        """So many bytes of one source are there, of so many, if that is known."""
        before, _part = self._reading.get(position, (0, 0.0))
        self._bytes += done - before
        self._reading[position] = done, min(1.0, done / size) * _READ_SHARE if size else 0.0
        self._now_and_then()

    def ended(self, position: int, result: IngestResult) -> None:
        """One source has ended."""
        self._reading.pop(position, None)
        self._done += 1
        self._failed += result.state is IngestState.FAILED
        if result.state in (IngestState.ADDED, IngestState.UPDATED):
            self._passages += result.passages
        self._now_and_then()

    def finish(self) -> None:
        """Tell how far it came in the end; nothing is told after that."""
        self._say(time.monotonic())

    def _now_and_then(self) -> None:
        """Tell it now, or when it is time: the last news before a long silence are told, too."""
        now = time.monotonic()
        if now - self._last >= _NEWS_SECONDS:
            self._say(now)
        elif self._late is None:
            wait = self._last + _NEWS_SECONDS - now
            self._late = asyncio.get_running_loop().call_later(wait, self._say_late)

    def _say_late(self) -> None:
        self._say(time.monotonic())

    def _say(self, now: float) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None
        self._last = now
        parts = sum(part for _bytes, part in self._reading.values())
        left = self._estimate.update(now - self._began, self._done + parts, self._total)
        seconds = now - self._began
        self._tell(
            BatchProgress(self._done, self._total, self._bytes, self._passages, self._failed, seconds, left)
        )
