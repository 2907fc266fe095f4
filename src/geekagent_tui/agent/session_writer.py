"""Writing a session's records off the event loop, in order."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor

from geekagent_tui.agent.records import Record
from geekagent_tui.agent.sessions import SessionFile

_log = logging.getLogger(__name__)


class SessionWriter:
    """A session's file and the one thread that writes it.

    Args:
        file: The session.
        on_written: Called on the event loop after each write with the error, or None.

    Attributes:
        error: Why the last write failed; None when it did not.
    """

    def __init__(self, file: SessionFile, on_written: Callable[[OSError | None], None]) -> None:
        self._file = file
        self._on_written = on_written
        self._outbox: deque[tuple[Record, bool]] = deque()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="session")
        self._last: Future[None] | None = None
        self._closed = False
        self.error: OSError | None = None

    def write(self, records: Iterable[Record], *, durable: bool = True) -> None:
        """Write records soon; `durable` ones reach the disk, not only the operating system."""
        if self._closed:
            return
        before = len(self._outbox)
        self._outbox.extend((record, durable) for record in records)
        if len(self._outbox) > before:
            self._last = self._thread.submit(self._drain, asyncio.get_running_loop())

    async def written(self) -> None:
        """Wait until everything is in the file, or has failed to get there."""
        if self._last is not None:
            await asyncio.wait([asyncio.wrap_future(self._last)])

    def close(self) -> None:
        """Let go of the file as soon as everything is in it; safe to call twice."""
        if not self._closed:
            self._closed = True
            self._last = self._thread.submit(self._finish)
            self._thread.shutdown(wait=False)

    def _finish(self) -> None:
        """In the thread: try once more what could not be written, and let go of the file."""
        try:
            self._file.append([])
        except OSError:
            _log.exception("session %s", self._file.session)
        finally:
            self._file.close()

    def _drain(self, loop: asyncio.AbstractEventLoop) -> None:
        """In the thread: write all that has gathered meanwhile, and sync once."""
        records: list[Record] = []
        must_last = False
        while self._outbox:
            record, durable = self._outbox.popleft()
            records.append(record)
            must_last = must_last or durable
        if not records:
            return
        error: OSError | None = None
        try:
            self._file.append(records, durable=must_last)
        except OSError as failure:
            _log.exception("session %s", self._file.session)
            error = failure
        self.error = error
        loop.call_soon_threadsafe(self._on_written, error)
