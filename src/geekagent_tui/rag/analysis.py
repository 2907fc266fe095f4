"""Text to terms, the same way for documents and for queries.

Measured on the sets of `reference/retrieval.md` §2; the choices that matter:

- Chinese, kana and Hangul: overlapping pairs of characters, and single characters in a second, weaker field.
  No dictionary is needed. Traditional characters are folded to simplified ones (OpenCC).
- Scripts without spaces (Thai, Lao, Khmer, Burmese): overlapping triples of characters.
- All others: words, stemmed by script (Snowball); identifiers whole and in parts; and triples of characters
  within words in a third, weaker field, which finds compounds, inflections and typing errors.

Pure and picklable, so that worker processes can run it. Heavy libraries are loaded at the first call.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from operator import add
from typing import TYPE_CHECKING

from geekagent_tui.rag import scripts, stopwords, wordforms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_SURROGATE = re.compile("[\ud800-\udfff]")

VERSION = 1
"""Grows with every change of the terms that the same text gives: an index of another version is made anew."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a text by field, joined by spaces: as an index takes them, and cheap to pickle.

    Attributes:
        words: What selects: pairs of Chinese characters, word stems, identifiers, triples of Thai characters.
        unigrams: Single Chinese, kana and Hangul characters.
        trigrams: Triples of characters within the words of other scripts.
    """

    words: str = ""
    unigrams: str = ""
    trigrams: str = ""

    def __bool__(self) -> bool:
        return bool(self.words or self.unigrams or self.trigrams)


def analyse(text: str) -> Terms:
    """The terms of a document's text, title or heading, repeated as often as they occur."""
    return _terms(_normalise(text), list)


def analyse_query(text: str) -> Terms:
    """The terms of a query: `analyse` without question words, function words and courtesies.

    A greeting has none.
    """
    text = stopwords.without_courtesies(_normalise(text))
    return _terms(stopwords.PHRASES.sub(" ", text), stopwords.without_function_words)


def _normalise(text: str) -> str:
    """One spelling for compatible characters and for traditional and simplified Chinese; case stays."""
    if text.isascii():
        return text
    text = unicodedata.normalize("NFKC", _SURROGATE.sub(" ", text))
    return _simplify()(text) if scripts.HAS_HAN.search(text) else text


@cache
def _simplify() -> Callable[[str], str]:
    import opencc  # takes 20 ms: only where Chinese characters occur

    convert: Callable[[str], str] = opencc.OpenCC("t2s").convert
    return convert


def _terms(text: str, chosen: Callable[[list[str]], list[str]]) -> Terms:
    words: list[str] = []
    unigrams: list[str] = []
    trigrams: list[str] = []
    if not text.isascii():
        for run in scripts.CJK_RUN.findall(text):
            words += map(add, run, run[1:])
            unigrams += run
        for run in scripts.SPACELESS_RUN.findall(text):
            words += map(add, map(add, run, run[1:]), run[2:]) if len(run) > 2 else (run,)
        text = scripts.UNSPACED_RUN.sub(" ", text)
    for found, inside in map(wordforms.terms, chosen(scripts.WORD.findall(text))):
        words.append(found)
        trigrams.append(inside)
    return Terms(_join(words), _join(unigrams), _join(trigrams))


def _join(terms: Iterable[str]) -> str:
    return " ".join(filter(None, terms))
