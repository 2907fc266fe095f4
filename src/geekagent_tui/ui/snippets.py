"""Showing where words occur in a text: what to light up, and the piece worth showing."""

from __future__ import annotations

import re

from geekagent_tui.ui.text import one_line

_MOST = 32
"""Words of a query that are looked for; a pasted page has thousands."""
_CJK = re.compile("[\u3005\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff]{2,}")
_MARKS = re.compile(r"^#{1,6} (?=\S)", re.MULTILINE)
_HEADINGS = re.compile(r"\A(?:\s*#{1,6} [^\n]*(?:\n|\Z))+")
_WORD = re.compile(r"\w[\w.+#-]*")


def pattern(query: str) -> re.Pattern[str] | None:
    """What finds the words of a query in a text; pairs of characters for scripts without spaces.

    Returns:
        A pattern that matches before each occurrence and holds it in its group; None without words.
    """
    terms: dict[str, None] = {}
    for word in _WORD.findall(query)[:_MOST]:
        terms[word] = None
        for run in _CJK.findall(word):
            terms[run] = None
            terms |= dict.fromkeys(run[place : place + 2] for place in range(len(run) - 1))
    if not terms:
        return None
    longest_first = sorted(terms, key=len, reverse=True)[: 4 * _MOST]
    return re.compile(f"(?=({'|'.join(map(re.escape, longest_first))}))", re.IGNORECASE)


def without_headings(text: str) -> str:
    """A passage's text less the headings at its top and the marks of those within.

    For where its headings are told by themselves, and its lines are run together.
    """
    return _MARKS.sub("", _HEADINGS.sub("", text)).strip()


def spans(text: str, found: re.Pattern[str] | None) -> list[tuple[int, int]]:
    """Where the words occur, joined where they touch."""
    joined: list[tuple[int, int]] = []
    for match in found.finditer(text) if found else ():
        start, end = match.span(1)
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


def piece(text: str, found: re.Pattern[str] | None, length: int) -> str:
    """About `length` characters of a text on one line, where most of the words are."""
    text = one_line(text)
    if len(text) <= length:
        return text
    places = spans(text, found)
    if not places:
        return text[: length - 1] + "…"
    # A window that begins a little before an occurrence; of several the one that shows the most.
    best = max(
        places,
        key=lambda place: sum(e - s for s, e in places if place[0] <= s and e <= place[0] + length * 3 // 4),
    )
    start = max(0, min(best[0] - length // 6, len(text) - length))
    shown = text[start : start + length]
    return ("…" if start else "") + shown + ("…" if start + length < len(text) else "")
