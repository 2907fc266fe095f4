"""Storing the documents of a batch, as many in one transaction as are ready."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import NamedTuple

from geekagent_tui.rag.errors import RagError
from geekagent_tui.rag.lane import Lane, until_done
from geekagent_tui.rag.prepare import Prepared
from geekagent_tui.rag.raw import Raw
from geekagent_tui.rag.schedule import Place
from geekagent_tui.rag.store import NewDocument, Store, Stored

ROOM = 16
"""Documents that may wait for the transaction that is going on."""


class Ready(NamedTuple):
    """A document to be stored, and where it stands in its batch."""

    place: Place
    raw: Raw
    prepared: Prepared


class Shelf:
    """Takes documents and stores them; each transaction waits for the disk, so they share it.

    Args:
        lane: The thread that writes the database.
        stored: Called for each document, in the event loop, once it is durable or has failed.
        durable: Called with documents before that, in the lane's thread, as soon as they are durable.
        again: What `NewDocument.again` says of them.
        tags: What each of them is to have.
    """

    def __init__(
        self,
        lane: Lane[Store],
        stored: Callable[[Ready, Stored | BaseException], None],
        durable: Callable[[Sequence[Ready]], None],
        *,
        again: bool = False,
        tags: Sequence[str] = (),
    ) -> None:
        self._again = again
        self._tags = tags
        self._lane = lane
        self._stored = stored
        self._durable = durable
        self._waiting: asyncio.Queue[Ready | None] = asyncio.Queue(ROOM)

    async def put(self, ready: Ready) -> None:
        """Hand over a document; waits while there is no room."""
        await self._waiting.put(ready)

    async def end(self) -> None:
        """Say that nothing more comes."""
        await self._waiting.put(None)

    async def run(self) -> None:
        """Store documents until the end; when cancelled, first finish the transaction that has begun."""
        more = True
        while more:
            portion = [await self._waiting.get()]
            while not self._waiting.empty():
                portion.append(self._waiting.get_nowait())
            more = None not in portion
            await self._store([ready for ready in portion if ready is not None])

    async def _store(self, portion: Sequence[Ready]) -> None:
        if not portion:
            return
        work = self._lane.start(self._put, portion)
        cancelled = await until_done(work)
        error = work.exception()
        # What is wrong with one document only must not take the others with it
        apart = error is not None and not isinstance(error, RagError) and len(portion) > 1
        if not apart:
            outcomes: Sequence[Stored | BaseException]
            outcomes = work.result() if error is None else [error] * len(portion)
            for ready, outcome in zip(portion, outcomes, strict=True):
                self._stored(ready, outcome)
        if cancelled:
            raise asyncio.CancelledError
        for ready in portion if apart else ():
            await self._store([ready])

    def _put(self, store: Store, portion: Sequence[Ready]) -> list[Stored]:
        outcomes = store.put([self._new_document(ready) for ready in portion])
        self._durable(portion)
        return outcomes

    def _new_document(self, ready: Ready) -> NewDocument:
        source = ready.place.source
        return NewDocument(
            source.identity,
            source.kind,
            ready.prepared.title,
            ready.prepared.text,
            ready.prepared.spans,
            etag=ready.raw.etag,
            last_modified=ready.raw.last_modified,
            final_url=ready.raw.final_url,
            again=self._again,
            tags=self._tags,
        )
