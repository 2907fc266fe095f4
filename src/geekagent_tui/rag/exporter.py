"""Writing index.json while a batch goes on, and after every change."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable

from geekagent_tui.rag.errors import RagError
from geekagent_tui.rag.exchange import Exchange
from geekagent_tui.rag.lane import Lane, until_done
from geekagent_tui.rag.store import Store

_REST_SECONDS = 1.0

_log = logging.getLogger(__name__)


class Exporter:
    """Writes the file in a thread; a failure is logged, for the database has everything.

    Args:
        exchange: The file.
        lane: The thread that writes it.
        told: Called with sentences for the user.
    """

    def __init__(self, exchange: Exchange, lane: Lane[Store], told: Callable[[list[str]], None]) -> None:
        self._exchange = exchange
        self._lane = lane
        self._told = told
        self._began = 0.0
        self._writing = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None

    def nudge(self) -> None:
        """Write the file in the background, unless that was begun less than a second ago."""
        running = self._task is not None and not self._task.done()
        if not running and time.monotonic() - self._began >= _REST_SECONDS:
            self._task = asyncio.create_task(self.write(), name="rag-export")

    async def write(self) -> None:
        """Write the file if it is behind."""
        async with self._writing:
            self._began = time.monotonic()
            try:
                self._told(await self._write())
            except RagError as error:
                _log.warning("index.json was not written: %s", error)

    async def _write(self) -> list[str]:
        work = self._lane.start(_write, self._exchange)
        if await until_done(work):
            work.exception()
            raise asyncio.CancelledError
        return work.result()

    async def close(self) -> None:
        """Write what is missing, and wait for it."""
        if self._task is not None:
            await asyncio.wait([self._task])
        await self.write()


def _write(store: Store, exchange: Exchange) -> list[str]:
    return exchange.write(store)
