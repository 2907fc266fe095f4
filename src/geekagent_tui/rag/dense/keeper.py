"""The task that gives passages their vectors, document by document, behind everything else's back."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import logging
import os
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

from geekagent_tui.files import try_lock
from geekagent_tui.rag.dense import table
from geekagent_tui.rag.dense.centres import Centres, stored_name
from geekagent_tui.rag.dense.encoder import Encoder, EncoderError, Rows
from geekagent_tui.rag.dense.pieces import described
from geekagent_tui.rag.errors import RagError
from geekagent_tui.rag.lane import Lane
from geekagent_tui.rag.store import Store

_AT_ONCE = 256
"""Documents that are looked for together."""
_REST = 30.0
_LONGEST_REST = 3600.0
"""Seconds after a failure before the next attempt: twice as many each time, up to the second number."""
_SHORTEST_REST = 1.0
"""Seconds of it that pass even when something has changed."""
_LOOK = 0.5
"""Seconds between two looks while another process is at it."""
_MOST_TEXTS = 32
_REFUSALS = 3
"""Documents that may fail before it is thought that all do."""

Tell = Callable[[int, int], None]
"""Told how many passages have vectors, and of how many."""

_log = logging.getLogger(__name__)


class Keeper:
    """Embeds what lacks vectors when it is nudged; one task does it, which `close` ends.

    Args:
        encoder: The model.
        read: Reads passages.
        write: Stores vectors.
        lock: The file whose lock means that a process is at it.

    Attributes:
        problem: Why it could not go on the last time, a sentence; else empty.
    """

    def __init__(self, encoder: Encoder, read: Lane[Store], write: Lane[Store], lock: Path) -> None:
        self.problem = ""
        self.name = stored_name(encoder)
        self._encoder = encoder
        self._read = read
        self._write = write
        self._lock = lock
        self._centres: Centres | None = None
        self._wanted = False
        self._lasting = False
        self._nudged = asyncio.Event()
        self._rest = _REST
        self._task: asyncio.Task[None] | None = None

    def nudge(self) -> None:
        """Something has changed: begin, if that is not going on already."""
        self._wanted = True
        self._nudged.set()
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name="rag-vectors")

    async def complete(self) -> None:
        """Embed everything now, and wait for it.

        Raises:
            RagError: It can't be done.
        """
        await self._stop()
        await self._embed_all()

    async def centres(self) -> Centres | None:
        """What is known about the model; None before the first document."""
        if self._centres is None:
            self._centres = await self._read.run(table.centres, self.name)
        return self._centres

    async def close(self) -> None:
        """Stop; what is missing is made at the next start."""
        await self._stop()

    async def _stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _run(self) -> None:
        while self._wanted and not self._lasting:
            self._wanted = False
            self._nudged.clear()
            try:
                await self._embed_all()
            except RagError as error:
                _log.warning("no vectors: %s", error)
                self.problem = error.message
                self._wanted = True
                self._lasting = isinstance(error, EncoderError) and error.lasting
                if not self._lasting:
                    await self._pause()
            except Exception:  # nobody waits for this task but to end it
                _log.exception("making vectors failed")
                return

    async def _pause(self) -> None:
        """Rest until the next attempt, or until something has changed."""
        await asyncio.sleep(_SHORTEST_REST)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._rest):
                await self._nudged.wait()
        self._rest = min(2 * self._rest, _LONGEST_REST)

    async def _embed_all(self) -> None:
        """Embed all that lacks vectors.

        A document that the model refuses, for whatever is in it, does not keep back the others.

        Raises:
            EncoderError: Some are left, or all, because several in turn were refused.
        """
        refused: dict[tuple[int, int], EncoderError] = {}
        async with self._turn():
            while documents := await self._read.run(table.lacking, self.name, _AT_ONCE):
                left = [each for each in documents if each not in refused]
                for each in left:
                    try:
                        await self._embed_one(each[0])
                    except EncoderError as error:
                        refused[each] = error
                        if error.lasting or len(refused) == _REFUSALS:
                            raise
                if not left:
                    raise next(iter(refused.values()))
        self.problem = ""
        self._rest = _REST

    async def _embed_one(self, id_: int) -> None:
        document = await self._read.run(table.unembedded, id_)
        if document is not None:
            await self._embed(document, await self.centres() or await self._learned())

    async def _learned(self) -> Centres:
        self._centres = await Centres.measured(self._encoder)
        await self._write.run(table.keep_centres, self.name, self._centres)
        return self._centres

    async def _embed(self, document: table.Unembedded, centres: Centres) -> None:
        texts, places = await asyncio.to_thread(_texts, document, self._encoder.parts)
        found: list[bytes] = []
        for job in _jobs(texts, self._encoder.job):
            rows = await self._encoder.embed(job, query=False)
            found.append(await asyncio.to_thread(_packed, centres, rows, job))
        data = await asyncio.to_thread(_ordered, found, 2 * centres.width, places)
        await self._write.run(table.put, document, self.name, data)

    @contextlib.asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """Hold the lock between processes: no passage is embedded twice."""
        descriptor = await asyncio.to_thread(
            os.open, self._lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
        )
        try:
            while not try_lock(descriptor, fcntl.LOCK_EX):  # noqa: ASYNC110  # it sets no event
                await asyncio.sleep(_LOOK)
            yield
        finally:
            os.close(descriptor)


def _texts(document: table.Unembedded, parts: int) -> tuple[list[str], list[int]]:
    """The texts to embed, and for each of the document's vectors which text it is of."""
    texts: list[str] = []
    places: list[int] = []
    for heading, text in document.passages:
        found = described(document.title, heading, text, parts)
        first = len(texts)
        texts += found
        places += [first + min(part, len(found) - 1) for part in range(parts)]
    return texts, places


def _jobs(texts: Sequence[str], most: int) -> list[list[str]]:
    jobs: list[list[str]] = []
    size = most
    for text in texts:
        if size + len(text) > most or len(jobs[-1]) == _MOST_TEXTS:
            jobs.append([])
            size = 0
        jobs[-1].append(text)
        size += len(text)
    return jobs


def _packed(centres: Centres, rows: Rows, texts: Sequence[str]) -> bytes:
    return bytes(centres.centred(rows, texts, query=False).astype("<f2").tobytes())


def _ordered(found: Sequence[bytes], size: int, places: Sequence[int]) -> bytes:
    """The vectors at some places, where one may stand at several."""
    data = b"".join(found)
    return b"".join(data[size * at : size * (at + 1)] for at in places)
