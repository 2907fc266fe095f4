"""What worker processes do: a source's bytes into a document, passages into terms."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from geekagent_tui.rag.raw import Raw
from geekagent_tui.rag.store import Span

if TYPE_CHECKING:
    from geekagent_tui.rag.analysis import Terms


class PassageTerms(NamedTuple):
    """A passage as the index takes it, without its names.

    Attributes:
        number: Counts from 1.
    """

    number: int
    title: Terms
    heading: Terms
    body: Terms


@dataclass(frozen=True, slots=True)
class Prepared:
    """A source's content, ready to be stored and indexed."""

    title: str
    text: str
    spans: tuple[Span, ...]
    terms: tuple[PassageTerms, ...]


def prepare(raw: Raw, chunking: str) -> Prepared:
    """Extract a document, cut it into passages, and analyse these.

    Args:
        raw: What was read.
        chunking: One of `chunk.Chunking`.

    Raises:
        SourceError: It can't be read, has no text, or too much of it.
    """
    from geekagent_tui.rag.chunk import Chunking, chunk
    from geekagent_tui.rag.extract import extract
    from geekagent_tui.rag.extract.tidy import tidy_title

    extracted = extract(raw)
    title, text = tidy_title(raw.title) or extracted.title, extracted.text
    chunks = chunk(text, Chunking(chunking))
    spans = tuple(
        # Of pages that begin at the same place, all but the last are empty
        Span(each.start, each.end - each.start, each.heading, bisect_right(extracted.pages, each.start))
        for each in chunks
    )
    numbered = [
        (number, span.heading, text[span.start : span.start + span.length])
        for number, span in enumerate(spans, start=1)
    ]
    return Prepared(title, text, spans, passage_terms(title, numbered))


def passage_terms(title: str, passages: Sequence[tuple[int, str, str]]) -> tuple[PassageTerms, ...]:
    """Analyse a document's passages, each given as number, heading and text."""
    from geekagent_tui.rag.analysis import analyse

    of_title = analyse(title)
    of_heading = lru_cache(analyse)  # neighbours share it
    return tuple(
        PassageTerms(number, of_title, of_heading(heading), analyse(text))
        for number, heading, text in passages
    )


def all_terms(
    documents: Sequence[tuple[str, Sequence[tuple[int, str, str]]]],
) -> list[tuple[PassageTerms, ...]]:
    """`passage_terms` of several documents, each given as title and passages."""
    return [passage_terms(title, passages) for title, passages in documents]
