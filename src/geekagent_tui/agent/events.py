"""Everything the core tells its front ends, and the answers it takes.

Frozen dataclasses only. `Agent.subscribe()` yields a `Snapshot` first, then the events as they happen.
Strings may hold foreign text: a front end cleans them (`geekagent_tui.sanitize`) before showing them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from geekagent_tui.rag.model import Document, Hit, IngestProgress, IngestResult, SourcePreview, Stats


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


# --- values inside events ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Citation:
    """A mention of 《title》第 N 段 in an answer.

    Attributes:
        start: Offset of the mention in the answer's text, code points.
        end: Offset just behind it.
        document_id: The document it was checked against; None when nothing of the kind was retrieved in
            this session, so that it must be shown as unchecked and opens nothing.
    """

    start: int
    end: int
    title: str
    passage: int
    document_id: int | None = None
    source: str = ""


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


@dataclass(frozen=True, slots=True)
class ChatEntry:
    """One finished piece of the conversation, as the chat panel shows it.

    Attributes:
        entry_id: Unique in the session, growing.
        role: "user", "assistant", or "notice" (command output, ingest results, errors).
        interrupted: The answer was stopped before it was complete.
        offline: The answer was made by the offline model.
        level: For notices only.
    """

    entry_id: int
    role: str
    text: str
    at: datetime
    citations: tuple[Citation, ...] = ()
    interrupted: bool = False
    offline: bool = False
    level: Level = Level.INFO


@dataclass(frozen=True, slots=True)
class Status:
    """The status line's figures.

    Attributes:
        context_tokens: Estimated tokens of the next request.
        memory: Entries in long-term memory.
        queued: The user's messages that wait for the turn to end, oldest first.
    """

    model: str
    offline: bool
    session: str
    context_tokens: int
    context_window: int
    memory: int
    busy: bool
    queued: tuple[str, ...] = ()


# --- events -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The present state, first of every subscription.

    Attributes:
        requests: Requests that still wait for an answer.
        live: The answer so far of the turn that is running; "" when none is.
    """

    status: Status
    chat: tuple[ChatEntry, ...]
    tools: tuple[ToolEntry, ...]
    documents: tuple[Document, ...]
    stats: Stats
    ingests: tuple[IngestProgress, ...]
    requests: tuple[Request, ...]
    live: str = ""


@dataclass(frozen=True, slots=True)
class ChatAdded:
    """A user message, a notice, or a finished answer; an answer replaces the live text streamed before it."""

    entry: ChatEntry


@dataclass(frozen=True, slots=True)
class ChatCleared:
    """The conversation was replaced (`/reset`, `/new`, `/open`): show `chat` and `tools` instead."""

    chat: tuple[ChatEntry, ...]
    tools: tuple[ToolEntry, ...]


@dataclass(frozen=True, slots=True)
class AnswerDelta:
    """A fragment of the answer being streamed. Fragments coalesce for a slow subscriber."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningProgress:
    """A fragment of the model's reasoning."""

    text: str


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """The agent began to work on a message."""


@dataclass(frozen=True, slots=True)
class TurnFinished:
    """The agent is idle again."""

    end: TurnEnd


@dataclass(frozen=True, slots=True)
class ToolChanged:
    """A tool call began, moved or ended: show `entry` in place of the one with its `call_id`."""

    entry: ToolEntry


@dataclass(frozen=True, slots=True)
class KnowledgeChanged:
    """Documents were added, updated or removed, by anyone."""

    documents: tuple[Document, ...]
    stats: Stats


@dataclass(frozen=True, slots=True)
class IngestMoved:
    """A source of a running ingest moved on."""

    progress: IngestProgress


@dataclass(frozen=True, slots=True)
class IngestEnded:
    """A source of a running ingest ended."""

    result: IngestResult


@dataclass(frozen=True, slots=True)
class StatusChanged:
    """The status line's figures moved."""

    status: Status


@dataclass(frozen=True, slots=True)
class ExitRequested:
    """The user asked to leave (`/exit`)."""


@dataclass(frozen=True, slots=True)
class IngestReview:
    """May these sources enter the knowledge base? Answer with an `IngestDecision`.

    Attributes:
        by_model: The model asks, not the user: refuse must be the easy answer.
        reason: Why the model asks, in its own words; foreign text.
    """

    request_id: str
    previews: tuple[SourcePreview, ...]
    by_model: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PermissionReview:
    """May this tool run? Answer with a `PermissionDecision`.

    Attributes:
        question: The reference's prompt, several lines; the last one is the question.
        target: What a grant for the session would be limited to.
        arguments: The whole arguments, pretty-printed JSON.
    """

    request_id: str
    tool: str
    question: str
    target: str
    arguments: str


Request = IngestReview | PermissionReview


@dataclass(frozen=True, slots=True)
class RequestClosed:
    """A request was answered or withdrawn: close its dialog."""

    request_id: str


Event = (
    Snapshot
    | ChatAdded
    | ChatCleared
    | AnswerDelta
    | ReasoningProgress
    | TurnStarted
    | TurnFinished
    | ToolChanged
    | KnowledgeChanged
    | IngestMoved
    | IngestEnded
    | StatusChanged
    | ExitRequested
    | IngestReview
    | PermissionReview
    | RequestClosed
)


# --- answers ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class IngestDecision:
    """The sources the user agreed to, as `SourcePreview.typed`; empty refuses all."""

    accepted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PermissionDecision:
    """Whether the tool may run, and for how long that holds."""

    allow: bool = False
    scope: Scope = Scope.ONCE


Decision = IngestDecision | PermissionDecision
