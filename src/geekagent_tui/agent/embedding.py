"""How far dense retrieval is, followed for the status line."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from geekagent_tui.rag.errors import RagError
from geekagent_tui.rag.model import DenseStatus

if TYPE_CHECKING:
    from geekagent_tui.rag.service import RagService

PAUSE = 1.0
"""Seconds between two looks while passages get their vectors."""

LONG_PAUSE = 15.0
"""Seconds between two looks while they can't be made, such as when a server does not answer."""

_log = logging.getLogger(__name__)


class Embedding:
    """Follows how many passages have vectors; does nothing when dense retrieval is off.

    Args:
        rag: The knowledge base.
        moved: Called when it has moved.

    Attributes:
        status: As of the last look; None when dense retrieval is off.
    """

    def __init__(self, rag: RagService, moved: Callable[[], None]) -> None:
        self.status: DenseStatus | None = None
        self._rag = rag
        self._moved = moved
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Look once, then follow if there is something to follow."""
        await self._look()
        if self.status is not None:
            self._task = asyncio.create_task(self._follow(), name="embedding-follow")

    def nudge(self) -> None:
        """Documents may have changed."""
        self._changed.set()

    async def close(self) -> None:
        """Stop following."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _follow(self) -> None:
        while True:
            await self._rest()
            self._changed.clear()
            await self._look()

    async def _rest(self) -> None:
        """Wait until it is worth another look."""
        status = self.status
        if status is None or (status.embedded >= status.passages and not status.problem):
            await self._changed.wait()
        await asyncio.sleep(LONG_PAUSE if status is not None and status.problem else PAUSE)

    async def _look(self) -> None:
        try:
            status = await self._rag.dense_status()
        except RagError:
            _log.exception("looking how far vectors are")
            return
        seen = status if status.model else None
        if seen != self.status:
            self.status = seen
            self._moved()
