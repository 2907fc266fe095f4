"""Telling whoever watches that the knowledge base has changed."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable

from geekagent_tui.rag.errors import RagError
from geekagent_tui.rag.model import Change

POLL_SECONDS = 1.0
"""How often other processes' changes are looked for."""

_log = logging.getLogger(__name__)


class Watch:
    """The last known revision, and those who wait for the next one.

    Args:
        look: Reads the database's revision.
    """

    def __init__(self, look: Callable[[], Awaitable[int]]) -> None:
        self._revision = 0
        self._look = look
        self._changed = asyncio.Event()
        self._closed = False
        self._poll: asyncio.Task[None] | None = None

    def tell(self, revision: int) -> None:
        """A change was made."""
        if revision > self._revision:
            self._revision = revision
            self._wake()

    def changes(self) -> AsyncGenerator[Change, None]:
        """Every change from now on, several at once as the last of them; ends when the service closes."""
        if self._poll is None and not self._closed:
            self._poll = asyncio.create_task(self._look_again(), name="rag-poll")
        return self._after(self._revision)

    async def _after(self, seen: int) -> AsyncGenerator[Change, None]:
        while not self._closed:
            if seen == self._revision:
                await self._changed.wait()
                continue
            seen = self._revision
            yield Change(seen)

    async def close(self) -> None:
        """Stop looking and end every iterator."""
        self._closed = True
        self._wake()
        if self._poll is not None:
            self._poll.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._poll

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def _look_again(self) -> None:
        while True:
            await asyncio.sleep(POLL_SECONDS)
            try:
                self.tell(await self._look())
            except RagError as error:
                _log.warning("looking for changes: %s", error)
