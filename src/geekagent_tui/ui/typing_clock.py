"""When the user last typed."""

from __future__ import annotations

import asyncio
import time

SLEEP = 0.5
"""Seconds without a key before a dialog that nobody asked for comes, and listens to keys (DESIGN §5)."""


class TypingClock:
    """Knows the last key, and waits for a pause."""

    def __init__(self) -> None:
        self._last = -1e9

    def touch(self) -> None:
        """A key was typed, or something pasted."""
        self._last = time.monotonic()

    async def pause(self, seconds: float) -> None:
        """Wait until nothing has been typed for so long."""
        while True:
            left = self._last + seconds - time.monotonic()
            if left <= 0:
                return
            await asyncio.sleep(left)
