"""One word of a text with spaces to its terms: stems, parts of identifiers, triples of characters."""

from __future__ import annotations

import threading
import unicodedata
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from geekagent_tui.rag import scripts

if TYPE_CHECKING:
    from collections.abc import Callable

_LONGEST_TERM = 255
"""Bytes in UTF-8. Tantivy drops terms over 65,530 bytes without a word; no language has a word of 255."""
_LONGEST_WORD = 64
"""Characters. Longer ones are hashes and encoded data: found as a whole, not by their parts."""

_STEMMING = threading.Lock()
"""Snowball stemmers keep the word they work on in themselves."""

_STEMMERS = (
    ("\u024f", "english"),
    ("\u036f", ""),
    ("\u03ff", "greek"),
    ("\u052f", "russian"),
    ("\u058f", "armenian"),
    ("\u05ff", ""),
    ("\u06ff", "arabic"),
    ("\u08ff", ""),
    ("\u097f", "hindi"),
    ("\u0b7f", ""),
    ("\u0bff", "tamil"),
    ("\u1dff", ""),
    ("\u1eff", "english"),
    ("\u1fff", "greek"),
)
"""The last letter of a stretch of scripts, in order, and the Snowball algorithm for words that begin in it.

Latin script gets the English one whatever the language: it must be the same for documents and for queries
of two words, whose language can't be told. What it misses in other languages the triples find.
"""

# Spellings of one letter that writers of Arabic and Persian use freely; their vowel points are dropped.
_ARABIC: dict[int, int | None] = {
    **str.maketrans("أإآٱىةکی", "اااايهكي"),
    **dict.fromkeys([0x640, *range(0x610, 0x61B), *range(0x64B, 0x660), 0x670, *range(0x6D6, 0x6EE)]),
}


@lru_cache(maxsize=32_768)
def terms(word: str) -> tuple[str, str]:
    """The terms of one match of `scripts.WORD`, upper case kept: words and trigrams, joined by spaces."""
    if word[0] in "'’":
        return "", ""
    folded = word.casefold()
    if len(word) > _LONGEST_WORD or len(folded.encode()) > _LONGEST_TERM:
        return folded.encode()[:_LONGEST_TERM].decode(errors="ignore"), ""
    if word.isalpha() and (word.islower() or word.isupper() or word[1:].islower()):
        return _stem(folded), _triples(folded)
    if "," in word:
        return word.replace(",", ""), ""
    return _identifier(word, folded)


def _identifier(word: str, folded: str) -> tuple[str, str]:
    """A word with digits, signs, marks or inner capitals: whole, and its parts of two letters or more."""
    parts = [part.casefold() for part in scripts.PART.findall(word)]
    if parts == [folded]:
        return _stem(folded), _triples(folded)
    whole = _stem(folded) if folded.isalpha() else folded.strip("_")
    found = [whole, *(_stem(part) for part in parts if len(part) > 1)]
    return " ".join(dict.fromkeys(found)), " ".join(filter(None, map(_triples, parts)))


def _stem(word: str) -> str:
    stemmer = _stemmer(next((name for last, name in _STEMMERS if word[0] <= last), ""))
    with _STEMMING:
        return stemmer(word.replace("ё", "е"))


@cache
def _stemmer(name: str) -> Callable[[str], str]:
    if not name:
        return str
    import snowballstemmer  # takes 50 ms

    stem: Callable[[str], str] = snowballstemmer.stemmer(name).stemWord
    return stem


def _triples(word: str) -> str:
    """The triples of a word, its beginning marked, so that a word of two letters has one too."""
    marked = "^" + _unaccented(word)
    return " ".join(map("".join, zip(marked, marked[1:], marked[2:], strict=False)))


def _unaccented(word: str) -> str:
    if word.isascii():
        return word
    if "\u0600" <= word[0] <= "\u06ff":
        return word.translate(_ARABIC)
    if word[0] >= "\u0590" and not "\u1e00" <= word[0] <= "\u1fff":
        return word
    letters = unicodedata.normalize("NFD", word)
    return unicodedata.normalize("NFC", "".join(c for c in letters if not unicodedata.combining(c)))
