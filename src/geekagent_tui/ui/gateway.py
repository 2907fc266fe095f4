"""The only way between the user interface and the agent core.

Everything that comes in is cleaned here, once: no widget ever holds a string that could steer a terminal.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Protocol

from geekagent_tui.agent import events as ev
from geekagent_tui.rag.model import DocumentText
from geekagent_tui.sanitize import clean, clean_value

_LARGE = 20_000
"""Characters in an event from which on it is cleaned off the event loop: a few milliseconds of work."""
_ROW = 200
"""Characters that a document's row counts for."""


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
    def cancel_ingest(self) -> bool: ...  # noqa: D102
    async def document(self, document_id: int) -> DocumentText: ...  # noqa: D102
    async def cited_passage(self, citation: ev.Citation) -> ev.CitedPassage: ...  # noqa: D102
    async def remove(self, sources: Sequence[str | int]) -> object: ...  # noqa: D102
    async def close(self) -> None: ...  # noqa: D102


class Gateway:
    """The agent core as panels and dialogs see it."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._reviews: dict[str, ev.IngestReview] = {}

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
                if isinstance(event, ev.IngestReview):
                    self._reviews[event.request_id] = event
                elif isinstance(event, ev.Snapshot):
                    self._reviews.update(
                        {r.request_id: r for r in event.requests if isinstance(r, ev.IngestReview)}
                    )
                yield await _cleaned(_without(event, documents=documents, chat=chat))

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

    def accept(self, request_id: str, positions: Sequence[int]) -> bool:
        """Answer an ingest review by the positions of the sources that may enter; none refuses all.

        Positions and not words, because the words shown are the cleaned ones.
        """
        review = self._reviews.pop(request_id, None)
        typed = () if review is None else tuple(review.previews[place].typed for place in positions)
        return self._core.answer(request_id, ev.IngestDecision(typed))

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
        return await asyncio.to_thread(_cleaned_document, document)

    async def cited_passage(self, citation: ev.Citation) -> ev.CitedPassage:
        """The words that an answer rested on, and whether their document still says so.

        Raises:
            RagError: The knowledge base can't be read.
        """
        return await asyncio.to_thread(clean_value, await self._core.cited_passage(citation))

    async def remove(self, document_id: int) -> None:
        """Take a document out of the knowledge base."""
        await self._core.remove([document_id])

    async def close(self) -> None:
        """Close the agent core."""
        await self._core.close()


def _without(event: ev.Event, *, documents: bool, chat: bool) -> ev.Event:
    """An event less what its reader doesn't show."""
    if isinstance(event, ev.KnowledgeChanged) and not documents:
        return replace(event, documents=())
    if isinstance(event, ev.Snapshot):
        if not documents:
            event = replace(event, documents=())
        if not chat:
            event = replace(event, chat=(), tools=(), live="")
    return event


async def _cleaned(event: ev.Event) -> ev.Event:
    large = _characters(event) > _LARGE
    return await asyncio.to_thread(_cleaned_event, event) if large else _cleaned_event(event)


def _characters(event: ev.Event) -> int:
    """About how much text there is to clean."""
    match event:
        case ev.Snapshot():
            return _text_of(event.chat, event.tools) + len(event.documents) * _ROW
        case ev.ChatCleared():
            return _text_of(event.chat, event.tools)
        case ev.ChatAdded():
            return len(event.entry.text)
        case ev.ToolChanged():
            return _text_of((), (event.entry,))
        case ev.KnowledgeChanged():
            return len(event.documents) * _ROW
        case ev.AnswerDelta() | ev.ComposerFilled():
            return len(event.text)
        case _:
            return 0


def _text_of(chat: Sequence[ev.ChatEntry], tools: Sequence[ev.ToolEntry]) -> int:
    said = sum(len(entry.text) for entry in chat)
    return said + sum(2 * len(tool.result) + len(tool.arguments) for tool in tools)  # hits repeat the result


def _cleaned_event(event: ev.Event) -> ev.Event:
    match event:
        case ev.Snapshot() | ev.ChatCleared():
            chat = tuple(_cleaned_entry(entry) for entry in event.chat)
            return replace(clean_value(replace(event, chat=())), chat=chat)
        case ev.ChatAdded():
            return ev.ChatAdded(_cleaned_entry(event.entry))
        case _:
            return clean_value(event)


def _cleaned_entry(entry: ev.ChatEntry) -> ev.ChatEntry:
    """A chat entry, cleaned; its citations still point at their mentions in the cleaned text."""
    if not entry.citations:
        return clean_value(entry)
    places = sorted({0, *(p for c in entry.citations for p in (c.start, c.end)), len(entry.text)})
    moved: dict[int, int] = {0: 0}
    text = ""
    for start, end in pairwise(places):
        text += clean(entry.text[start:end])
        moved[end] = len(text)
    citations = tuple(
        replace(clean_value(c), start=moved.get(c.start, 0), end=moved.get(c.end, 0)) for c in entry.citations
    )
    return replace(entry, text=text, citations=citations)


def _cleaned_document(document: DocumentText) -> DocumentText:
    """A document, cleaned; its passages still point at their places in the cleaned text."""
    if clean(document.text) == document.text:
        return replace(
            document,
            document=clean_value(document.document),
            passages=tuple(clean_value(passage) for passage in document.passages),
        )
    places = sorted({0, len(document.text), *(p.start for p in document.passages)})
    moved: dict[int, int] = {0: 0}
    pieces: list[str] = []
    length = 0
    for start, end in pairwise(places):
        pieces.append(clean(document.text[start:end]))
        length += len(pieces[-1])
        moved[end] = length
    passages = tuple(replace(clean_value(p), start=moved[p.start]) for p in document.passages)
    return DocumentText(clean_value(document.document), "".join(pieces), passages)
