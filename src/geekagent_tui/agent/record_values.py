"""Reading the values inside of records: a wrong type raises, so that a broken line is noticed as one.

Each function raises `TypeError`, `ValueError` or `KeyError` for what is none of its kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from geekagent_tui.agent.events import Citation, ToolEntry, ToolState
from geekagent_tui.agent.messages import ToolCall
from geekagent_tui.agent.todos import Todo, TodoStatus
from geekagent_tui.rag.model import Hit, Selection


def string(value: object) -> str:
    """A text."""
    if not isinstance(value, str):
        raise TypeError("not a string")
    return value


def time(value: object) -> datetime:
    """A moment with its zone."""
    moment = datetime.fromisoformat(string(value))
    if moment.tzinfo is None:
        raise ValueError("a time without its zone")
    return moment


def place(value: Mapping[str, Any]) -> tuple[int, str, datetime]:
    """What every entry of the chat has: its number, text and time."""
    return number(value["entry_id"]), string(value["text"]), time(value["at"])


def number(value: object) -> int:
    """A whole number; no truth value is one."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError("not a number")
    return value


def quantity(value: object) -> float:
    """Any number."""
    return value if isinstance(value, float) else number(value)


def hits(values: Iterable[Mapping[str, Any]]) -> tuple[Hit, ...]:
    """Passages."""
    return tuple(map(hit, values))


def hit(value: Mapping[str, Any]) -> Hit:
    """A passage that was found."""
    return Hit(
        number(value["id"]),
        string(value["title"]),
        string(value["source"]),
        number(value["passage"]),
        number(value["start"]),
        string(value["text"]),
        string(value["heading"]),
        quantity(value["score"]),
        {string(name): quantity(share) for name, share in value.get("shares", {}).items()},
        number(value.get("page", 0)),
    )


def call(value: Mapping[str, Any]) -> ToolCall:
    """A model's wish to run a tool."""
    return ToolCall(string(value["id"]), string(value["name"]), string(value["arguments"]))


def citation(value: Mapping[str, Any]) -> Citation:
    """A mention of a passage."""
    identifier = value["document_id"]
    return Citation(
        number(value["start"]),
        number(value["end"]),
        string(value["title"]),
        number(value["passage"]),
        None if identifier is None else number(identifier),
        string(value["source"]),
        number(value.get("page", 0)),
        string(value.get("digest", "")),
    )


def selection(value: Mapping[str, Any]) -> Selection:
    """A choice of documents."""
    since, until = value["since"], value["until"]
    return Selection(
        tuple(map(number, value["documents"])),
        tuple(map(string, value["tags"])),
        tuple(map(string, value["sources"])),
        tuple(map(string, value["kinds"])),
        None if since is None else time(since),
        None if until is None else time(until),
    )


def todo(value: Mapping[str, Any]) -> Todo:
    """Something to be done."""
    return Todo(string(value["content"]), TodoStatus(value["status"]))


def tool_entry(entry: Mapping[str, Any]) -> ToolEntry:
    """A line of the tool log."""
    seconds = entry["seconds"]
    return ToolEntry(
        string(entry["call_id"]),
        string(entry["name"]),
        string(entry["target"]),
        string(entry["arguments"]),
        time(entry["started_at"]),
        ToolState(entry["state"]),
        string(entry["summary"]),
        string(entry["result"]),
        hits(entry["hits"]),
        None if seconds is None else quantity(seconds),
        number(entry.get("after", 0)),
        string(entry.get("parent", "")),
    )
