"""One search, as the thread sees it that searches."""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from geekagent_tui.rag import queries
from geekagent_tui.rag.errors import RagError
from geekagent_tui.rag.follower import Follower
from geekagent_tui.rag.model import Hit, NoHits, SearchResult, Selection
from geekagent_tui.rag.selection import Selected
from geekagent_tui.rag.store import Store

if TYPE_CHECKING:
    from geekagent_tui.rag.dense.matrix import Near
    from geekagent_tui.rag.index import Index
    from geekagent_tui.rag.reader import Scored

_MOSTLY = 0.9
"""Share of the passages that an index which is behind must have to be searched all the same."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Question:
    """What is searched for.

    Attributes:
        within: The documents to search in; None for all.
        per_document: Hits that one document may have; None leaves it to the ranking.
        selected: Tells which these are.
        began: `time.perf_counter()` when it was asked.
        bare: Whether the index's ranking is wanted as it is.
        explain: Whether each hit tells its `Hit.shares`.
        near: The question as a vector, when documents are searched by vectors too.
        note: What `SearchResult.note` shall be.
        shown: Hits that will be shown, when `limit` is more so that they can be reordered; else 0.
    """

    text: str
    limit: int
    within: Selection | None
    per_document: int | None
    selected: Selected
    began: float
    bare: bool = False
    explain: bool = False
    near: Near | None = None
    note: str = ""
    shown: int = 0

    def answer(self, hits: Sequence[Hit], none: NoHits | None) -> SearchResult:
        """A result, and how long it took."""
        milliseconds = (time.perf_counter() - self.began) * 1000
        note = self.note if hits or none is NoHits.NO_MATCH else ""
        return SearchResult(self.text, tuple(hits), milliseconds, none, note)


def nothing(store: Store, question: Question) -> SearchResult | None:
    """The result when there is nothing to be found whatever the models say, so that none need be asked."""
    from geekagent_tui.rag.analysis import analyse_query

    if queries.is_empty(store):
        return question.answer((), _why_nothing(question.text))
    documents = question.selected.ids(store, question.within)
    if documents is not None and not documents:
        return question.answer((), NoHits.NOT_SELECTED)
    return None if analyse_query(question.text) else question.answer((), NoHits.NO_TERMS)


def search(store: Store, follower: Follower, question: Question, *, stale: bool) -> SearchResult | None:
    """Search the index.

    Args:
        store: The store, to read the passages that are shown.
        follower: The index.
        question: What is searched for.
        stale: Whether an index will do that lacks the latest changes.

    Returns:
        The result; None when the index has to be brought forward first.
    """
    if queries.is_empty(store):
        return question.answer((), _why_nothing(question.text))
    documents = question.selected.ids(store, question.within)
    if documents is not None and not documents:
        return question.answer((), NoHits.NOT_SELECTED)
    if question.near is not None:  # what is wrong with vectors is no reason to make the index again
        question.near.matrix.refresh(store)
    index = follower.index
    try:
        if index is None or not _usable(store, index, stale=stale):
            return None
        return question.answer(*_ranked(store, index, question, documents))
    except (RagError, ValueError, OSError) as error:
        _log.warning("the index is damaged: %s", error)
        follower.discard()
        return None


def _why_nothing(text: str) -> NoHits:
    from geekagent_tui.rag.analysis import analyse_query

    return NoHits.EMPTY_BASE if analyse_query(text) else NoHits.NO_TERMS


def _usable(store: Store, index: Index, *, stale: bool) -> bool:
    here = (queries.store_id(store), queries.revision(store))
    if (index.store_id, index.revision) == here:
        return True
    index.reload()  # another process may have brought it forward
    if (index.store_id, index.revision) == here:
        return True
    mine = index.store_id == here[0]
    return stale and mine and index.count() >= _MOSTLY * queries.stats(store).passages


def _ranked(
    store: Store, index: Index, question: Question, documents: Collection[int] | None
) -> tuple[Sequence[Hit], NoHits | None]:
    from geekagent_tui.rag import ranking

    def read(found: Sequence[Scored]) -> list[Hit | None]:
        return [_hit(store, each) for each in found]

    return ranking.search(
        index,
        question.text,
        question.limit,
        read,
        documents,
        per_document=question.per_document,
        bare=question.bare,
        explain=question.explain,
        near=question.near,
        shown=question.shown,
    )


def _hit(store: Store, scored: Scored) -> Hit | None:
    hit = queries.hit(store, scored.document_id, scored.number, scored.score)
    return replace(hit, shares=scored.shares) if hit and scored.shares else hit
