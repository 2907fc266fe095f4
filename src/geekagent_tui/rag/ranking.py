"""From the index's candidates to the hits that are shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence

from geekagent_tui.rag.analysis import analyse_query
from geekagent_tui.rag.index import Index
from geekagent_tui.rag.model import Hit, NoHits
from geekagent_tui.rag.reader import Scored

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
    """
    query = analyse_query(text)
    if not query:
        return [], NoHits.NO_TERMS
    reader = index.reader()
    if bare:
        everything = [hit for hit in read(reader.search(query, limit, documents, explain=explain)) if hit]
        return everything, None if everything else NoHits.NO_MATCH
    if per_document is None:
        enough = documents is None or len(documents) * PER_DOCUMENT >= limit
        per_document = PER_DOCUMENT if enough else limit
    wanted = limit * _CANDIDATES
    found = reader.search(query, wanted, documents, explain=explain)
    if not found or reader.relevance(query, found[0]) < FLOOR:
        return [], NoHits.NO_MATCH
    hits = _distinct(_worth(found), limit, per_document, read)
    while len(hits) < limit and len(_worth(found)) == wanted < _MOST_CANDIDATES:
        wanted *= _CANDIDATES
        found = reader.search(query, wanted, documents, explain=explain)
        hits = _distinct(_worth(found), limit, per_document, read)
    return hits, None if hits else NoHits.NO_MATCH


def _worth(found: Sequence[Scored]) -> list[Scored]:
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
