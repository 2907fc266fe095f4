"""A session in one line: how much was said in it, when, and what it began with."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from geekagent_tui.agent.records import AssistantSaid, Forgotten, Named, Record, ToolEnded, UserSaid

ASKED = "ask-"
"""What the ids of sessions begin with that `geekagent ask` made."""

_ASKED = re.compile(rf"{ASKED}[0-9]{{8}}-[0-9]{{6}}-[0-9a-f]{{4}}")
_MADE = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{4}")
_COPY = re.compile(r".+-[0-9]{1,4}")


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """One line of `/sessions`.

    Attributes:
        title: What it is about, as its user named it; "" when it has no such name.
        question: Its first question since the last reset; "" when there is none.
        said: When each message was said and the hash of its text: two are the same only if one is a copy.
    """

    session: str
    messages: int
    title: str = ""
    question: str = ""
    said: tuple[tuple[datetime, int], ...] = ()


def summary_of(session: str, records: Iterable[Record]) -> SessionSummary:
    """What a session's records come to."""
    messages, title, question = 0, "", ""
    said: list[tuple[datetime, int]] = []
    for record in records:
        match record:
            case Forgotten():
                messages, question = 0, ""
                said.clear()
            case Named():
                title = record.title
            case UserSaid() | AssistantSaid():
                messages += 1
                said.append((record.at, hash(record.text)))
                if isinstance(record, UserSaid):
                    question = question or record.text
            case ToolEnded():
                messages += record.content is not None
            case _:
                pass
    return SessionSummary(session, messages, title, question, tuple(said))


def is_asked(session: str) -> bool:
    """Whether `geekagent ask` made it."""
    return _ASKED.fullmatch(session) is not None


def worth_listing(summary: SessionSummary, others: Collection[SessionSummary]) -> bool:
    """Whether a person looks for it: not one of `geekagent ask`, nor one that holds nothing of its own.

    What somebody named is always worth it.

    Args:
        summary: The session.
        others: All sessions.
    """
    if summary.title:
        return True
    if is_asked(summary.session):
        return False
    said = set(summary.said)
    if _COPY.fullmatch(summary.session) and not _MADE.fullmatch(summary.session):
        return bool(said) and not any(
            said < set(other.said) or (said == set(other.said) and other.session < summary.session)
            for other in others
        )
    return bool(said) or not _MADE.fullmatch(summary.session)
