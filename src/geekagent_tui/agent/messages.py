"""The conversation as the core keeps it: typed messages, independent of any server's format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from geekagent_tui.rag.model import Hit


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's wish to run a tool.

    Attributes:
        id: Unique in the session; synthesised when the server sent none.
        arguments: Raw JSON text as the model wrote it; may be invalid.
    """

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class UserMessage:
    """What the user said.

    Attributes:
        text: The user's own words.
        recalled: Reference material recalled for this turn, quoted as data; sent before the words and never
            stored as the user's.
    """

    text: str
    recalled: str = ""


@dataclass(frozen=True, slots=True)
class AssistantMessage:
    """What the model said.

    Attributes:
        interrupted: The user stopped it, or the connection ended, before it was complete.
        reasoning: What it thought before; some servers want it back within the turn.
    """

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    interrupted: bool = False
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class ToolMessage:
    """What a tool answered.

    Attributes:
        content: The text the model reads.
        hits: The passages behind a search result, for the offline model and for checking citations.
        failed: The tool could not do its work, or was refused.
    """

    call_id: str
    name: str
    content: str
    hits: tuple[Hit, ...] = ()
    failed: bool = False


@dataclass(frozen=True, slots=True)
class SummaryMessage:
    """What stands for the older part of a conversation that was compacted; only ever the first message.

    Attributes:
        parts: A summary for each compaction, oldest first. None is ever summarised again.
    """

    parts: tuple[str, ...]


Message = UserMessage | AssistantMessage | ToolMessage | SummaryMessage
