"""Searching the full-text index: weighted BM25 over its fields, and how much a hit is worth.

Every term of a query becomes one clause per field. They stay in one flat list, which lets Tantivy skip
passages that can't be among the best.
"""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from tantivy import Occur, Query, Schema, Searcher

from geekagent_tui.i18n import _
from geekagent_tui.rag.analysis import Terms
from geekagent_tui.rag.errors import RagError
from geekagent_tui.rag.fields import BOOSTS, FIELDS

_WORD_KINDS = ("words", "heading", "title")
_MOST_TERMS = 96
"""Of each kind. A longer query, such as a pasted page, is searched for its rarest terms."""
_HIGHEST = 2.2
"""BM25's limit for one term of idf 1: k1 + 1."""
_BACKGROUND = 100
"""Passages that a small base is thought to be a part of, when it is judged what a hit is worth."""
_CLEAR = 0.3
"""Relevance that needs no closer look."""
_LARGE = 100 * _BACKGROUND
"""Passages of a base that is judged as it is."""
_ONLY_PARTS = 0.75
"""Of 8,000 questions about other things without a known word, 96 % stay below 0.2; 60 % of those about the
base with a typing error in every word reach it."""
_ATTAINABLE = 0.68
"""How much of its pairs of characters a Chinese question can expect to find, where words of other scripts
are 1: many pairs span two words, which an answer puts in other orders."""
_MANY = 500
"""Documents to search in from which on it is slow to ask the index for them: about 0.5 ms for a thousand."""
_SPARE = 4
"""Passages of any document that are looked at for each one of those documents, at first."""
_MOST_SPARE = 1024
_PAIRED = "\u2e80"
"""The first script whose terms are pairs or single characters; all later ones are."""


@dataclass(frozen=True, slots=True)
class Scored:
    """One passage that matches a query.

    Attributes:
        score: Sum over the kinds of matches of their BM25 scores times `BOOSTS`.
        shares: What each kind of match contributed, when asked for; kinds without one are left out.
    """

    document_id: int
    number: int
    score: float
    shares: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Term:
    """A query's term: how often it has it, and how many passages have it by kind, the main one first."""

    text: str
    times: int
    frequencies: dict[str, int]

    @property
    def boost(self) -> float:
        return BOOSTS[next(iter(self.frequencies))] * self.times

    @property
    def frequency(self) -> int:
        return max(self.frequencies.values())

    @property
    def expected(self) -> float:
        """What a good passage may have of it, for idf 1."""
        return self.boost * _HIGHEST * (_ATTAINABLE if self.text >= _PAIRED else 1.0)


class IndexBrokenError(RagError):
    """The index's files are damaged: discard it, open it again and fill it."""

    code = "index_broken"


@contextlib.contextmanager
def damage_reported() -> Iterator[None]:
    """Turn what Tantivy says about damaged files, at times by a panic, into `IndexBrokenError`."""
    try:
        yield
    except BaseException as error:
        if not isinstance(error, ValueError) and type(error).__name__ != "PanicException":
            raise
        raise IndexBrokenError(_("知识库索引已损坏，需要重新建立")) from error


class Reader:
    """An index as it was at one moment."""

    def __init__(self, searcher: Searcher, schema: Schema) -> None:
        self._searcher = searcher
        self._schema = schema
        self._last: tuple[Terms, list[_Term]] = (Terms(), [])

    def count(self) -> int:
        """How many passages can be found."""
        return self._searcher.num_docs

    def search(
        self, query: Terms, limit: int, documents: Collection[int] | None = None, *, explain: bool = False
    ) -> list[Scored]:
        """The best passages for a query, best first; equal scores in the order of the documents.

        Args:
            query: From `analyse_query`.
            limit: How many at most.
            documents: Ids to search in, when many as a set; None for all.
            explain: Whether to fill in `Scored.shares`.

        Raises:
            IndexBrokenError: The index's files are damaged.
        """
        terms = self._terms(query)
        clauses = [clause for kind in BOOSTS for clause in self._clauses(terms, kind)]
        if not clauses or limit < 1:
            return []
        searched = _any_of(clauses)
        found = self._run(searched, limit) if documents is None else self._among(documents, searched, limit)
        return [replace(hit, shares=self.shares(query, hit)) for hit in found] if explain else found

    def scored(self, query: Terms, passages: Collection[tuple[int, int]]) -> list[Scored]:
        """Some passages' scores for a query, in the order of `search`; those without a match are left out.

        Args:
            query: From `analyse_query`.
            passages: Document ids and numbers.

        Raises:
            IndexBrokenError: The index's files are damaged.
        """
        terms = self._terms(query)
        clauses = [clause for kind in BOOSTS for clause in self._clauses(terms, kind)]
        if not clauses or not passages:
            return []
        only = _any_of(self._only(*passage) for passage in passages)
        return self._run(_all_of([Query.const_score_query(only, 0.0), _any_of(clauses)]), len(passages))

    def shares(self, query: Terms, hit: Scored) -> dict[str, float]:
        """What each kind of match contributes to a passage's score; kinds without a match are left out."""
        terms = self._terms(query)
        scores = {kind: self._score(self._clauses(terms, kind), hit) for kind in BOOSTS}
        return {kind: score for kind, score in scores.items() if score}

    def _among(self, documents: Collection[int], searched: Query, limit: int) -> list[Scored]:
        """The best passages of some documents; of many ones that is told after the search, much faster."""
        wanted = limit * _SPARE if len(documents) > _MANY else 0
        while 0 < wanted <= _MOST_SPARE:
            found = self._run(searched, wanted)
            among = [hit for hit in found if hit.document_id in documents]
            if len(among) >= limit or len(found) < wanted:
                return among[:limit]
            wanted *= _SPARE
        only = Query.term_set_query(self._schema, "document", list(documents))
        return self._run(_all_of([Query.const_score_query(only, 0.0), searched]), limit)

    def relevance(self, query: Terms, hit: Scored) -> float:
        """How much of what a query asks for one passage of its result holds, from 0 to about 1.

        It is the passage's score over the highest that any passage could have, with terms that occur nowhere
        counted as rarest. Small bases, where every term that occurs at all is common, are taken for a part of
        a base with `_BACKGROUND` more passages. When none of the query's words occurs, triples of characters
        may stand in for them, for less; single characters, which occur everywhere, may not.
        """
        terms = self._terms(query)
        size = max([self.count(), *(term.frequency for term in terms)])
        highest = sum(term.expected * _idf(size, term.frequency) for term in terms)
        ratio = hit.score / highest if highest else 0.0
        if ratio < _CLEAR and size < _LARGE:
            ratio = self._smoothed(terms, size, hit)
        if not query.words or any(term.frequency for term in terms if "words" in term.frequencies):
            return ratio
        return ratio * _ONLY_PARTS if query.trigrams else 0.0

    def _smoothed(self, terms: Sequence[_Term], size: int, hit: Scored) -> float:
        """`relevance` with background, a term in title or heading counting as much as in the text."""
        clauses, highest = [], 0.0
        for term in terms:
            idf = _idf(size + _BACKGROUND, term.frequency)
            highest += term.expected * idf
            if found := [(name, often) for name, often in term.frequencies.items() if often]:
                places = [
                    self._clause(name, term.text, term.boost * idf / _idf(size, often))
                    for name, often in found
                ]
                clauses.append(Query.disjunction_max_query(places))
        return self._score(clauses, hit) / highest

    def _score(self, clauses: Sequence[Query], hit: Scored) -> float:
        """What some clauses give to one passage."""
        if not clauses:
            return 0.0
        only = Query.const_score_query(self._only(hit.document_id, hit.number), 0.0)
        return sum(found.score for found in self._run(_all_of([only, _any_of(clauses)]), 1))

    def _only(self, document_id: int, number: int) -> Query:
        """Matches one passage."""
        keys = {"document": document_id, "number": number}
        return _all_of([Query.term_query(self._schema, name, key) for name, key in keys.items()])

    def _run(self, query: Query, limit: int) -> list[Scored]:
        with damage_reported():
            hits = self._searcher.search(query, limit, count=False).hits
        addresses = [address for _score, address in hits]
        documents = self._searcher.fast_field_values("document", addresses)
        numbers = self._searcher.fast_field_values("number", addresses)
        found = [
            Scored(int(document or 0), int(number or 0), score)
            for (score, _), document, number in zip(hits, documents, numbers, strict=True)
        ]
        return sorted(found, key=lambda hit: (-hit.score, hit.document_id, hit.number))

    def _terms(self, query: Terms) -> list[_Term]:
        known, terms = self._last  # a search and the relevance of its best hit look up the same query
        if known is not query:
            terms = [
                *self._rarest(query.words, _WORD_KINDS),
                *self._rarest(query.unigrams, ("unigrams",)),
                *self._rarest(query.trigrams, ("trigrams",)),
            ]
            self._last = (query, terms)
        return terms

    def _rarest(self, terms: str, kinds: Sequence[str]) -> list[_Term]:
        often = self._searcher.doc_freq
        with damage_reported():
            found = [
                _Term(text, times, {kind: often(FIELDS[kind], text) for kind in kinds})
                for text, times in Counter(terms.split()).items()
            ]
        if len(found) > _MOST_TERMS:
            found.sort(key=lambda term: (not term.frequency, term.frequency))
        return found[:_MOST_TERMS]

    def _clauses(self, terms: Iterable[_Term], kind: str) -> list[Query]:
        return [
            self._clause(kind, term.text, BOOSTS[kind] * term.times)
            for term in terms
            if term.frequencies.get(kind)
        ]

    def _clause(self, kind: str, text: str, boost: float) -> Query:
        query = Query.term_query(self._schema, FIELDS[kind], text, index_option="freq")
        return query if boost == 1.0 else Query.boost_query(query, boost)


def _any_of(clauses: Iterable[Query]) -> Query:
    return Query.boolean_query([(Occur.Should, clause) for clause in clauses])


def _all_of(clauses: Iterable[Query]) -> Query:
    return Query.boolean_query([(Occur.Must, clause) for clause in clauses])


def _idf(size: int, frequency: int) -> float:
    return math.log(1 + (size - frequency + 0.5) / (frequency + 0.5))
