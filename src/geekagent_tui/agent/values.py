"""What the core's events hold: entries of chat and tool log, citations, the status line's figures.

Frozen dataclasses only; strings may hold foreign text. Other modules know them by `agent.events`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from geekagent_tui.rag.model import DenseStatus, Hit, Selection


class Level(StrEnum):
    """How loud a notice is."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class ToolState(StrEnum):
    """Where a tool call stands."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    DENIED = "denied"
    CANCELLED = "cancelled"


class TurnEnd(StrEnum):
    """How a turn ended."""

    DONE = "done"
    INTERRUPTED = "interrupted"
    FAILED = "failed"


class Scope(StrEnum):
    """How long a permission lasts."""

    ONCE = "once"
    SESSION = "session"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True)
class Citation:
    """A mention of 《title》第 N 段 in an answer.

    Attributes:
        start: Offset of the mention in the answer's text, code points.
        end: Offset just behind it.
        document_id: The document it was checked against; None when nothing of the kind was retrieved in
            this session, so that it must be shown as unchecked and opens nothing.
        page: The page or slide on which the passage begins, from 1; 0 when the document has none.
        digest: Of the passage's text as it was retrieved (`citations.digest`), so that a later look can tell
            whether it is still the same; "" when it is not known.
    """

    start: int
    end: int
    title: str
    passage: int
    document_id: int | None = None
    source: str = ""
    page: int = 0
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Cited:
    """An answer that cites a document.

    Attributes:
        passage: Its number, from 1.
        session: The id of the conversation.
        session_title: As `/sessions` shows it.
        at: When the answer was given.
        question: The message that it answers, shortened.
    """

    passage: int
    session: str
    session_title: str
    at: datetime
    question: str


class TextState(StrEnum):
    """What has become of a passage since an answer cited it."""

    SAME = "same"
    CHANGED = "changed"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class CitedPassage:
    """The words that an answer rested on.

    Attributes:
        text: As they were retrieved then; "" when the session does not hold them any more.
        state: Whether the document still says so.
        document_id: The document as it is now; None when it is gone.
        passage: Where those words stand in it now, from 1; the cited number when they are there no more.
    """

    text: str
    state: TextState
    document_id: int | None
    passage: int


@dataclass(frozen=True, slots=True)
class QueuedMessage:
    """A message or command that waits for the running turn to end.

    Attributes:
        key: Names it, see `Agent.unqueue`.
    """

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Focus:
    """What the following turns and searches are limited to ("only these documents").

    Attributes:
        selection: Which documents.
        label: The same in a few words, such as "标签 读书" or "3 个文档".
        documents: How many documents it means at present.
    """

    selection: Selection
    label: str
    documents: int


@dataclass(frozen=True, slots=True)
class ToolEntry:
    """One line of the tool log.

    Attributes:
        call_id: Unique in the session; a user's own `/rag add` has one as well.
        target: What it works on, short: a query, a source.
        arguments: The whole arguments, pretty-printed JSON.
        summary: The result in a few words ("2 段", "1042 字"), empty while running.
        result: The whole result text.
        hits: What a search found, with scores.
        seconds: How long it ran; None while running.
        after: The number of the chat entry behind which it belongs: the last one when it began; of an ingest
            that the user refused, which the chat shows only then, the last one when that was done.
        parent: The call it is a step of, when a sub-agent made it; "" otherwise.
    """

    call_id: str
    name: str
    target: str
    arguments: str
    started_at: datetime
    state: ToolState = ToolState.RUNNING
    summary: str = ""
    result: str = ""
    hits: tuple[Hit, ...] = ()
    seconds: float | None = None
    after: int = 0
    parent: str = ""


@dataclass(frozen=True, slots=True)
class ChatEntry:
    """One finished piece of the conversation, as the chat panel shows it.

    Attributes:
        entry_id: Unique in the session, growing.
        role: "user", "assistant", or "notice" (command output, ingest results, errors).
        interrupted: The answer was stopped before it was complete.
        offline: The answer was made by the offline model.
        level: For notices only.
        details: More text, to be shown folded: what the model thought before an answer, or the summary
            behind the notice of a compaction.
    """

    entry_id: int
    role: str
    text: str
    at: datetime
    citations: tuple[Citation, ...] = ()
    interrupted: bool = False
    offline: bool = False
    level: Level = Level.INFO
    details: str = ""


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model that can be asked, or a server that could not be.

    Attributes:
        name: The model's name on its server; "" when the server could not be asked for its models.
        server: The server in a word for the user: a profile's name, or what kind it is.
        base_url: The server's address; "" for the offline model.
        profile: The profile it is configured in; "" when it was found on this machine or is offline.
        context_window: Tokens, when the server or the settings tell; None otherwise.
        running: Whether the server has it loaded; None when it does not tell.
        current: Whether it answers now.
        problem: Why the server could not be asked, a sentence; "" when it could.
    """

    name: str
    server: str
    base_url: str = ""
    profile: str = ""
    context_window: int | None = None
    running: bool | None = None
    current: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Status:
    """The status line's figures.

    Attributes:
        title: What the session is about, as its user named it; "" when it has no such name.
        context_tokens: Tokens of the next request: the server's last count and an estimate of what came
            since, or an estimate of all.
        activity: What a running turn waits for, such as "等待 12 秒后重试"; "" otherwise.
        spent_tokens: Tokens the server counted in this session, prompts and answers together.
        memory: Entries in long-term memory.
        queued: The user's messages that wait for the turn to end, oldest first.
        held: Whether they wait for the user's next message instead: a turn was stopped.
        focus: What turns and searches are limited to; None when to nothing.
        dense: How far dense retrieval is; None when it is off.
        skill: The name of the loaded skill; "" when there is none.
        instructions: The `AGENTS.md` files that the model follows, the nearest last.
    """

    model: str
    offline: bool
    session: str
    context_tokens: int
    context_window: int
    memory: int
    busy: bool
    queued: tuple[str, ...] = ()
    held: bool = False
    focus: Focus | None = None
    dense: DenseStatus | None = None
    activity: str = ""
    spent_tokens: int = 0
    title: str = ""
    skill: str = ""
    instructions: tuple[str, ...] = ()
