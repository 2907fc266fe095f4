"""Searching what was said in all sessions, by the knowledge base's analysis.

Nothing is kept between searches: sessions are small, and files change under us. It blocks: call it off the
event loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from geekagent_tui.agent.records import AssistantSaid, Forgotten, Named, Record, UserSaid
from geekagent_tui.agent.session_lines import records_of
from geekagent_tui.agent.sessions import session_files
from geekagent_tui.rag.analysis import Terms, analyse, analyse_query

BUDGET = 8_000_000
"""Characters that are looked at, those of the sessions that changed last first: a few seconds of work."""

LARGEST = 64 * 1024 * 1024
"""Bytes of a session's file up to which it is read."""

_FLOOR = 0.5
"""The share of the query's terms that a piece has to hold."""

_BEFORE, _BEHIND = 24, 72
"""Characters of an excerpt before and behind the first word that was looked for."""


@dataclass(frozen=True, slots=True)
class Found:
    """Something said that fits a query.

    Attributes:
        role: "user" or "assistant".
        excerpt: Its words around what was looked for, on one line.
        coverage: The share of the query's terms that it holds, 0 to 1.
        copies: The other sessions that hold a copy of it.
    """

    session: str
    role: str
    at: datetime
    excerpt: str
    coverage: float
    copies: tuple[str, ...] = ()


@dataclass(slots=True)
class Finds:
    """What a search found.

    Attributes:
        found: The best, best first.
        titles: The names in words of the sessions, where they have any.
        total: How many there are in all, copies aside.
        looked: How many sessions were looked at.
        left: How many were not, because the others took all of `BUDGET`.
    """

    found: list[Found] = field(default_factory=list)
    titles: dict[str, str] = field(default_factory=dict)
    total: int = 0
    looked: int = 0
    left: int = 0


def search(folder: Path, query: str, limit: int, stopped: Callable[[], bool]) -> Finds:
    """Look through all sessions.

    Args:
        folder: The folder of sessions.
        query: Words in any language.
        limit: How many finds are wanted.
        stopped: Asked now and then; true breaks the search off.
    """
    finds = Finds()
    terms = _terms(analyse_query(query)) or _terms(analyse(query))
    budget = BUDGET
    for path in sorted(session_files(folder), key=_changed, reverse=True):
        if budget <= 0 or not terms:
            finds.left += 1
            continue
        finds.looked += 1
        found: list[Found] = []
        for record in _records(path):
            if stopped():
                return finds
            match record:
                case UserSaid() | AssistantSaid():
                    budget -= len(record.text)
                    if piece := _match(path.stem, record, terms):
                        found.append(piece)
                case Forgotten():
                    found.clear()
                case Named():
                    finds.titles[path.stem] = record.title
                case _:
                    pass
        finds.found += found
    finds.found = _grouped(finds.found)
    finds.total = len(finds.found)
    finds.found = sorted(finds.found, key=lambda each: (each.coverage, each.at), reverse=True)[:limit]
    return finds


def _grouped(found: list[Found]) -> list[Found]:
    """Each thing said once, with the sessions that were copied from its own."""
    groups: dict[tuple[datetime, str, str], list[Found]] = {}
    for each in sorted(found, key=lambda each: each.session):
        groups.setdefault((each.at, each.role, each.excerpt), []).append(each)
    return [
        replace(first, copies=tuple(copy.session for copy in copies)) for first, *copies in groups.values()
    ]


def _terms(terms: Terms) -> frozenset[str]:
    return frozenset(terms.words.split() or terms.unigrams.split())


def _match(session: str, record: UserSaid | AssistantSaid, wanted: frozenset[str]) -> Found | None:
    terms = analyse(record.text)
    held = wanted.intersection((*terms.words.split(), *terms.unigrams.split()))
    coverage = len(held) / len(wanted)
    if not held or coverage < _FLOOR:
        return None
    role = "user" if isinstance(record, UserSaid) else "assistant"
    return Found(session, role, record.at, _excerpt(record.text, held), coverage)


def _excerpt(text: str, held: frozenset[str]) -> str:
    """The words around the first term that stands in the text as it is: most do, stems begin theirs."""
    folded = text.casefold()
    places = [place for term in held if (place := folded.find(term.casefold())) >= 0]
    start = max(0, min(places, default=0) - _BEFORE)
    end = start + _BEFORE + _BEHIND
    line = " ".join(text[start:end].split())
    return ("…" if start else "") + line + ("…" if end < len(text) else "")


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # gone meanwhile
        return 0.0


def _records(path: Path) -> Iterator[Record]:
    try:
        data = path.read_bytes() if path.stat().st_size <= LARGEST else b""
    except OSError:  # gone meanwhile, or not ours to read
        return
    yield from records_of(data, ("user", "assistant", "reset", "name"))
