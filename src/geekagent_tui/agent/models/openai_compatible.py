"""Any server that speaks OpenAI's chat completions."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import aclosing, suppress
from itertools import count
from typing import Any

from geekagent_tui.agent.history import repair
from geekagent_tui.agent.messages import Message
from geekagent_tui.agent.models.assembly import Assembler, ServerSaidError
from geekagent_tui.agent.models.base import (
    Advice,
    ModelError,
    ModelEvent,
    Reply,
    TooLongError,
    ToolSpec,
    TransientError,
    Waiting,
)
from geekagent_tui.agent.models.client import Client
from geekagent_tui.agent.models.ollama import explain, looks_cut
from geekagent_tui.agent.models.retry import next_wait
from geekagent_tui.agent.models.sse import EventDecoder, EventTooLongError
from geekagent_tui.agent.models.trouble import Trouble, too_long, window_in
from geekagent_tui.agent.models.wire import wire_messages, wire_tools
from geekagent_tui.agent.tokens import estimate_tokens
from geekagent_tui.config import Connection

_DONE = "[DONE]"
_BUSY = re.compile(
    r"overloaded|rate.?limit|try again|temporarily|\b(429|500|502|503|504|529)\b", re.IGNORECASE
)
"""In an error inside an answer of status 200: the same as one of those statuses."""
_LOOKS = 3
"""Times a server that counts oddly is asked whether it is Ollama and cut the request."""
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
        self._window = connection.context_window
        self._returns_reasoning = False
        self._looks = _LOOKS

    @property
    def name(self) -> str:
        """The model's name on its server."""
        return self._connection.model

    @property
    def context_window(self) -> int:
        """Tokens, as configured, or as the server turned out to have: it does not tell before."""
        return self._window

    async def stream(
        self, system: str, messages: Sequence[Message], tools: Sequence[ToolSpec]
    ) -> AsyncIterator[ModelEvent]:
        """Ask once; `ChatModel.stream` says how. The history is repaired first.

        Nothing is sent again once a fragment of the answer has come.
        """
        request = self._request(system, messages, tools)
        for attempt in count():
            assembler = Assembler({tool.name for tool in tools})
            try:
                async with aclosing(self._try(request, assembler)) as events:
                    async for event in events:
                        yield event
                return
            except TransientError as error:
                seconds = next_wait(error, attempt) if assembler.empty else None
                if seconds is None:
                    raise
            except TooLongError as error:
                self._window = min(self._window, error.window or self._window)
                raise
            yield Waiting(seconds)
            await asyncio.sleep(seconds)
            yield Waiting(0)

    async def _try(self, request: dict[str, Any], assembler: Assembler) -> AsyncGenerator[ModelEvent, None]:
        """Send the request once."""
        async with self._client.answer(request) as pieces:
            async with aclosing(self._events(pieces, assembler)) as events:
                async for event in events:
                    yield event
            self._returns_reasoning |= assembler.returned
            for event in assembler.finish():
                if isinstance(event, Reply) and (advice := await self._advice(request, event)):
                    yield advice
                yield event
            with suppress(TimeoutError, ModelError):
                async with asyncio.timeout(_DRAIN_SECONDS):
                    async for _piece in pieces:
                        pass

    async def _advice(self, request: dict[str, Any], reply: Reply) -> Advice | None:
        """Whether the server read less than it was sent; told once."""
        if reply.usage is None or not self._looks:
            return None
        estimate = estimate_tokens(json.dumps(request["messages"], ensure_ascii=False))
        if not looks_cut(estimate, reply.usage):
            return None
        self._looks -= 1
        cut = await explain(self._connection, estimate, reply.usage)
        if cut is None:
            return None
        self._looks = 0
        self._window = min(self._window, cut.window)
        return Advice(cut.advice)

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
            raise self._said(str(error)) from error
        except EventTooLongError as error:
            raise ModelError(self._trouble.too_long()) from error
        except ModelError:
            if not assembler.complete:
                raise
        if reading.unread is not None:
            raise ModelError(self._trouble.no_answer(reading.unread))
        if not assembler.complete:
            raise TransientError(self._trouble.cut_off())

    def _said(self, text: str) -> ModelError:
        """What an error inside an answer means."""
        if too_long(400, text):
            return TooLongError(self._trouble.overflow(text), window_in(text))
        words = self._trouble.said(text)
        return TransientError(words) if _BUSY.search(text) else ModelError(words)

    def _request(self, system: str, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> dict[str, Any]:
        request: dict[str, Any] = {
            "model": self._connection.model,
            "messages": wire_messages(
                system, repair(messages), reasoning=self._returns_reasoning and self._connection.reasoning
            ),
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if tools:
            request["tools"] = wire_tools(tools)
        return request


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
