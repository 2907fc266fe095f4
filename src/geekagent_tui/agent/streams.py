"""Reading a model's stream without keeping the event loop, and letting go of it at once."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator

from geekagent_tui.agent.models.base import ModelEvent

BREATH = 0.005
"""Seconds a stream may keep the event loop to itself."""


class Breath:
    """Lets others run now and then, also when a model streams without ever waiting."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    async def take(self) -> None:
        """Give way if it has been a while."""
        if time.monotonic() - self._last > BREATH:
            await asyncio.sleep(0)
            self._last = time.monotonic()


@contextlib.asynccontextmanager
async def closing(stream: AsyncIterator[ModelEvent]) -> AsyncIterator[AsyncIterator[ModelEvent]]:
    """Close a stream that is an async generator, so that its request ends with the turn."""
    try:
        yield stream
    finally:
        close = getattr(stream, "aclose", None)
        if close is not None:
            await close()
