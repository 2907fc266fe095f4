"""Events and values of the core without what could steer a terminal; `gateway` lets in nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar

from geekagent_tui.rag.model import DocumentText
from geekagent_tui.sanitize import clean, clean_value
from geekagent_tui.ui import ev
from geekagent_tui.ui.offers import shown

_R = TypeVar("_R", "ev.IngestReview", "ev.Request")

_LARGE = 20_000
"""Characters in an event from which on it is cleaned off the event loop: a few milliseconds of work."""
_ROW = 200
"""Characters that a document's row counts for."""


def without(event: ev.Event, *, documents: bool, chat: bool) -> ev.Event:
    """An event less what its reader doesn't show."""
    if isinstance(event, ev.KnowledgeChanged) and not documents:
        return replace(event, documents=())
    if isinstance(event, ev.Snapshot):
        if not documents:
            event = replace(event, documents=())
        if not chat:
            event = replace(event, chat=(), tools=(), live="")
    return event


async def cleaned(event: ev.Event) -> ev.Event:
    """An event, cleaned; in a thread when it is large."""
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
            if isinstance(event, ev.ChatCleared):
                return replace(clean_value(replace(event, chat=())), chat=chat)
            requests = tuple(_cleaned_request(request) for request in event.requests)
            return replace(clean_value(replace(event, chat=(), requests=())), chat=chat, requests=requests)
        case ev.ChatAdded():
            return ev.ChatAdded(_cleaned_entry(event.entry))
        case ev.IngestReview():
            return _cleaned_request(event)
        case _:
            return clean_value(event)


def _cleaned_request(request: _R) -> _R:
    if not isinstance(request, ev.IngestReview):
        return clean_value(request)
    previews = tuple(shown(preview) for preview in request.previews)
    return replace(clean_value(replace(request, previews=())), previews=previews)


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


def cleaned_document(document: DocumentText) -> DocumentText:
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
