"""What the strictest servers ask of the messages of a request, and a model that goes wrong in every way."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from geekagent_tui.agent.history import repair
from geekagent_tui.agent.messages import Message, ToolCall
from geekagent_tui.agent.models.base import (
    Advice,
    ModelError,
    ModelEvent,
    ReasoningDelta,
    Reply,
    TextDelta,
    TooLongError,
    ToolSpec,
    Usage,
    Waiting,
)
from geekagent_tui.agent.models.wire import wire_messages
from geekagent_tui.agent.tokens import estimate_tokens


def wire_problem(messages: Sequence[Mapping[str, Any]]) -> str:
    """Why a strict server would answer these messages with 400, or "".

    One system message, first; then a user's; no two users' in a row; every tool call is answered once, right
    behind and in order; ids are never used twice; nothing is empty; arguments are JSON objects; reasoning
    only behind the last message of the user.
    """
    waiting: list[str] = []
    seen: set[str] = set()
    users = [place for place, message in enumerate(messages) if message["role"] == "user"]
    for place, message in enumerate(messages):
        role, content = message["role"], message.get("content")
        if role == "tool":
            if not waiting or message["tool_call_id"] != waiting.pop(0):
                return f"{place}: an answer that nothing asked for"
        elif waiting:
            return f"{place}: no answer to {waiting}"
        if (role == "system") != (place == 0):
            return f"{place}: system message"
        if role == "user" and messages[place - 1]["role"] == "user":
            return f"{place}: two of the user's in a row"
        if role == "assistant":
            calls = message.get("tool_calls", [])
            waiting = [call["id"] for call in calls]
            if seen.intersection(waiting) or len(set(waiting)) < len(waiting) or "" in waiting:
                return f"{place}: ids used twice: {waiting}"
            seen.update(waiting)
            if any(not isinstance(json.loads(call["function"]["arguments"]), dict) for call in calls):
                return f"{place}: arguments"
            if "reasoning_content" in message and place < users[-1]:
                return f"{place}: reasoning of an earlier turn"
            if calls and content is None:
                continue
        if not isinstance(content, str) or not content.strip():
            return f"{place}: nothing said"
    if waiting:
        return f"no answer to {waiting}"
    return "" if len(messages) > 1 and messages[-1]["role"] != "assistant" else "nothing to answer"


@dataclass
class WildModel:
    """Answers, calls tools, thinks, fails, is full, hangs; remembers every problem of what it was asked.

    Attributes:
        chance: Decides what comes next.
        problems: What a strict server would have said.
        longest: The longest request so far, in estimated tokens.
    """

    chance: random.Random
    name: str = "wild"
    offline: bool = False
    context_window: int = 6_000
    asked: int = 0
    longest: int = 0
    problems: list[str] = field(default_factory=list)

    async def stream(
        self, system: str, messages: Sequence[Message], tools: Sequence[ToolSpec]
    ) -> AsyncIterator[ModelEvent]:
        """Do something."""
        self.asked += 1
        wire = wire_messages(system, repair(messages), reasoning=True)
        if problem := wire_problem(wire):
            self.problems.append(problem)
        size = estimate_tokens(json.dumps(wire, ensure_ascii=False))
        self.longest = max(self.longest, size)
        draw = self.chance.random
        if draw() < 0.04:
            raise TooLongError("满了", self.context_window)
        if draw() < 0.04:
            yield Waiting(0)
            await asyncio.sleep(0)
        if draw() < 0.05:
            yield Advice("服务器有话说")
        thought = "想" * self.chance.randrange(5) if draw() < 0.3 else ""
        if thought:
            yield ReasoningDelta(thought)
        text = self.chance.choice(["", "好的。", "说来话长。" * self.chance.randrange(1, 80), " \n"])
        for start in range(0, len(text), 40):
            yield TextDelta(text[start : start + 40])
            if draw() < 0.02:
                raise ModelError("断了")
            if draw() < 0.02:
                await asyncio.sleep(60)  # until somebody interrupts
        calls = tuple(self._call() for _call in range(self.chance.choice([0, 0, 0, 1, 2, 4])))
        usage = Usage(size, 1 + estimate_tokens(text)) if draw() < 0.5 else None
        yield Reply(text, calls if tools else (), usage, "stop", thought)

    async def close(self) -> None:
        """Nothing is held."""

    def _call(self) -> ToolCall:
        name = self.chance.choice(["get_current_time", "memory_search", "memory_write", "nothing", ""])
        arguments = self.chance.choice(["", "{", "[]", '{"query": "什么"}', '{"content": "记住"}'])
        identifier = self.chance.choice(["", "call_0", "call_1", f"id{self.chance.randrange(10**6)}"])
        return ToolCall(identifier, name, arguments)
