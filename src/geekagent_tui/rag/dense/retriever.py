"""Dense retrieval as the rag service uses it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from geekagent_tui.config import Embeddings
from geekagent_tui.i18n import _
from geekagent_tui.rag import queries
from geekagent_tui.rag.dense import table
from geekagent_tui.rag.dense.centres import Centres
from geekagent_tui.rag.dense.encoder import LONGEST_QUESTION, Encoder, EncoderError, Rows, load_numpy
from geekagent_tui.rag.dense.keeper import Keeper
from geekagent_tui.rag.dense.local import LocalEncoder
from geekagent_tui.rag.dense.matrix import Matrix, Near
from geekagent_tui.rag.dense.server import ServerEncoder
from geekagent_tui.rag.dense.silence import Silence
from geekagent_tui.rag.lane import Lane
from geekagent_tui.rag.model import DenseStatus
from geekagent_tui.rag.store import Store

_PROBE = "?"


class Retriever:
    """A model, the task that keeps the passages' vectors, and the matrix for the search thread.

    Args:
        settings: Which model.
        read: Reads the database.
        write: Writes it.
        lock: The file whose lock means that a process is making vectors.
    """

    def __init__(self, settings: Embeddings, read: Lane[Store], write: Lane[Store], lock: Path) -> None:
        self._settings = settings
        self._encoder = encoder_of(settings)
        self._read = read
        self._keeper = Keeper(self._encoder, read, write, lock)
        self._matrix = Matrix(self._keeper.name, self._encoder.parts)
        self._asked: set[asyncio.Task[Rows]] = set()
        self._silence = Silence()

    def nudge(self) -> None:
        """Documents may lack vectors."""
        self._keeper.nudge()

    async def complete(self) -> None:
        """Wait until every passage has its vectors.

        Raises:
            RagError: They can't be made.
        """
        await self._keeper.complete()

    async def near(self, text: str) -> tuple[Near | None, str]:
        """A question as a vector; None, and a sentence that says why, when it has to do without."""
        centres = await self._keeper.centres()
        if centres is None:
            return None, self._keeper.problem or _("向量还没有建好，这次只按词检索")
        text = text.strip()[:LONGEST_QUESTION]
        if not text:
            return None, ""
        if self._silence.lasts:
            return None, _("这次只按词检索：向量模型刚才没有及时回答")
        try:
            vector = await self._vector(text, centres)
        except EncoderError as error:
            return None, _("这次只按词检索：{reason}").format(reason=error.message)
        return Near(self._matrix, vector, self._encoder.weight), ""

    async def status(self) -> DenseStatus:
        """How far the passages have vectors."""

        def look(store: Store) -> tuple[int, int]:
            with store.reading():
                return table.embedded(store, self._keeper.name), queries.stats(store).passages

        embedded, passages = await self._read.run(look)
        return DenseStatus(self._encoder.name, embedded, passages, self._keeper.problem)

    async def checked(self) -> DenseStatus:
        """`status`, with the model's problem of this moment."""
        try:
            await asyncio.to_thread(load_numpy)
            await self._asked_for(_PROBE)
            problem = ""
        except EncoderError as error:
            problem = error.message
        return replace(await self.status(), problem=problem)

    async def close(self) -> None:
        """Stop, and let go of the model."""
        await self._keeper.close()
        for task in self._asked:
            task.cancel()
        if self._asked:
            await asyncio.wait(self._asked)
        await self._encoder.close()

    async def _vector(self, text: str, centres: Centres) -> bytes:
        rows = await self._asked_for(text)

        def centred() -> bytes:
            return bytes(centres.centred(rows, [text], query=True).astype("<f4").tobytes())

        return await asyncio.to_thread(centred)

    async def _asked_for(self, text: str) -> Rows:
        """What the model makes of a question, if it does so in time."""
        # Not cancelled when it takes too long: that would end the model's process
        task = asyncio.create_task(self._encoder.embed([text], query=True), name="rag-question")
        self._asked.add(task)
        task.add_done_callback(self._done)
        await asyncio.wait([task], timeout=self._encoder.patience)
        if not task.done():
            self._silence.begin()
            raise EncoderError(_("问题的向量 {n:g} 秒内没有算好").format(n=self._encoder.patience))
        return task.result()

    def _done(self, task: asyncio.Task[Rows]) -> None:
        self._asked.discard(task)
        if not task.cancelled() and task.exception() is None:  # which a search that has given up doesn't ask
            self._silence.end()


def encoder_of(settings: Embeddings) -> Encoder:
    """The model that the settings name."""
    return ServerEncoder(settings) if settings.base_url else LocalEncoder(settings.model)
