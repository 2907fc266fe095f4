"""What the settings add to the lexical search: vectors before it, a final order after it."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import replace
from pathlib import Path

from geekagent_tui.rag.changes import Watch
from geekagent_tui.rag.dense.matrix import Near
from geekagent_tui.rag.dense.rerank import CANDIDATES, Reranker
from geekagent_tui.rag.dense.retriever import Retriever
from geekagent_tui.rag.lane import Lane
from geekagent_tui.rag.model import DenseStatus, SearchResult
from geekagent_tui.rag.settings import Settings
from geekagent_tui.rag.store import Store


class Stage:
    """Owns the retriever and the reranker, where the settings want them.

    Args:
        settings: What is wanted.
        read: Reads the database.
        write: Writes it.
        watch: Tells about changes, after which passages may lack vectors.
        folder: The knowledge base's.
    """

    def __init__(
        self, settings: Settings, read: Lane[Store], write: Lane[Store], watch: Watch, folder: Path
    ) -> None:
        dense, rerank = settings.dense, settings.rerank
        self._retriever = Retriever(dense, read, write, folder / "vectors.lock") if dense else None
        self._reranker = Reranker(rerank) if rerank else None
        self._watch = watch
        self._following: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to embed what lacks vectors, now and after every change."""
        if self._retriever is not None:
            self._retriever.nudge()
            self._following = asyncio.create_task(self._follow(self._retriever), name="rag-vectors-follow")

    @property
    def has_vectors(self) -> bool:
        """Whether questions are to become vectors."""
        return self._retriever is not None

    async def near(self, text: str) -> tuple[Near | None, str]:
        """A question as a vector, and a sentence when it has to do without one against the user's wish."""
        return await self._retriever.near(text) if self._retriever else (None, "")

    def wanted(self, limit: int) -> int:
        """How many hits `finished` needs to give so many."""
        return max(limit, CANDIDATES) if self._reranker else limit

    async def finished(self, result: SearchResult, limit: int) -> SearchResult:
        """A result in its final order, cut to what was asked for."""
        if self._reranker is None:
            return result
        loop = asyncio.get_running_loop()
        began = loop.time()
        hits, note = await self._reranker.ordered(result.query, result.hits[:CANDIDATES])
        hits += result.hits[CANDIDATES:]
        spent = (loop.time() - began) * 1000
        notes = " ".join(filter(None, (result.note, note)))
        milliseconds = result.milliseconds + spent
        return replace(result, hits=tuple(hits[:limit]), note=notes, milliseconds=milliseconds)

    async def complete(self) -> None:
        """Wait until every passage has its vectors; at once when none is wanted.

        Raises:
            RagError: They can't be made.
        """
        if self._retriever is not None:
            await self._retriever.complete()

    async def status(self) -> DenseStatus:
        """How far the passages have vectors."""
        return await self._retriever.status() if self._retriever else DenseStatus()

    async def checked(self) -> DenseStatus:
        """`status`, after the model was tried."""
        return await self._retriever.checked() if self._retriever else DenseStatus()

    async def close(self) -> None:
        """Stop everything, let go of everything."""
        if self._following is not None:
            self._following.cancel()
            await asyncio.wait([self._following])
        if self._retriever is not None:
            await self._retriever.close()
        if self._reranker is not None:
            await self._reranker.close()

    async def _follow(self, retriever: Retriever) -> None:
        async with contextlib.aclosing(self._watch.changes()) as changes:
            async for _change in changes:
                retriever.nudge()
