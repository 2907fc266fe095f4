"""The task that gives passages their vectors, document by document, behind everything else's back."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import logging
import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path

from geekagent_tui.files import try_lock
from geekagent_tui.i18n import _
from geekagent_tui.rag.dense import table
from geekagent_tui.rag.dense.centres import Centres, stored_name
from geekagent_tui.rag.dense.encoder import Encoder, EncoderError, Rows
from geekagent_tui.rag.dense.pieces import described
from geekagent_tui.rag.errors import RagError, StoreError
from geekagent_tui.rag.lane import Lane, until_done
from geekagent_tui.rag.store import Store
from geekagent_tui.sanitize import clean_line

_REST = 30.0
_LONGEST_REST = 3600.0
"""Seconds after a failure before the next attempt: twice as many each time, up to the second number."""
_SHORTEST_REST = 1.0
"""Seconds of it that pass even when something has changed."""
_LOOK = 0.5
"""Seconds between two looks while another process is at it."""
_MOST_TEXTS = 32
_REFUSALS = 3
"""Documents that may fail one after another before it is thought that all do."""

_Version = tuple[int, int]
"""A document's id and revision."""
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
        self._attempt: asyncio.Task[None] | None = None
        self._refused: dict[_Version, int] = {}
        self._refusals = 0

    def nudge(self) -> None:
        """Something has changed: begin, if that is not going on already."""
        self._wanted = True
        self._nudged.set()
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name="rag-vectors")

    async def complete(self) -> None:
        """Embed everything now, and wait for it; what is going on already goes on.

        Raises:
            RagError: It can't be done.
        """
        if self._attempt is not None and not self._attempt.done():
            await self._attempted()  # it may have looked for the last time before the latest change
        await self._attempted()

    async def centres(self) -> Centres | None:
        """What is known about the model; None before the first document."""
        if self._centres is None:
            self._centres = await self._read.run(table.centres, self.name)
        return self._centres

    async def close(self) -> None:
        """Stop; what is missing is made at the next start."""
        running = [task for task in (self._task, self._attempt) if task is not None]
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running)

    async def _run(self) -> None:
        while self._wanted and not self._lasting:
            self._wanted = False
            self._nudged.clear()
            try:
                await self._attempted()
            except RagError as error:
                _log.warning("no vectors: %s", error)
                self._wanted = True
                if not self._lasting:
                    await self._pause()

    async def _pause(self) -> None:
        """Rest until the next attempt, or until something has changed."""
        await asyncio.sleep(_SHORTEST_REST)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._rest):
                await self._nudged.wait()
        self._rest = min(2 * self._rest, _LONGEST_REST)

    async def _attempted(self) -> None:
        """Wait for an attempt at everything; one at a time, whoever wants it.

        Raises:
            RagError: It failed.
        """
        if self._attempt is None or self._attempt.done():
            self._attempt = asyncio.create_task(self._try_all(), name="rag-vectors-attempt")
            self._attempt.add_done_callback(_taken_note_of)
        attempt = self._attempt
        await asyncio.wait([attempt])  # whoever gives up waiting does not end it for the others
        if attempt.cancelled():
            raise StoreError(_("知识库已关闭"))
        attempt.result()

    async def _try_all(self) -> None:
        try:
            await self._embed_all()
        except RagError as error:
            self.problem = error.message
            self._lasting = isinstance(error, EncoderError) and error.lasting
            raise
        except Exception as error:
            _log.exception("making vectors failed")
            reason = (error.strerror if isinstance(error, OSError) else None) or clean_line(str(error))
            self.problem = _("建立向量时出错：{reason}").format(reason=reason)
            raise RagError(self.problem) from error
        self.problem = ""
        self._lasting = False
        self._rest = _REST

    async def _embed_all(self) -> None:
        """Embed all that lacks vectors.

        A document that the model refuses, for whatever is in it, does not keep back the others: it comes
        last from then on, and the one whose refusal is the longest ago first of these.

        Raises:
            EncoderError: Some are left, or all, because several in turn were refused.
        """
        first: EncoderError | None = None
        tried: set[_Version] = set()
        async with self._turn():
            while left := await self._left(tried):
                in_turn = 0
                for each in left:
                    tried.add(each)
                    try:
                        await self._embed_one(each[0])
                    except EncoderError as error:
                        first = first or error
                        in_turn += 1
                        self._refusals += 1
                        self._refused[each] = self._refusals
                        if error.lasting or in_turn == _REFUSALS:
                            raise
                    else:
                        in_turn = 0
        if first is not None:
            raise first

    async def _left(self, tried: set[_Version]) -> list[_Version]:
        """What lacks vectors and was not tried, in the order in which to try it."""
        lacking = await self._read.run(_lacking, self.name, dict(self._refused))
        self._refused = {each: self._refused[each] for each in lacking if each in self._refused}
        return [each for each in lacking if each not in tried]

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
        data = await asyncio.to_thread(_ordered, found, centres.width, places)
        await self._write.run(table.put, document, self.name, data)

    @contextlib.asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """Hold the lock between processes: no passage is embedded twice."""
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        opening = asyncio.ensure_future(asyncio.to_thread(os.open, self._lock, flags, 0o600))
        cancelled = await until_done(opening)
        descriptor = opening.result()
        try:
            if cancelled:
                raise asyncio.CancelledError
            while not try_lock(descriptor, fcntl.LOCK_EX):  # noqa: ASYNC110  # it sets no event
                await asyncio.sleep(_LOOK)
            yield
        finally:
            os.close(descriptor)


def _taken_note_of(attempt: asyncio.Task[None]) -> None:
    if not attempt.cancelled():
        attempt.exception()  # whoever waited for it may have given up


def _lacking(store: Store, name: str, refused: Mapping[_Version, int]) -> list[_Version]:
    return sorted(table.lacking(store, name), key=lambda each: refused.get(each, 0))


def _texts(document: table.Unembedded, parts: int) -> tuple[list[str], list[int | None]]:
    """The texts to embed, and for each of the document's vectors which text it is of.

    A blank passage, which an imported file may have, has no text: `None`.
    """
    texts: list[str] = []
    places: list[int | None] = []
    for heading, text in document.passages:
        found = described(document.title, heading, text, parts)
        first = len(texts)
        texts += found
        places += [first + min(part, len(found) - 1) if found else None for part in range(parts)]
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


def _ordered(found: Sequence[bytes], width: int, places: Sequence[int | None]) -> bytes:
    """The vectors at some places, where one may stand at several; at none, one that nothing is close to."""
    data, size = b"".join(found), table.NUMBER * width
    nothing = bytes(size)
    return b"".join(nothing if at is None else data[size * at : size * (at + 1)] for at in places)
