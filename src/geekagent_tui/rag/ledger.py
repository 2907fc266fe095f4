"""The sources of a batch, how each has ended, and whoever is to know: front ends and the queue on disk."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from geekagent_tui.rag import queue_format
from geekagent_tui.rag.model import (
    IngestEvent,
    IngestFinished,
    IngestPhase,
    IngestProgress,
    IngestResult,
    IngestState,
)
from geekagent_tui.rag.progress import Meter
from geekagent_tui.rag.queue_files import Queued

OnEvent = Callable[[IngestEvent], None]

SLICE = 100
"""Sources that are told about without a pause for whatever else the event loop has to do."""
_CAME_TO_NOTHING = (IngestState.FAILED, IngestState.SKIPPED)


class Ledger:
    """Positions count from 1.

    Args:
        tell: Told about progress, in the event loop, if anybody is.
        queued: Where it is written down what has ended.

    Attributes:
        queued: The same.
    """

    def __init__(self, tell: OnEvent | None, queued: Queued) -> None:
        self.queued = queued
        self._tell = tell or _ignore
        self._meter = Meter(self._tell)
        self._names: list[str] = []
        self._results: list[IngestResult | None] = []
        self._written: set[int] = set()

    def enter(self, name: str, result: IngestResult | None = None) -> int:
        """Add a source, or words that stand for none and have ended already; return its position."""
        self._names.append(name)
        self._results.append(result)
        self._meter.grown(len(self._results))
        return len(self._results)

    def name(self, position: int) -> str:
        """What the source was called when it was entered."""
        return self._names[position - 1]

    def result(self, position: int) -> IngestResult | None:
        """How a source has ended, if it has."""
        return self._results[position - 1]

    def came_to_nothing(self, position: int) -> bool:
        """Whether a source has ended without a document."""
        result = self.result(position)
        return result is not None and result.state in _CAME_TO_NOTHING

    def results(self) -> list[IngestResult]:
        """How they have ended, those that have, in order."""
        return [result for result in self._results if result is not None]

    async def begin(self) -> None:
        """Tell about the words that stand for no source."""
        for position, result in enumerate(self._results, start=1):
            if position % SLICE == 0:
                await asyncio.sleep(0)
            if result is not None:
                self._told(position, result)

    def moved(self, position: int, phase: IngestPhase, done: int = 0, size: int | None = None) -> None:
        """Tell what is done to a source, and how many of its bytes are there."""
        if done:
            self._meter.read(position, done, size)
        total = len(self._results)
        self._tell(IngestProgress(self.name(position), position, total, phase, done, size))

    def read(self, position: int, size: int) -> None:
        """All bytes of a source are there."""
        self._meter.read(position, size, size)

    def end(self, position: int, result: IngestResult, identity: str) -> None:
        """A source has ended; as a document, if it became one, that is called `identity`."""
        self._results[position - 1] = result
        if position not in self._written and result.state is not IngestState.CANCELLED:
            stored_as = "" if result.state in _CAME_TO_NOTHING else identity
            self.queued.note(queue_format.ended(self.name(position), stored_as))
        self._told(position, result)

    def write_ends(self, documents: Sequence[tuple[int, str]]) -> None:
        """Write down that documents are stored, before anybody is told; in a thread.

        Args:
            documents: Position and identity of each.
        """
        self.queued.write([queue_format.ended(self.name(at), identity) for at, identity in documents])
        self._written.update(at for at, _identity in documents)

    def close(self) -> None:
        """Tell how far the batch came in the end."""
        self._meter.finish()

    def _told(self, position: int, result: IngestResult) -> None:
        self._meter.ended(position, result)
        self._tell(IngestFinished(result, position, len(self._results)))


def _ignore(_event: IngestEvent) -> None:
    pass
