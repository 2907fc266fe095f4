"""The protocol every chat model follows."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from geekagent_tui.agent.messages import Message, ToolCall


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model sees it.

    Attributes:
        parameters: JSON Schema of the arguments, an object.
        read_only: It changes nothing, so that it may run beside others.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    read_only: bool = False


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens the server counted for one request."""

    prompt: int
    completion: int

    @property
    def total(self) -> int:
        """Prompt and completion together."""
        return self.prompt + self.completion


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A fragment of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """A fragment of the model's reasoning, shown folded and never stored as the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Reply:
    """The end of one request: the whole text and the tool calls.

    Attributes:
        usage: None when the server sent none.
        finish: The server's finish reason, "" when it sent none.
        reasoning: What the model thought, as far as the server tells.
    """

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    finish: str = ""
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class Waiting:
    """The server is busy; the request is sent again after `seconds`, now when 0. Comes before any text."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Advice:
    """A sentence for the user about the server, such as that it cut the request. Comes before the reply."""

    text: str


ModelEvent = TextDelta | ReasoningDelta | Waiting | Advice | Reply


class ModelError(Exception):
    """A request failed; `message` is a sentence a user can act on, in the user's language."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class TransientError(ModelError):
    """A request failed in a way that another try may not.

    Attributes:
        after: Seconds the server wants us to wait; None when it did not say.
    """

    def __init__(self, message: str, after: float | None = None) -> None:
        super().__init__(message)
        self.after = after


class TooLongError(ModelError):
    """The request is longer than the model's window.

    Attributes:
        window: Tokens of the window, when the server told; None otherwise.
    """

    def __init__(self, message: str, window: int | None = None) -> None:
        super().__init__(message)
        self.window = window


class ChatModel(Protocol):
    """Anything that can hold a conversation."""

    @property
    def name(self) -> str:
        """The model's name as the status line shows it."""

    @property
    def offline(self) -> bool:
        """True for the built-in model that needs no server."""

    @property
    def context_window(self) -> int:
        """Tokens the model can take, prompt and answer together."""

    def stream(
        self, system: str, messages: Sequence[Message], tools: Sequence[ToolSpec]
    ) -> AsyncIterator[ModelEvent]:
        """Ask once.

        Yields deltas as they arrive and exactly one `Reply` at the end. Closing the iterator, or cancelling
        the task that reads it, ends the request at once.

        Raises:
            ModelError: The request failed.
        """

    async def close(self) -> None:
        """Release connections; safe to call twice."""
