"""What a tool is: a description for the model and a function that answers with text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from geekagent_tui.agent.events import ToolState
from geekagent_tui.agent.models.base import ToolSpec
from geekagent_tui.rag.model import Hit

Arguments = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a tool call.

    Attributes:
        content: The text the model reads.
        summary: The same in a few words, for the tool log.
        hits: What a search found.
    """

    content: str
    summary: str = ""
    state: ToolState = ToolState.DONE
    hits: tuple[Hit, ...] = ()


class ToolError(Exception):
    """A tool can't do what it was asked; the text is the whole sentence for the model."""


class Tool(Protocol):
    """One tool."""

    @property
    def spec(self) -> ToolSpec:
        """How the model sees it."""

    @property
    def asks_itself(self) -> bool:
        """Whether it asks the user itself, with a better question than the general one."""

    @property
    def guarded(self) -> bool:
        """Whether it must ask even when allowed, once foreign text is in the conversation.

        A page could have told the model to use it.
        """

    def target(self, arguments: Arguments) -> str:
        """What it works on, short: for the tool log and as the limit of a grant."""

    async def run(self, arguments: Arguments) -> Outcome:
        """Do it.

        Raises:
            ToolError: It can't be done.
        """


@runtime_checkable
class TellingTool(Protocol):
    """A tool that has something to show before it is done."""

    async def run_told(self, arguments: Arguments, tell: Callable[[str], None]) -> Outcome:
        """Do it.

        Args:
            arguments: As for `Tool.run`.
            tell: Given the whole result so far, now and then.

        Raises:
            ToolError: It can't be done.
        """


@runtime_checkable
class NestingTool(Protocol):
    """A tool that makes calls of its own."""

    async def run_within(self, arguments: Arguments, call_id: str) -> Outcome:
        """Do it.

        Args:
            arguments: As for `Tool.run`.
            call_id: The call itself, the parent of those it makes.

        Raises:
            ToolError: It can't be done.
        """


def text_argument(arguments: Arguments, name: str) -> str:
    """A text among the arguments, without white space around it; "" when it is missing or no text."""
    value = arguments.get(name)
    return value.strip() if isinstance(value, str) else ""


def texts(value: object) -> list[str]:
    """The texts of a list, without blanks; models also write one text where a list is wanted."""
    items = value if isinstance(value, list) else [value]
    return [item.strip() for item in items if isinstance(item, str) and item.strip()]


def object_schema(required: Mapping[str, str], **optional: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON Schema for arguments: the required texts with their descriptions, and optional properties."""
    texts = {name: {"type": "string", "description": description} for name, description in required.items()}
    return {
        "type": "object",
        "properties": {**texts, **optional},
        "required": list(required),
        "additionalProperties": False,
    }
