"""Everything the core tells its front ends, and the answers it takes.

Frozen dataclasses only. `Agent.subscribe()` yields a `Snapshot` first, then the events as they happen.
Strings may hold foreign text: a front end cleans them (`geekagent_tui.sanitize`) before showing them.
"""

from __future__ import annotations

from dataclasses import dataclass

from geekagent_tui.agent.values import ChatEntry as ChatEntry
from geekagent_tui.agent.values import Citation as Citation
from geekagent_tui.agent.values import Cited as Cited
from geekagent_tui.agent.values import CitedPassage as CitedPassage
from geekagent_tui.agent.values import Focus as Focus
from geekagent_tui.agent.values import Level as Level
from geekagent_tui.agent.values import ModelChoice as ModelChoice
from geekagent_tui.agent.values import QueuedMessage as QueuedMessage
from geekagent_tui.agent.values import Scope as Scope
from geekagent_tui.agent.values import Status as Status
from geekagent_tui.agent.values import TextState as TextState
from geekagent_tui.agent.values import ToolEntry as ToolEntry
from geekagent_tui.agent.values import ToolState as ToolState
from geekagent_tui.agent.values import TurnEnd as TurnEnd
from geekagent_tui.config.trust import TrustItem as TrustItem
from geekagent_tui.rag.model import (
    BatchProgress,
    Document,
    IngestProgress,
    IngestResult,
    SourcePreview,
    Stats,
)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The present state, first of every subscription.

    Attributes:
        requests: Requests that still wait for an answer.
        live: The answer so far of the turn that is running; "" when none is.
        batch: Where the running batch stands; None when none is running.
    """

    status: Status
    chat: tuple[ChatEntry, ...]
    tools: tuple[ToolEntry, ...]
    documents: tuple[Document, ...]
    stats: Stats
    ingests: tuple[IngestProgress, ...]
    requests: tuple[Request, ...]
    live: str = ""
    batch: BatchProgress | None = None


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
class BatchMoved:
    """The running batch of an ingest moved on; None when it has ended."""

    progress: BatchProgress | None


@dataclass(frozen=True, slots=True)
class StatusChanged:
    """The status line's figures moved."""

    status: Status


@dataclass(frozen=True, slots=True)
class ExitRequested:
    """The user asked to leave (`/exit`)."""


@dataclass(frozen=True, slots=True)
class ComposerFilled:
    """The user took a message back to change it (`/edit`): put it where one types."""

    text: str


@dataclass(frozen=True, slots=True)
class ThemeChosen:
    """The user asked for other colours (`/theme`).

    Attributes:
        name: As typed; "" for light instead of dark, or the other way round.
    """

    name: str


@dataclass(frozen=True, slots=True)
class IngestReview:
    """May these sources enter the knowledge base? Answer with an `IngestDecision`.

    Attributes:
        by_model: The model asks, not the user: refuse must be the easy answer.
        reason: Why the model asks, in its own words; foreign text.
        tags: What is added will have them.
    """

    request_id: str
    previews: tuple[SourcePreview, ...]
    by_model: bool = False
    reason: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PermissionReview:
    """May this tool run? Answer with a `PermissionDecision`.

    Attributes:
        question: The reference's prompt, several lines; the last one is the question.
        target: What a grant would be limited to: a folder, a host, the beginning of a command.
        arguments: The whole arguments, pretty-printed JSON.
        diff: What would change in a file, as a unified diff; foreign text. Empty for other tools.
        label: `target` in words, such as "文件夹 src/（不含子文件夹）"; may be empty.
        once_only: Only this once can be allowed: it would change what the agent itself obeys.
    """

    request_id: str
    tool: str
    question: str
    target: str
    arguments: str
    diff: str = ""
    label: str = ""
    once_only: bool = False


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
    | BatchMoved
    | StatusChanged
    | ExitRequested
    | ComposerFilled
    | ThemeChosen
    | IngestReview
    | PermissionReview
    | RequestClosed
)


# --- answers ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class IngestDecision:
    """The sources the user agreed to.

    Attributes:
        accepted: As `SourcePreview.typed`; empty refuses all.
        tags: Put on what is added; None for those that were asked for.
        crawl: How many pages each web page may lead to, itself included; None for what was asked for.
    """

    accepted: tuple[str, ...] = ()
    tags: tuple[str, ...] | None = None
    crawl: int | None = None


@dataclass(frozen=True, slots=True)
class PermissionDecision:
    """Whether the tool may run, and for how long that holds."""

    allow: bool = False
    scope: Scope = Scope.ONCE


@dataclass(frozen=True, slots=True)
class TrustReview:
    """May what came with a folder count? Asked before the agent opens; answered with a `TrustDecision`.

    Attributes:
        folder: The workspace's.
        items: Each file that would change how the agent works.
    """

    request_id: str
    folder: str
    items: tuple[TrustItem, ...]


@dataclass(frozen=True, slots=True)
class TrustDecision:
    """Whether they count, until their content changes."""

    trust: bool = False


Decision = IngestDecision | PermissionDecision
