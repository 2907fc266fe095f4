"""Any server that speaks OpenAI's chat completions."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import aclosing, suppress
from typing import Any

from geekagent_tui.agent.history import repair
from geekagent_tui.agent.messages import AssistantMessage, Message, UserMessage
from geekagent_tui.agent.models.assembly import Assembler, ServerSaidError
from geekagent_tui.agent.models.base import ModelError, ModelEvent, Reply, ToolSpec
from geekagent_tui.agent.models.client import Client
from geekagent_tui.agent.models.sse import EventDecoder, EventTooLongError
from geekagent_tui.agent.models.trouble import Trouble
from geekagent_tui.agent.models.wire import wire_messages, wire_tools
from geekagent_tui.config import Connection

_DONE = "[DONE]"
_DRAIN_SECONDS = 0.25
"""For what comes behind the end of an answer: read to the last byte, a connection can be used again."""


class OpenAICompatibleModel:
    """A model on a server.

    Args:
        connection: The server. No connection is opened before the first request.
    """

    offline = False

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._trouble = Trouble(connection)
        self._client = Client(connection, self._trouble)
        self._reasoning: dict[str, str] = {}

    @property
    def name(self) -> str:
        """The model's name on its server."""
        return self._connection.model

    @property
    def context_window(self) -> int:
        """Tokens, as configured: servers don't tell."""
        return self._connection.context_window

    async def stream(
        self, system: str, messages: Sequence[Message], tools: Sequence[ToolSpec]
    ) -> AsyncIterator[ModelEvent]:
        """Ask once; `ChatModel.stream` says how. The history is repaired first."""
        assembler = Assembler({tool.name for tool in tools})
        async with self._client.answer(self._request(system, messages, tools)) as pieces:
            async with aclosing(self._events(pieces, assembler)) as events:
                async for event in events:
                    yield event
            for event in assembler.finish():
                if isinstance(event, Reply):
                    self._remember(event, assembler.reasoning)
                yield event
            with suppress(TimeoutError, ModelError):
                async with asyncio.timeout(_DRAIN_SECONDS):
                    async for _piece in pieces:
                        pass

    async def close(self) -> None:
        """Release connections; safe to call twice."""
        await self._client.close()

    async def _events(
        self, pieces: AsyncIterator[bytes], assembler: Assembler
    ) -> AsyncGenerator[ModelEvent, None]:
        """What an answer tells, up to its end."""
        reading = _Reading(assembler)
        try:
            async for piece in pieces:
                for event in reading.feed(piece):
                    yield event
                if reading.done:
                    return
            for event in reading.close():
                yield event
        except ServerSaidError as error:
            raise ModelError(self._trouble.said(str(error))) from error
        except EventTooLongError as error:
            raise ModelError(self._trouble.too_long()) from error
        except ModelError:
            if not assembler.complete:
                raise
        if reading.unread is not None:
            raise ModelError(self._trouble.no_answer(reading.unread))
        if not assembler.complete:
            raise ModelError(self._trouble.cut_off())

    def _request(self, system: str, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> dict[str, Any]:
        self._forget(messages)
        request: dict[str, Any] = {
            "model": self._connection.model,
            "messages": wire_messages(system, repair(messages), self._reasoning),
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if tools:
            request["tools"] = wire_tools(tools)
        return request

    def _remember(self, reply: Reply, reasoning: str) -> None:
        if reasoning and reply.tool_calls:
            self._reasoning[reply.tool_calls[0].id] = reasoning

    def _forget(self, messages: Sequence[Message]) -> None:
        """Drop the reasoning of turns that have ended: it is wanted back within one only."""
        turn: set[str] = set()
        for message in reversed(messages):
            if isinstance(message, UserMessage):
                break
            if isinstance(message, AssistantMessage):
                turn.update(call.id for call in message.tool_calls[:1])
        self._reasoning = {call: text for call, text in self._reasoning.items() if call in turn}


class _Reading:
    """Bytes → the events of an answer.

    Attributes:
        done: The server said that nothing more comes.
    """

    def __init__(self, assembler: Assembler) -> None:
        self.done = False
        self._assembler = assembler
        self._decoder = EventDecoder()
        self._chunks = 0
        self._junk = ""

    @property
    def unread(self) -> bytes | None:
        """What the server sent instead of an answer; None when there was one, whole or not."""
        return None if self._chunks else self._junk.encode() or bytes(self._decoder.stray)

    def feed(self, piece: bytes) -> Iterator[ModelEvent]:
        """Take some bytes."""
        for data in self._decoder.feed(piece):
            yield from self._read(data)

    def close(self) -> Iterator[ModelEvent]:
        """Take the end of the answer; one that is no stream of events may be a whole completion."""
        for data in self._decoder.close():
            yield from self._read(data)
        if not self._chunks and self._decoder.stray:
            yield from self._read(self._decoder.stray.decode("utf-8", "replace"))
            self._assembler.complete |= bool(self._chunks)

    def _read(self, data: str) -> Iterator[ModelEvent]:
        if data.strip() == _DONE:
            self.done = self._assembler.complete = True
            return
        try:
            chunk = json.loads(data)
        except (ValueError, RecursionError):
            self._junk = self._junk or data
            return
        if isinstance(chunk, dict):
            self._chunks += 1
            yield from self._assembler.feed(chunk)
