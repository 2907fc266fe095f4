"""The list of documents as front ends show it, kept up to date whoever changes the knowledge base."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from geekagent_tui.agent.events import Event, KnowledgeChanged
from geekagent_tui.rag.errors import RagError
from geekagent_tui.rag.model import Document, Stats

if TYPE_CHECKING:
    from geekagent_tui.rag.service import RagService

REST = 0.2
"""Seconds between two looks, so that a batch of a thousand documents is not listed a thousand times."""

MANY = 1000
"""Documents from which on listing them all takes so long that it is done more rarely."""

LONG_REST = 1.0
"""Seconds between two looks at that many."""

FRESH = 300.0
"""Seconds between two looks at whether sources have changed since they were read."""

_log = logging.getLogger(__name__)


class Knowledge:
    """Follows the knowledge base.

    Args:
        rag: The knowledge base.
        publish: Tells the front ends.
        seen: Called after each look at the list.

    Attributes:
        documents: As of the last look.
        stats: Likewise.
    """

    def __init__(
        self, rag: RagService, publish: Callable[[Event], None], seen: Callable[[], Awaitable[None]]
    ) -> None:
        self.documents: tuple[Document, ...] = ()
        self.stats = Stats(0, 0, 0)
        self._rag = rag
        self._publish = publish
        self._seen = seen
        self._revision: int | None = None
        self._looking = asyncio.Lock()
        self._changed = asyncio.Event()
        self._doubtful = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Look once, then follow."""
        self._tasks = [
            asyncio.create_task(self._watch(), name="knowledge-watch"),
            asyncio.create_task(self._follow(), name="knowledge-follow"),
            asyncio.create_task(self._freshen(), name="knowledge-freshen"),
        ]
        await self.look()

    async def look(self) -> None:
        """Read the list now and tell the front ends."""
        async with self._looking:  # else an older list could come after a newer one
            documents = await self._rag.documents()
            self.documents, self.stats = await asyncio.to_thread(_summed, documents)
            self._publish(KnowledgeChanged(self.documents, self.stats))
        await self._seen()

    async def moved(self) -> None:
        """Something may have been changed here: look now, unless there are many documents.

        Then the change is seen as any other one is, within `LONG_REST` seconds.
        """
        self._doubtful.set()
        if len(self.documents) <= MANY:
            await self.look()

    async def close(self) -> None:
        """Stop following."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _watch(self) -> None:
        try:
            async with contextlib.aclosing(self._rag.watch()) as changes:
                async for change in changes:
                    if change.revision != self._revision:
                        self._revision = change.revision
                        self._changed.set()
        except RagError:
            _log.exception("the knowledge base is not followed any more")

    async def _follow(self) -> None:
        while True:
            await self._changed.wait()
            self._changed.clear()
            try:
                await self.look()
            except RagError:
                _log.exception("listing documents")
            await asyncio.sleep(LONG_REST if len(self.documents) > MANY else REST)

    async def _freshen(self) -> None:
        """See now and then, and after each change made here, which sources have changed since."""
        while True:
            self._doubtful.clear()
            try:
                if await self._rag.look_for_stale():
                    await self.look()
            except RagError:
                _log.exception("looking for stale documents")
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._doubtful.wait(), FRESH)


def _summed(documents: Sequence[Document]) -> tuple[tuple[Document, ...], Stats]:
    """The documents and their sums, both of the same moment."""
    passages = sum(document.passages for document in documents)
    characters = sum(document.characters for document in documents)
    return tuple(documents), Stats(len(documents), passages, characters)
