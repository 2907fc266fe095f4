"""What a session file holds: one record a line, each a small JSON object named by its `type`.

A session is the list of its records; `conversation.Conversation` is what they add up to. Nothing else is
stored, so what the screen shows and what the file says can't differ.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from geekagent_tui.agent import record_values as read
from geekagent_tui.agent.events import Citation, Level, ToolEntry
from geekagent_tui.agent.messages import ToolCall
from geekagent_tui.agent.todos import Todo
from geekagent_tui.rag.model import Hit, Selection

VERSION = 1


@dataclass(frozen=True, slots=True)
class Began:
    """The first line of a file.

    Attributes:
        seal: Says that the file was begun here; see `seals`.
    """

    session: str
    at: datetime
    version: int = VERSION
    seal: str = ""


@dataclass(frozen=True, slots=True)
class UserSaid:
    """A message to the model."""

    entry_id: int
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class CommandTyped:
    """A `/command` as it was typed; the model never sees it."""

    entry_id: int
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Queued:
    """A message that waits for the running turn to end, so that a crash does not lose it."""

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Dequeued:
    """A waiting message whose turn has come, or that went to another session."""

    key: str


@dataclass(frozen=True, slots=True)
class Recalled:
    """What was recalled from the knowledge base for a message, for checking citations."""

    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class MetForeign:
    """Foreign text came before the model by a way that no other record tells of."""


@dataclass(frozen=True, slots=True)
class Partial:
    """A fragment of an answer that is still arriving; the next `AssistantSaid` replaces all of them."""

    text: str


@dataclass(frozen=True, slots=True)
class AssistantSaid:
    """An answer, or the part of one that arrived, and the tools it calls.

    Attributes:
        entry_id: Its place in the chat; unused when there is no text.
        reasoning: What the model thought before.
        context: Tokens of the conversation up to and with this answer, by the server's count; 0 when it
            did not count.
        spent: Tokens of the request and the answer, by the server's count; 0 when it did not count.
    """

    entry_id: int
    text: str
    at: datetime
    calls: tuple[ToolCall, ...] = ()
    interrupted: bool = False
    offline: bool = False
    citations: tuple[Citation, ...] = ()
    reasoning: str = ""
    context: int = 0
    spent: int = 0


@dataclass(frozen=True, slots=True)
class ToolEnded:
    """A tool call, or one source of a user's own ingest, that came to its end.

    Attributes:
        content: What the model reads; None when it was not the model's call.
    """

    entry: ToolEntry
    content: str | None = None


@dataclass(frozen=True, slots=True)
class Noted:
    """A notice in the chat."""

    entry_id: int
    text: str
    at: datetime
    level: Level = Level.INFO


@dataclass(frozen=True, slots=True)
class Planned:
    """The whole list of what is to be done, in place of the one before."""

    todos: tuple[Todo, ...]


@dataclass(frozen=True, slots=True)
class Focused:
    """From here on only these documents are searched; None for all of them."""

    selection: Selection | None


@dataclass(frozen=True, slots=True)
class Named:
    """`/rename`: what the session is about, in words; "" takes the words away."""

    title: str


@dataclass(frozen=True, slots=True)
class SkillUsed:
    """From here on the model follows a skill; "" for none."""

    name: str


@dataclass(frozen=True, slots=True)
class Forgotten:
    """`/reset`: everything above is history."""


@dataclass(frozen=True, slots=True)
class Retried:
    """`/retry`: what followed the last question stays in the chat and leaves the model's history."""


@dataclass(frozen=True, slots=True)
class Compacted:
    """The model's history was made shorter; the chat keeps everything.

    Attributes:
        text: The notice about it.
        parts: What stands for the messages that went: the summaries so far, the newest one last. Empty when
            only tool results were shortened.
        start: The first message that stayed, by its place in the history before.
        question: The question of the running turn, when it stood before `start`; it stayed too.
        shortened: The calls whose results were cut.
        before_tokens: Estimated tokens of the next request before.
        after_tokens: The same afterwards.
    """

    entry_id: int
    text: str
    at: datetime
    parts: tuple[str, ...]
    start: int
    question: int | None
    shortened: tuple[str, ...]
    before_tokens: int
    after_tokens: int


@dataclass(frozen=True, slots=True)
class ModelChosen:
    """`/model`: who answers from here on. It never holds a key.

    Attributes:
        profile: The profile of the settings; "" for a server found on this machine, or the offline model.
        base_url: The server's address; "" for the offline model.
        context_window: Tokens, when the server told; None otherwise.
    """

    name: str
    profile: str
    base_url: str
    context_window: int | None = None


Record = (
    Began
    | UserSaid
    | CommandTyped
    | Queued
    | Dequeued
    | Recalled
    | MetForeign
    | Partial
    | AssistantSaid
    | ToolEnded
    | Noted
    | Planned
    | SkillUsed
    | Focused
    | Named
    | Forgotten
    | Retried
    | Compacted
    | ModelChosen
)

_NAMES: dict[type[Record], str] = {
    Began: "session",
    UserSaid: "user",
    CommandTyped: "command",
    Queued: "queued",
    Dequeued: "dequeued",
    Recalled: "recalled",
    MetForeign: "foreign",
    Partial: "partial",
    AssistantSaid: "assistant",
    ToolEnded: "tool",
    Noted: "notice",
    Planned: "todos",
    SkillUsed: "skill",
    Focused: "focus",
    Named: "name",
    Forgotten: "reset",
    Retried: "retried",
    Compacted: "compacted",
    ModelChosen: "model",
}


def encode(record: Record) -> bytes:
    """One line with its line end. Any string survives, lone surrogates too."""
    value = {"type": _NAMES[type(record)], **asdict(record)}
    try:
        text = json.dumps(value, ensure_ascii=False, default=_plain)
        return text.encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(value, default=_plain).encode() + b"\n"


def decode(line: bytes) -> Record | None:
    """Read one line; None for a record of a kind this version does not know.

    Raises:
        ValueError: The line is broken.
    """
    try:
        value = json.loads(line)
        reader = _READERS.get(value["type"])
        return reader(value) if reader else None
    except (KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        raise ValueError(f"broken record: {error!r}") from error


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"can't store {type(value).__name__}")


def _assistant(value: Mapping[str, Any]) -> AssistantSaid:
    return AssistantSaid(
        *read.place(value),
        calls=tuple(map(read.call, value["calls"])),
        interrupted=bool(value["interrupted"]),
        offline=bool(value["offline"]),
        citations=tuple(map(read.citation, value["citations"])),
        reasoning=read.string(value.get("reasoning", "")),
        context=int(value.get("context", 0)),
        spent=int(value.get("spent", 0)),
    )


def _chosen(value: Mapping[str, Any]) -> ModelChosen:
    window = value["context_window"]
    return ModelChosen(
        read.string(value["name"]),
        read.string(value["profile"]),
        read.string(value["base_url"]),
        None if window is None else int(window),
    )


def _compacted(value: Mapping[str, Any]) -> Compacted:
    question = value["question"]
    return Compacted(
        *read.place(value),
        parts=tuple(map(read.string, value["parts"])),
        start=int(value["start"]),
        question=None if question is None else int(question),
        shortened=tuple(map(read.string, value["shortened"])),
        before_tokens=int(value["before_tokens"]),
        after_tokens=int(value["after_tokens"]),
    )


def _tool(value: Mapping[str, Any]) -> ToolEnded:
    content = value["content"]
    return ToolEnded(read.tool_entry(value["entry"]), None if content is None else read.string(content))


def _began(value: Mapping[str, Any]) -> Began:
    seal = read.string(value.get("seal", ""))
    return Began(read.string(value["session"]), read.time(value["at"]), int(value["version"]), seal)


_READERS: dict[str, Callable[[Mapping[str, Any]], Record]] = {
    "session": _began,
    "user": lambda v: UserSaid(*read.place(v)),
    "command": lambda v: CommandTyped(*read.place(v)),
    "queued": lambda v: Queued(read.string(v["key"]), read.string(v["text"])),
    "dequeued": lambda v: Dequeued(read.string(v["key"])),
    "foreign": lambda v: MetForeign(),
    "recalled": lambda v: Recalled(read.hits(v["hits"])),
    "partial": lambda v: Partial(read.string(v["text"])),
    "assistant": _assistant,
    "tool": _tool,
    "notice": lambda v: Noted(*read.place(v), level=Level(v["level"])),
    "todos": lambda v: Planned(tuple(map(read.todo, v["todos"]))),
    "focus": lambda v: Focused(None if v["selection"] is None else read.selection(v["selection"])),
    "name": lambda v: Named(read.string(v["title"])),
    "skill": lambda v: SkillUsed(read.string(v["name"])),
    "reset": lambda v: Forgotten(),
    "retried": lambda v: Retried(),
    "compacted": _compacted,
    "model": _chosen,
}
