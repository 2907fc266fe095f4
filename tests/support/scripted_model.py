"""A chat model that follows a script and refuses requests that a strict server would refuse."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

from geekagent_tui.agent.messages import (
    AssistantMessage,
    Message,
    SummaryMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from geekagent_tui.agent.models.base import (
    ModelError,
    ModelEvent,
    ReasoningDelta,
    Reply,
    TextDelta,
    ToolSpec,
)

Step = str | ToolCall | ReasoningDelta | asyncio.Event | Exception
"""A fragment of the answer, a call, a fragment of reasoning, something to wait for, an error to raise."""


@dataclass(frozen=True, slots=True)
class Request:
    """What the model was asked."""

    system: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]

    def text(self) -> str:
        """Every word of it."""
        return "\n".join([self.system, *map(repr, self.messages)])


@dataclass
class ScriptedModel:
    """Answers each request with the next line of its script; a script that has run out answers `好的。`."""

    script: list[list[Step]] = field(default_factory=list)
    name: str = "scripted"
    offline: bool = False
    context_window: int = 64_000
    requests: list[Request] = field(default_factory=list)
    streaming: asyncio.Event = field(default_factory=asyncio.Event)
    open_streams: int = 0
    closed: bool = False

    async def stream(
        self, system: str, messages: Sequence[Message], tools: Sequence[ToolSpec]
    ) -> AsyncIterator[ModelEvent]:
        """Follow the script."""
        self.requests.append(Request(system, tuple(messages), tuple(tools)))
        if problem := history_problem(messages):
            raise ModelError(f"400: {problem}")
        steps = self.script.pop(0) if self.script else ["好的。"]
        text: list[str] = []
        calls: list[ToolCall] = []
        self.open_streams += 1
        try:
            for step in steps:
                match step:
                    case str():
                        text.append(step)
                        yield TextDelta(step)
                        self.streaming.set()
                    case ToolCall():
                        calls.append(step)
                    case ReasoningDelta():
                        yield step
                    case asyncio.Event():
                        self.streaming.set()
                        await step.wait()
                    case Exception():
                        raise step
            yield Reply("".join(text), tuple(calls), finish="tool_calls" if calls else "stop")
        finally:
            self.open_streams -= 1

    async def close(self) -> None:
        """Remember that the owner let go."""
        self.closed = True


def history_problem(messages: Sequence[Message]) -> str:
    """Why a strict server would refuse these messages, or "".

    Every tool call is answered exactly once right behind the message that made it, no answer is without its
    call, no assistant message is empty, no call id is used twice, a summary comes first and has words, and
    the last word is not the assistant's.
    """
    waiting: set[str] = set()
    seen: set[str] = set()
    for place, message in enumerate(messages):
        if isinstance(message, SummaryMessage):
            if place or not "".join(message.parts).strip():
                return "a summary that is empty or not first"
            continue
        if isinstance(message, ToolMessage):
            if message.call_id not in waiting:
                return f"orphan tool message {message.call_id}"
            waiting.remove(message.call_id)
            continue
        if waiting:
            return f"unanswered tool calls {sorted(waiting)}"
        if isinstance(message, AssistantMessage):
            if not message.text and not message.tool_calls and not message.interrupted:
                return "empty assistant message"
            identifiers = [call.id for call in message.tool_calls]
            if len(set(identifiers)) != len(identifiers) or seen.intersection(identifiers):
                return f"tool call ids used twice: {identifiers}"
            waiting.update(identifiers)
            seen.update(identifiers)
        elif not message.text:
            return "empty user message"
    if waiting:
        return f"unanswered tool calls {sorted(waiting)}"
    if not messages or isinstance(messages[-1], AssistantMessage):
        return "nothing to answer"
    return "" if any(isinstance(message, UserMessage) for message in messages) else "no user message"
