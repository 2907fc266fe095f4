"""Finding the sentences of retrieved passages that answer a question best."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from geekagent_tui.rag.analysis import Terms, analyse, analyse_query
from geekagent_tui.rag.blocks import blocks
from geekagent_tui.rag.model import Hit

MOST = 3
"""Excerpts in an answer at most."""
_PASSAGES = 3
_ENOUGH = 0.6
"""The share of the best excerpt's weight below which another one would be noise."""
_FIELDS = (("words", 1.0), ("unigrams", 0.2), ("trigrams", 0.2))
"""Selective terms decide; the weaker ones tell apart what has as many of them, and find typing errors."""

_CODE = re.compile(r"(`{3,}|~{3,})([^\n]*)\n?(.*?)(?:\n\1\s*)?", re.DOTALL)
_ITEM = re.compile(r"(?:[-*+•]|\d{1,9}[.)])[ \t]+")
_SENTENCE = re.compile(
    r".+?(?:(?<![。！？…])[。！？…]++[”’」』）)\"']*|(?<![.!?])[.!?]++[\"')\]]*(?=\s)|$)\s*", re.DOTALL
)
_UNSPACED = "[\u2e80-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uff60]"
"""Chinese and Japanese, with their punctuation: no space where a line breaks."""
_UNSPACED_BREAK = re.compile(rf"(?<={_UNSPACED})\s*\n\s*(?={_UNSPACED})")
_LINE_BREAK = re.compile(r"\s*\n\s*")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A piece of a passage, as it is written there.

    Attributes:
        text: A sentence or a table row on one line, or the lines inside a code fence.
        code: Whether it is code.
        language: What the fence names; foreign text.
    """

    hit: Hit
    text: str
    code: bool = False
    language: str = ""


def best_excerpts(question: str, hits: Sequence[Hit]) -> list[Excerpt]:
    """The excerpts that hold most of the question's terms, rare ones counting more; best first.

    Blocks a few milliseconds, at the first call a few dozen: call it off the event loop.

    Args:
        question: The user's words.
        hits: What a search found for it, best first.
    """
    excerpts = list(dict.fromkeys(excerpt for hit in hits[:_PASSAGES] for excerpt in _excerpts(hit)))
    asked = _weighted(analyse_query(question))
    held = [asked.keys() & _weighted(analyse(excerpt.text)).keys() for excerpt in excerpts]
    spread = Counter(term for terms in held for term in terms)
    weights = [
        _trust(excerpt.hit, hits[0])
        * sum(asked[term] * _rarity(len(excerpts), spread[term]) for term in terms)
        for excerpt, terms in zip(excerpts, held, strict=True)
    ]
    if not any(weights):  # found by title or heading alone: how it begins says what it is about
        return excerpts[:1]
    # Sorting is stable: of equals, the better passage's and the earlier one comes first.
    ranked = sorted(range(len(excerpts)), key=lambda place: -weights[place])
    chosen: list[Excerpt] = []
    for place in ranked:
        repeated = any(excerpts[place].text in other.text for other in chosen)
        if weights[place] >= _ENOUGH * weights[ranked[0]] and not repeated:
            chosen.append(excerpts[place])
    return chosen[:MOST]


def _excerpts(hit: Hit) -> Iterator[Excerpt]:
    """The sentences, table rows and code blocks of a passage; headings only when there is nothing else."""
    found = [block for block in blocks(hit.text) if not block.is_heading]
    for block in found or blocks(hit.text):
        text = hit.text[block.start : block.end]
        if (code := _CODE.fullmatch(text)) is not None:
            if code[3].strip():
                yield Excerpt(hit, code[3], code=True, language=code[2].strip())
        elif text.startswith("|"):
            if any(character.isalnum() for character in text):  # not the line below a table's head
                yield Excerpt(hit, text)
        else:
            for sentence in _SENTENCE.findall(_ITEM.sub("", text, count=1)):
                if sentence.strip():
                    yield Excerpt(hit, _joined(sentence.strip()))


def _joined(sentence: str) -> str:
    """A sentence that was broken into lines, on one."""
    return _LINE_BREAK.sub(" ", _UNSPACED_BREAK.sub("", sentence))


def _weighted(terms: Terms) -> dict[tuple[str, str], float]:
    return {(field, term): weight for field, weight in _FIELDS for term in getattr(terms, field).split()}


def _trust(hit: Hit, best: Hit) -> float:
    """How good the passage is as a whole: a rare word in a poor one makes no answer."""
    return hit.score / best.score if 0 < hit.score < best.score else 1.0


def _rarity(total: int, holding: int) -> float:
    """BM25's weight of a term: the rarer among the excerpts, the higher, and never below 0."""
    return math.log(1 + (total - holding + 0.5) / (holding + 0.5))
