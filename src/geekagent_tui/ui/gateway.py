"""The only way between the user interface and the agent core.

Everything that comes in is cleaned here, once: no widget ever holds a string that could steer a terminal.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from geekagent_tui.agent.typed import split_words
from geekagent_tui.rag.model import (
    Document,
    DocumentText,
    IngestResult,
    IngestState,
    SearchResult,
    Selection,
    SourcePreview,
)
from geekagent_tui.sanitize import clean, clean_value
from geekagent_tui.ui import ev
from geekagent_tui.ui.cleaning import cleaned, cleaned_document, without
from geekagent_tui.ui.offers import Offer, first_lines, offer
from geekagent_tui.ui.spelling import Spelling

_FAILURES = 10_000
"""Failed sources whose own spelling is kept, where what is shown differs."""


@dataclass(frozen=True, slots=True)
class CommandHint:
    """A command as completion and help show it.

    Attributes:
        name: With its slash.
        usage: Its arguments in short.
        help: What it does, one line.
    """

    name: str
    usage: str
    help: str


class Core(Protocol):
    """What the user interface needs of the agent core (`geekagent_tui.agent.core.Agent`)."""

    def subscribe(  # noqa: D102
        self, *, interactive: bool = False
    ) -> AbstractAsyncContextManager[AsyncIterator[ev.Event]]: ...
    async def submit(self, text: str) -> None: ...  # noqa: D102
    def interrupt(self) -> bool: ...  # noqa: D102
    def answer(self, request_id: str, decision: ev.Decision) -> bool: ...  # noqa: D102
    async def preview(self, typed: Sequence[str], crawl: int = 0) -> list[SourcePreview]: ...  # noqa: D102
    async def take_in(  # noqa: D102
        self, previews: Sequence[SourcePreview], *, tags: Sequence[str] = ()
    ) -> None: ...
    async def retry(self, sources: Sequence[str] = ()) -> int: ...  # noqa: D102
    async def sync(self, sources: Sequence[str] = (), *, prune: bool = False) -> None: ...  # noqa: D102
    def cancel_ingest(self) -> bool: ...  # noqa: D102
    async def document(self, document_id: int) -> DocumentText: ...  # noqa: D102
    async def cited_passage(self, citation: ev.Citation) -> ev.CitedPassage: ...  # noqa: D102
    async def remove(self, sources: Sequence[str | int]) -> list[IngestResult]: ...  # noqa: D102
    async def undo_remove(self) -> list[IngestResult]: ...  # noqa: D102
    async def tag(  # noqa: D102
        self, names: Sequence[str | int], *, add: Sequence[str] = (), remove: Sequence[str] = ()
    ) -> list[IngestResult]: ...
    async def focus(self, selection: Selection | None) -> object: ...  # noqa: D102
    async def search(  # noqa: D102
        self, query: str, limit: int = 4, *, within: Selection | None = None, explain: bool = False
    ) -> SearchResult: ...
    async def cited(self, document_id: int) -> tuple[ev.Cited, ...]: ...  # noqa: D102
    async def close(self) -> None: ...  # noqa: D102


class Gateway:
    """The agent core as panels and dialogs see it.

    Attributes:
        status: The status line's figures, as last told.
        undoable: Whether documents were removed in this run and not brought back.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        self._reviews: dict[str, ev.IngestReview] = {}
        self._documents: tuple[Document, ...] = ()
        self._failed: dict[str, str] = {}
        self._spelling = Spelling(())
        self.status: ev.Status | None = None
        self.undoable = False

    async def events(
        self, *, interactive: bool = False, documents: bool = False, chat: bool = False
    ) -> AsyncGenerator[ev.Event, None]:
        """The core's events, cleaned, a snapshot first.

        Args:
            interactive: This reader can answer requests.
            documents: This reader shows the list of documents; others get an empty one, as cleaning
                thousands of titles for each of them would cost time for nothing.
            chat: This reader shows the conversation and the tool calls; likewise.
        """
        async with self._core.subscribe(interactive=interactive) as subscription:
            async for event in subscription:
                self._remember(event)
                yield await cleaned(without(event, documents=documents, chat=chat))

    def _remember(self, event: ev.Event) -> None:
        """Keep the core's own words of what answers and wishes are about: those shown are cleaned."""
        match event:
            case ev.IngestReview():
                self._reviews[event.request_id] = event
            case ev.RequestClosed():
                self._reviews.pop(event.request_id, None)
            case ev.Snapshot():
                self._reviews |= {r.request_id: r for r in event.requests if isinstance(r, ev.IngestReview)}
                self._documents, self.status = event.documents, clean_value(event.status)
            case ev.StatusChanged():
                self.status = clean_value(event.status)
            case ev.KnowledgeChanged():
                self.undoable |= len(event.documents) < len(self._documents)
                self._documents = event.documents
            case ev.IngestEnded(result=result) if result.state is IngestState.FAILED:
                self._note_failure(result.source)
            case _:
                pass

    def _note_failure(self, source: str) -> None:
        if (shown := clean(source)) != source:
            self._failed[shown] = source
            if len(self._failed) > _FAILURES:
                del self._failed[next(iter(self._failed))]

    async def submit(self, text: str) -> None:
        """Hand over what the user typed: a message or a command."""
        await self._core.submit(text)

    def interrupt(self) -> bool:
        """Stop the running turn."""
        return self._core.interrupt()

    def cancel_ingest(self) -> bool:
        """Stop the running ingests."""
        return self._core.cancel_ingest()

    def permit(self, request_id: str, decision: ev.PermissionDecision) -> bool:
        """Answer whether a tool may run."""
        return self._core.answer(request_id, decision)

    def accept(
        self,
        request_id: str,
        positions: Sequence[int],
        *,
        tags: tuple[str, ...] | None = None,
        pages: int | None = None,
    ) -> bool:
        """Answer an ingest review by the positions of the sources that may enter; none refuses all.

        Positions and not words, because the words shown are the cleaned ones.

        Args:
            request_id: The review's.
            positions: Among its previews.
            tags: Put on what is added; None for those that were asked for.
            pages: How many pages each web page may lead to; None for what was asked for.
        """
        review = self._reviews.pop(request_id, None)
        typed = () if review is None else tuple(review.previews[place].typed for place in positions)
        return self._core.answer(request_id, ev.IngestDecision(typed, tags, pages))

    def look(self, request_id: str, position: int) -> tuple[str, ...]:
        """The beginning of what a source of an ingest review holds; blocks on the file system."""
        review = self._reviews.get(request_id)
        return () if review is None else first_lines(review.previews[position])

    async def preview(self, text: str, pages: int = 0) -> Offer:
        """What typed words stand for; no request is made. Cancelling stops the look at a large folder.

        Args:
            text: Words and lines, quotes as in `/rag add`.
            pages: How many pages each web page may lead to, itself included; 0 means it alone.

        Raises:
            RagError: The knowledge base can't tell what it knows.
        """
        words = await asyncio.to_thread(lambda: list(dict.fromkeys(split_words(text))))
        found = await self._core.preview(words, pages)
        return await asyncio.to_thread(offer, found)

    async def take_in(self, offered: Offer, positions: Sequence[int], tags: Sequence[str] = ()) -> None:
        """Ingest what the user agreed to, in the background.

        Raises:
            RagError: One of the tags can't be one.
        """
        await self._core.take_in(offered.chosen(positions), tags=tags)

    async def retry(self, *sources: str) -> int:
        """Try failed sources once more, as they are shown; how many are tried."""
        return await self._core.retry([self._failed.get(source, source) for source in sources])

    async def update(self, document_ids: Collection[int] | None = None) -> None:
        """Bring documents up to date in the background; None for all."""
        if document_ids is None:
            await self._core.sync()
        elif sources := [d.source for d in self._documents if d.id in document_ids]:
            await self._core.sync(sources)

    def tags(self) -> dict[str, int]:
        """The tags in use, the most used first, with how many documents have each."""
        counts = Counter(clean(tag) for document in self._documents for tag in document.tags)
        return dict(counts.most_common())

    def commands(self) -> list[CommandHint]:
        """The commands, for completion, palette and help."""
        from geekagent_tui.agent.commands import COMMANDS  # loaded with the core, not for the first frame

        return [CommandHint(command.name, command.usage(), command.help()) for command in COMMANDS]

    async def document(self, document_id: int) -> DocumentText:
        """A document with its text.

        Raises:
            RagError: There is none with this id any more.
        """
        document = await self._core.document(document_id)
        return await asyncio.to_thread(cleaned_document, document)

    async def cited_passage(self, citation: ev.Citation) -> ev.CitedPassage:
        """The words that an answer rested on, and whether their document still says so.

        Raises:
            RagError: The knowledge base can't be read.
        """
        return await asyncio.to_thread(clean_value, await self._core.cited_passage(citation))

    async def remove(self, document_ids: Sequence[int]) -> None:
        """Take documents out of the knowledge base."""
        await self._core.remove(list(document_ids))

    async def undo_remove(self) -> list[IngestResult]:
        """Bring back what was removed last; how each document ended, none when there was nothing."""
        results = await self._core.undo_remove()
        self.undoable = False
        return [clean_value(result) for result in results]

    async def tag(
        self, document_ids: Sequence[int], *, add: Sequence[str] = (), remove: Sequence[str] = ()
    ) -> list[IngestResult]:
        """Put tags on documents and take tags off; how each document ended.

        Raises:
            RagError: A tag is no possible name.
        """
        gone = (await self._spelled()).tags(remove)
        results = await self._core.tag(list(document_ids), add=add, remove=gone)
        return [clean_value(result) for result in results]

    async def focus(self, selection: Selection | None) -> None:
        """Limit the following turns and searches to some documents; None for all."""
        await self._core.focus(await self._meant(selection))

    async def search(
        self, query: str, limit: int, *, within: Selection | None = None, explain: bool = False
    ) -> SearchResult:
        """The passages that answer a query best.

        Raises:
            RagError: The search failed.
        """
        result = await self._core.search(query, limit, within=await self._meant(within), explain=explain)
        return await asyncio.to_thread(clean_value, result)

    async def _meant(self, selection: Selection | None) -> Selection | None:
        """A selection, which was made of the words on screen, in the core's own words."""
        return None if selection is None else (await self._spelled()).selection(selection)

    async def _spelled(self) -> Spelling:
        documents = self._documents
        if self._spelling.documents is not documents:
            self._spelling = await asyncio.to_thread(Spelling, documents)
        return self._spelling

    async def cited(self, document_id: int) -> tuple[ev.Cited, ...]:
        """The answers that cite a document, newest first."""
        return clean_value(await self._core.cited(document_id))

    async def close(self) -> None:
        """Close the agent core."""
        await self._core.close()
