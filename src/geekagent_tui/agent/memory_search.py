"""Searching long-term memory: exact BM25 over windows of 320 characters, by the knowledge base's analysis."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from geekagent_tui.i18n import _
from geekagent_tui.rag.analysis import Terms, analyse, analyse_query
from geekagent_tui.rag.chunk import windows

WINDOW = 320
OVERLAP = 80
# Words and pairs of characters; single characters (DESIGN §3.4).
_WEIGHTS = (1.0, 0.7)
_K1 = 1.2
_B = 0.75


@dataclass(frozen=True, slots=True)
class MemoryHit:
    """A piece of an entry that fits a query.

    Attributes:
        entry: The entry's number, from 1.
        passage: The piece's number in its entry, from 1.
        coverage: The share of the query's weight that the piece holds, 0 to 1.
    """

    entry: int
    passage: int
    text: str
    score: float
    coverage: float

    def label(self) -> str:
        """The piece as tools and recall write it."""
        return _("（条目 #{entry}，第 {passage} 段）{text}").format(
            entry=self.entry, passage=self.passage, text=self.text
        )


@dataclass(frozen=True, slots=True)
class _Piece:
    entry: int
    passage: int
    text: str
    fields: tuple[Counter[str], ...]


class _Field:
    """One field of all pieces: how rare its terms are, how long it is on average."""

    def __init__(self, counters: Sequence[Counter[str]]) -> None:
        self._size = len(counters)
        self._frequency = Counter(term for counter in counters for term in counter)
        self._mean = sum(counter.total() for counter in counters) / max(1, self._size) or 1.0

    def weight(self, term: str) -> float:
        """The term's idf; the rarer, the more."""
        frequency = self._frequency[term]
        return math.log(1 + (self._size - frequency + 0.5) / (frequency + 0.5))

    def score(self, counter: Counter[str], term: str) -> float:
        """What a term adds to a piece's score (BM25)."""
        count = counter[term]
        length = counter.total() / self._mean
        return self.weight(term) * count * (_K1 + 1) / (count + _K1 * (1 - _B + _B * length))


class MemoryIndex:
    """All entries, cut and analysed once.

    Memory is small (tens to thousands of lines), so everything is counted exactly and held in this object.
    """

    def __init__(self, entries: Sequence[str]) -> None:
        self.entries = tuple(entries)
        self._pieces = [
            _Piece(number, passage, text, _counts(analyse(text)))
            for number, entry in enumerate(self.entries, start=1)
            for passage, text in enumerate(_cut(entry), start=1)
        ]
        self._fields = [
            _Field([piece.fields[place] for piece in self._pieces]) for place in range(len(_WEIGHTS))
        ]

    def search(self, query: str, limit: int, floor: float) -> tuple[MemoryHit, ...]:
        """The best pieces, best first; at most one of each entry.

        A piece must hold a selective term of the query: a word or a pair of characters, or a single
        character when the query has nothing longer.
        """
        terms = tuple(tuple(counter) for counter in _counts(analyse_query(query)))
        selective = next((place for place, found in enumerate(terms) if found), None)
        if selective is None:
            return ()
        field = self._fields[selective]
        total = sum(map(field.weight, terms[selective]))
        best: dict[int, MemoryHit] = {}
        for piece in self._pieces:
            held = [term for term in terms[selective] if term in piece.fields[selective]]
            coverage = sum(map(field.weight, held)) / total
            if not held or coverage < floor:
                continue
            score = self._score(piece, terms)
            known = best.get(piece.entry)
            if known is None or known.score < score:
                best[piece.entry] = MemoryHit(piece.entry, piece.passage, piece.text, score, coverage)
        ranked = sorted(best.values(), key=lambda hit: (-hit.score, hit.entry))
        return tuple(ranked[:limit])

    def _score(self, piece: _Piece, terms: Sequence[Sequence[str]]) -> float:
        return sum(
            weight * field.score(counter, term)
            for weight, field, counter, found in zip(_WEIGHTS, self._fields, piece.fields, terms, strict=True)
            for term in found
            if term in counter
        )


def _cut(entry: str) -> list[str]:
    return [entry[start:end].strip() for start, end in windows(entry, WINDOW, OVERLAP)]


def _counts(terms: Terms) -> tuple[Counter[str], ...]:
    return Counter(terms.words.split()), Counter(terms.unigrams.split())
