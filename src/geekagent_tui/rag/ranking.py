"""From the index's candidates to the hits that are shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

from geekagent_tui.rag.analysis import Terms, analyse_query
from geekagent_tui.rag.index import Index
from geekagent_tui.rag.model import Hit, NoHits
from geekagent_tui.rag.reader import Reader, Scored

if TYPE_CHECKING:
    from geekagent_tui.rag.dense.matrix import Near

LIMIT = 4
"""Hits of a search that asks for no other number, as in the reference."""
PER_DOCUMENT = 3
"""Hits that one document may have."""
FLOOR = 0.15
"""A search whose best passage has less `Reader.relevance` finds nothing.

Measured with `bench/search.py` on questions about an encyclopedia: it costs 0.002 of MRR@10 at most. Of the
questions about other articles it keeps out 68 to 84 % in a base of 4 passages, 43 to 74 % in one of 12, and
13 to 48 % in one of 120.
"""

_NEGLIGIBLE = 0.15
"""Share of the best score below which a passage is no hit: up to 0.2, no right answer of the sets is lost."""
_CANDIDATES = 4
"""Candidates looked at for each hit wanted; more are taken when too many of them repeat."""
_MOST_CANDIDATES = 4096

Read = Callable[[Sequence[Scored]], Sequence[Hit | None]]
"""Reads passages from the store; None for one that it doesn't have any more."""


class _Asked(NamedTuple):
    """What is searched, and for what; see `search`."""

    reader: Reader
    query: Terms
    documents: Collection[int] | None
    near: Near | None
    explain: bool


def search(
    index: Index,
    text: str,
    limit: int,
    read: Read,
    documents: Collection[int] | None = None,
    *,
    per_document: int | None = None,
    bare: bool = False,
    explain: bool = False,
    near: Near | None = None,
    shown: int = 0,
) -> tuple[list[Hit], NoHits | None]:
    """The best passages for a question, best first, or why there are none (never `EMPTY_BASE`).

    A text that occurs several times counts once.

    Args:
        index: What is searched.
        text: The user's or the model's words.
        limit: How many hits at most.
        read: Called with the candidates that are needed, in their order.
        documents: Ids to search in; None for all.
        per_document: Hits that one document may have; None for `PER_DOCUMENT`, unless that could not give
            `limit` of them.
        bare: Whether to return the index's ranking as it is, to measure it: also what is not worth showing,
            repeats, or is one more of the same document.
        explain: Whether to read the candidates with their shares.
        near: The question as a vector, when documents are searched by vectors too.
        shown: How many of the hits will be shown, which `per_document` goes by; 0 for all.
    """
    query = analyse_query(text)
    if not query:
        return [], NoHits.NO_TERMS
    asked = _Asked(index.reader(), query, documents, near, explain)
    if bare:
        everything = [hit for hit in read(_best(asked, limit)) if hit]
        return everything, None if everything else NoHits.NO_MATCH
    if per_document is None:
        shown = shown or limit
        enough = documents is None or len(documents) * PER_DOCUMENT >= shown
        per_document = PER_DOCUMENT if enough else shown
    wanted = limit * _CANDIDATES
    found = _worth(asked, wanted)
    hits = _distinct(found, limit, per_document, read)
    while len(hits) < limit and len(found) == wanted < _MOST_CANDIDATES:
        wanted *= _CANDIDATES
        found = _worth(asked, wanted)
        hits = _distinct(found, limit, per_document, read)
    return hits, None if hits else NoHits.NO_MATCH


def _best(asked: _Asked, wanted: int, floors: tuple[float, float] | None = None) -> list[Scored]:
    """The best candidates, worth showing or not; with vectors, those above the floors."""
    reader, query, documents, near, explain = asked
    if near is None:
        return reader.search(query, wanted, documents, explain=explain)
    from geekagent_tui.rag.dense.fusion import fused

    return fused(reader, query, near, wanted, documents, floors=floors, explain=explain)


def _worth(asked: _Asked, wanted: int) -> list[Scored]:
    """The best of the candidates that are worth showing."""
    found = _best(asked, wanted, (FLOOR, _NEGLIGIBLE))
    if asked.near is not None:
        return found
    if not found or asked.reader.relevance(asked.query, found[0]) < FLOOR:
        return []
    return [scored for scored in found if scored.score >= found[0].score * _NEGLIGIBLE]


def _distinct(found: Sequence[Scored], limit: int, per_document: int, read: Read) -> list[Hit]:
    """The first candidates whose text no better one has, not too many of one document."""
    hits: list[Hit] = []
    seen: set[str] = set()
    taken: Counter[int] = Counter()
    for at in range(0, len(found), limit):
        batch = [scored for scored in found[at : at + limit] if taken[scored.document_id] < per_document]
        for hit in read(batch):
            if hit is None or taken[hit.id] == per_document:
                continue
            text = "".join(hit.text.split())
            if text not in seen:
                seen.add(text)
                taken[hit.id] += 1
                hits.append(hit)
                if len(hits) == limit:
                    return hits
    return hits
