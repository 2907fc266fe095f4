"""BM25 by the formula, slow and exact: what the reference computes, and what the index has to equal."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

K1, B = 1.2, 0.75


def reference_scores(tokens: Sequence[str], chunks: Sequence[str]) -> list[float]:
    """The reference's scores: terms are substrings, lengths are characters (geekagent.md §2.9)."""
    texts = [" ".join(chunk.lower().split()) for chunk in chunks]
    return scores(tokens, [len(text) for text in texts], lambda token: [text.count(token) for text in texts])


def term_scores(tokens: Sequence[str], documents: Sequence[Sequence[str]], *, rounded: bool) -> list[float]:
    """Scores in token units; `rounded` lengths are those that an index can keep in one byte."""
    lengths = [rounded_length(len(document)) if rounded else len(document) for document in documents]
    average = sum(map(len, documents)) / len(documents)
    return scores(tokens, lengths, lambda token: [document.count(token) for document in documents], average)


def scores(
    tokens: Sequence[str],
    lengths: Sequence[int],
    counts: Callable[[str], Sequence[int]],
    average: float | None = None,
) -> list[float]:
    """Sum over the tokens, repeated ones counted again, of idf times saturated frequency."""
    average = average or sum(lengths) / len(lengths)
    totals = [0.0] * len(lengths)
    for token in tokens:
        found = counts(token)
        frequency = sum(count > 0 for count in found)
        idf = math.log(1 + (len(lengths) - frequency + 0.5) / (frequency + 0.5))
        for at, (count, length) in enumerate(zip(found, lengths, strict=True)):
            if count:
                totals[at] += idf * count * (K1 + 1) / (count + K1 * (1 - B + B * length / average))
    return totals


def rounded_length(length: int) -> int:
    """A length as Lucene and Tantivy keep it in one byte: exact up to 40, then four significant bits."""
    if length < 24:
        return length
    rest = length - 24
    shift = max(0, rest.bit_length() - 4)
    return 24 + (rest >> shift << shift)
