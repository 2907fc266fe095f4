"""One turn: the model and its tools, by turns, until it has answered."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace

from geekagent_tui.agent import events as ev
from geekagent_tui.agent.focusing import Focusing
from geekagent_tui.agent.journal import Journal, now
from geekagent_tui.agent.messages import Message, ToolCall, UserMessage
from geekagent_tui.agent.models.base import (
    ChatModel,
    ModelError,
    ModelEvent,
    ReasoningDelta,
    Reply,
    TextDelta,
)
from geekagent_tui.agent.prompt import system_prompt
from geekagent_tui.agent.recall import Recall
from geekagent_tui.agent.records import AssistantSaid, Recalled
from geekagent_tui.agent.tools.registry import Tools
from geekagent_tui.i18n import _

ROUNDS = 30
"""Requests in one turn at most (the reference's limit since its day 9)."""

BREATH = 0.005
"""Seconds a stream may keep the event loop to itself."""

SHORT = 4000
"""Characters of an answer whose citations are found on the event loop; in a longer one a thread does it."""

_log = logging.getLogger(__name__)


class TurnError(Exception):
    """A turn ended without an answer; the text says why."""


class Turns:
    """Runs turns, one at a time.

    Args:
        model: Who answers.
        tools: What it can do.
        journal: The session.
        recall: Finds what may help with a question.
        focusing: What the session is limited to.
        publish: Tells the front ends.
    """

    def __init__(
        self,
        model: ChatModel,
        tools: Tools,
        journal: Journal,
        recall: Callable[[str], Awaitable[Recall]],
        focusing: Focusing,
        publish: Callable[[ev.Event], None],
    ) -> None:
        self._model = model
        self._tools = tools
        self._journal = journal
        self._recall = recall
        self._focusing = focusing
        self._publish = publish
        self._work: asyncio.Task[None] | None = None

    def interrupt(self) -> bool:
        """Stop the running turn; False when none runs."""
        work = self._work
        if work is None or work.done():
            return False
        if not work.cancelling():  # a second cancel would break off the first one's clean-up
            work.cancel()
        return True

    async def run(self, text: str) -> ev.TurnEnd:
        """Answer a message of the user; always ends with `TurnFinished` and a valid history."""
        self._journal.user(text)
        self._publish(ev.TurnStarted())
        end = ev.TurnEnd.INTERRUPTED
        self._work = asyncio.create_task(self._rounds(text), name="turn")
        try:
            await asyncio.wait([self._work])
            end = self._ended(self._work)
        finally:
            # Only when this very task is being cancelled is the work still running here.
            await self._stop(self._work)
            self._journal.settle()
            self._publish(ev.TurnFinished(end))
        return end

    async def _stop(self, work: asyncio.Task[None]) -> None:
        if not work.done():
            work.cancel()
            await asyncio.wait([work])

    def _ended(self, work: asyncio.Task[None]) -> ev.TurnEnd:
        if work.cancelled():
            return ev.TurnEnd.INTERRUPTED
        error = work.exception()
        if error is None:
            return ev.TurnEnd.DONE
        self._journal.settle()  # what was said comes before why it stopped
        if isinstance(error, TurnError):
            self._journal.notice(str(error), ev.Level.WARNING)
        else:
            if not isinstance(error, ModelError):
                _log.error("turn failed", exc_info=error)
            reason = str(error) or type(error).__name__
            self._journal.notice(_("请求失败：{reason}").format(reason=reason), ev.Level.ERROR)
        return ev.TurnEnd.FAILED

    async def _rounds(self, text: str) -> None:
        journal = self._journal
        asked = len(journal.conversation.messages) - 1
        await journal.written()  # the question is safe before anything is done with it
        recalled = await self._recall(text)
        if recalled.hits:
            journal.record(Recalled(recalled.hits))
        for _round in range(ROUNDS):
            calls = await self._ask(_with_recall(journal.conversation.messages, asked, recalled.text))
            if not calls:
                return
            for call in calls:
                await self._tools.run(call)
        raise TurnError(_("[工具调用轮次过多，已停止]"))

    async def _ask(self, messages: Sequence[Message]) -> tuple[ToolCall, ...]:
        """One request: tell the answer as it arrives, record it, return the calls."""
        reply: Reply | None = None
        breath = _Breath()
        system = system_prompt(self._focusing.focus)
        async with _closing(self._model.stream(system, messages, self._tools.specs())) as stream:
            async for event in stream:
                match event:
                    case TextDelta():
                        self._journal.fragment(event.text)
                    case ReasoningDelta():
                        self._publish(ev.ReasoningProgress(event.text))
                    case Reply():
                        reply = event
                await breath.take()
        if reply is None:
            raise ModelError(_("模型的回答没有结束就断开了"))
        if not reply.text.strip() and not reply.tool_calls:
            raise TurnError(_("（模型没有返回内容，可以换个说法再试）"))
        return await self._said(reply)

    async def _said(self, reply: Reply) -> tuple[ToolCall, ...]:
        conversation = self._journal.conversation
        text = reply.text if reply.text.strip() else ""
        calls = _unique(reply.tool_calls, conversation.used_call_ids())
        find = conversation.evidence.find
        citations = find(text) if len(text) <= SHORT else await asyncio.to_thread(find, text)
        self._journal.record(
            AssistantSaid(
                conversation.next_entry(),
                text,
                now(),
                calls,
                offline=self._model.offline,
                citations=citations,
            )
        )
        return calls


class _Breath:
    """Lets others run now and then, also when a model streams without ever waiting."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    async def take(self) -> None:
        """Give way if it has been a while."""
        if time.monotonic() - self._last > BREATH:
            await asyncio.sleep(0)
            self._last = time.monotonic()


@contextlib.asynccontextmanager
async def _closing(stream: AsyncIterator[ModelEvent]) -> AsyncIterator[AsyncIterator[ModelEvent]]:
    """Close a stream that is an async generator, so that its request ends with the turn."""
    try:
        yield stream
    finally:
        close = getattr(stream, "aclose", None)
        if close is not None:
            await close()


def _with_recall(messages: Sequence[Message], asked: int, recalled: str) -> list[Message]:
    """The messages of a request; what was recalled goes with this turn's question only."""
    request = list(messages)
    question = request[asked]
    if recalled and isinstance(question, UserMessage):
        request[asked] = replace(question, recalled=recalled)
    return request


def _unique(calls: Sequence[ToolCall], used: set[str]) -> tuple[ToolCall, ...]:
    """The calls, with new ids for those whose id is missing or was used before in the session."""
    unique: list[ToolCall] = []
    for call in calls:
        number = len(used)
        identifier = call.id
        while not identifier or identifier in used:
            number += 1
            identifier = f"call_{number}"
        used.add(identifier)
        unique.append(replace(call, id=identifier))
    return tuple(unique)
