"""The built-in model: no server, no key. It searches the knowledge base and quotes what it finds."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Sequence

from geekagent_tui.agent.messages import Message, ToolCall, ToolMessage, UserMessage
from geekagent_tui.agent.models.base import ModelEvent, Reply, TextDelta, ToolSpec
from geekagent_tui.config.connection import DEFAULT_CONTEXT_WINDOW

_SEARCH = "rag_search"
_FRAGMENT = 6
"""Characters that arrive at a time, as they would from a server."""
_PAUSE = 0.01
"""Seconds between fragments: an answer is read while it comes."""


class OfflineModel:
    """Answers from excerpts; the same question on the same material gets the same answer."""

    name = "offline"
    offline = True
    context_window = DEFAULT_CONTEXT_WINDOW

    async def stream(
        self, system: str, messages: Sequence[Message], tools: Sequence[ToolSpec]
    ) -> AsyncIterator[ModelEvent]:
        """Search first, then answer from what was found; `ChatModel.stream` says how."""
        question, found = _turn(messages)
        can_search = any(tool.name == _SEARCH for tool in tools)
        text = await asyncio.to_thread(_compose, question, found, can_search)
        if text is None:
            arguments = json.dumps({"query": question}, ensure_ascii=False)
            call = ToolCall(f"call_{uuid.uuid4().hex}", _SEARCH, arguments)
            yield Reply("", (call,), finish="tool_calls")
            return
        for start in range(0, len(text), _FRAGMENT):
            yield TextDelta(text[start : start + _FRAGMENT])
            await asyncio.sleep(_PAUSE)
        yield Reply(text, finish="stop")

    async def close(self) -> None:
        """Nothing is held."""


def _turn(messages: Sequence[Message]) -> tuple[str, ToolMessage | None]:
    """The last question and the search's answer to it, if it has been searched for."""
    found: ToolMessage | None = None
    for message in reversed(messages):
        if isinstance(message, UserMessage):
            return message.text, found
        if found is None and isinstance(message, ToolMessage) and message.name == _SEARCH:
            found = message
    return "", found


def _compose(question: str, found: ToolMessage | None, can_search: bool) -> str | None:
    """What to say; None when the question has to be searched for first. Blocks."""
    from geekagent_tui.agent.models import offline_answer  # loads dictionaries
    from geekagent_tui.rag.analysis import analyse_query

    if found is not None:
        return offline_answer.answer(question, found)
    if not analyse_query(question):
        return offline_answer.greeting()
    return None if can_search else offline_answer.search_denied()
