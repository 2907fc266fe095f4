"""What leaves a query before it is searched: question words, function words, courtesies. Never documents."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from geekagent_tui.rag import function_words as lists
from geekagent_tui.rag import scripts


def _alternatives(words: str) -> str:
    """A pattern that takes the longest fitting one; NFKC takes the Thai vowel am apart, here as in texts."""
    found = unicodedata.normalize("NFKC", words).split()
    return "|".join(re.escape(word) for word in sorted(found, key=len, reverse=True))


_UNSPACED = _alternatives(f"{lists.CHINESE} {lists.JAPANESE} {lists.KOREAN} {lists.THAI}")
_IN_CONTEXT = lists.CHINESE_IN_CONTEXT.replace(",", "|").replace("$", f"(?=[^{scripts.CJK}]*$)")

PHRASES = re.compile(f"{_UNSPACED}|{_IN_CONTEXT}")
"""Question and function words of scripts in which words aren't separated."""

_SPACED = [frozenset(words.split()) for words in lists.SPACED]

_CLAUSE_END = re.compile(r"(?:[，。！!？?；;…~～\n]|,(?!\d)|\.(?=\s|$))+")
_COURTESY = re.compile(
    rf"(?:(?:{_alternatives(lists.COURTESIES)}|[呀啊吧呢吗哦嘛])(?![a-zа-я])|[\W_])*", re.IGNORECASE
)


def without_function_words(words: Sequence[str]) -> list[str]:
    """The words of a query, in any case, without those that only help to make a question.

    They are taken for words of the one language that most of them are function words of: *die* and *war* mean
    something in English. A word in capitals is a name (IT, US, WHO).
    """
    folded = [word.casefold() for word in words]
    language = max(_SPACED, key=lambda known: sum(map(known.__contains__, folded)))
    return [
        word
        for word, lower in zip(words, folded, strict=True)
        if lower not in language or (len(word) > 1 and word.isupper())
    ]


def without_courtesies(text: str) -> str:
    """A query without the clauses that only greet, thank or agree; nothing is left of a mere greeting."""
    return " ".join(clause for clause in _CLAUSE_END.split(text) if not _COURTESY.fullmatch(clause))
