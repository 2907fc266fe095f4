"""One turn: the model and its tools, by turns, until it has answered."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any

from geekagent_tui.agent import events as ev
from geekagent_tui.agent.asking import Asking
from geekagent_tui.agent.blocking import stop
from geekagent_tui.agent.compaction import Compaction
from geekagent_tui.agent.compaction_plan import upto_question
from geekagent_tui.agent.guidance import Guidance
from geekagent_tui.agent.journal import Journal, now
from geekagent_tui.agent.messages import Message, ToolCall, UserMessage
from geekagent_tui.agent.models.base import ChatModel, ModelError, Reply
from geekagent_tui.agent.recall import Recall
from geekagent_tui.agent.records import AssistantSaid, Recalled, Retried
from geekagent_tui.agent.tokens import estimate_tokens
from geekagent_tui.agent.tools.registry import Tools
from geekagent_tui.i18n import _
from geekagent_tui.rag.lane import until_done
from geekagent_tui.sanitize import hide_credentials

ROUNDS = 30
"""Requests in one turn at most (the reference's limit since its day 9)."""

SHORT = 4000
"""Characters of an answer whose citations are found on the event loop; in a longer one a thread does it."""

_BELIEVED = 0.5
"""Of what we expect: some servers count nothing, or not what they had cached, or cut the request."""

_ADDRESSED = frozenset({"fetch", "rag_add"})
"""Tools that refuse addresses with a password, which then need not be kept anywhere."""

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
        guidance: What the model is told before the conversation.
        publish: Tells the front ends.
        fixed: Estimated tokens of a request before its first message.
        on_activity: Called when `activity` changed.
    """

    def __init__(
        self,
        model: ChatModel,
        tools: Tools,
        journal: Journal,
        recall: Callable[[str], Awaitable[Recall]],
        guidance: Guidance,
        publish: Callable[[ev.Event], None],
        fixed: Callable[[], int],
        on_activity: Callable[[], None],
    ) -> None:
        self._model = model
        self._tools = tools
        self._journal = journal
        self._recall = recall
        self._publish = publish
        self._compaction = Compaction(model, journal, fixed)
        self._asking = Asking(
            model,
            journal,
            self._compaction,
            guidance.system,
            publish,
            on_activity,
        )
        self._work: asyncio.Task[None] | None = None

    @property
    def activity(self) -> str:
        """What the running turn waits for, for the status line; "" when for nothing."""
        return self._asking.activity

    def interrupt(self) -> bool:
        """Stop the running turn; False when none runs."""
        work = self._work
        if work is None or work.done():
            return False
        stop(work)
        return True

    async def run(self, text: str) -> ev.TurnEnd:
        """Answer a message of the user; always ends with `TurnFinished` and a valid history."""
        self._journal.user(text)
        return await self._turn(self._rounds(text), self._journal.stopped)

    async def again(self) -> bool:
        """Answer the last question anew; False when there is none.

        What was answered before stays in the chat and in the file; the model does not see it again.
        """
        asked = upto_question(self._journal.conversation.messages)
        if not asked or not isinstance(question := asked[-1], UserMessage):
            return False
        self._journal.record(Retried())
        await self._turn(self._rounds(question.text), self._journal.stopped)
        return True

    async def compact(self) -> None:
        """Sum up the older part of the conversation, as a turn that can be stopped."""
        await self._turn(self._compaction.compact(), self._journal.settle)

    async def _turn(self, rounds: Coroutine[Any, Any, None], on_interrupt: Callable[[], None]) -> ev.TurnEnd:
        self._publish(ev.TurnStarted())
        end = ev.TurnEnd.INTERRUPTED
        self._work = asyncio.create_task(rounds, name="turn")
        try:
            await asyncio.wait([self._work])
            end = self._ended(self._work)
        finally:
            # Only when this very task is being cancelled is the work still running here.
            await self._stop(self._work)
            (on_interrupt if end is ev.TurnEnd.INTERRUPTED else self._journal.settle)()
            self._publish(ev.TurnFinished(end))
        return end

    async def _stop(self, work: asyncio.Task[None]) -> None:
        if not work.done():
            stop(work)
            await until_done(work)

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
        await journal.written()  # the question is safe before anything is done with it
        recalled = await self._recall(text)
        if recalled.hits:
            journal.record(Recalled(recalled.hits))
        if recalled.foreign:
            journal.met_foreign()
        extra = estimate_tokens(recalled.text)

        def messages() -> list[Message]:
            return _with_recall(journal.conversation.messages, recalled.text)

        for _round in range(ROUNDS):
            reply = await self._asking.ask(messages, self._tools.specs(), extra)
            if not reply.text.strip() and not reply.tool_calls:
                raise TurnError(_("（模型没有返回内容，可以换个说法再试）"))
            calls = await self._said(reply, extra)
            if not calls:
                return
            await self._tools.run_all(calls)
        raise TurnError(_("[工具调用轮次过多，已停止]"))

    async def _said(self, reply: Reply, extra: int) -> tuple[ToolCall, ...]:
        """Record the answer; gives its calls, with ids of their own."""
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
                reasoning=reply.reasoning,
                context=_context(reply, self._compaction.tokens, extra),
                spent=reply.usage.total if reply.usage else 0,
            )
        )
        return calls


def _with_recall(messages: Sequence[Message], recalled: str) -> list[Message]:
    """The messages of a request; what was recalled goes with this turn's question, the last one, only."""
    request = list(messages)
    asked = len(upto_question(messages)) - 1
    question = request[asked]
    if recalled and isinstance(question, UserMessage):
        request[asked] = replace(question, recalled=recalled)
    return request


def _context(reply: Reply, expected: int, extra: int) -> int:
    """Tokens of the conversation with this answer, as the server counts them; 0 when it did not, or not all.

    What was recalled for the question, and what the model thought, are not part of the next request.

    Args:
        reply: The answer.
        expected: Tokens of the conversation before, as far as we know.
        extra: Tokens of what was recalled.
    """
    if reply.usage is None or reply.usage.prompt < _BELIEVED * (expected + extra):
        return 0
    said = reply.usage.completion
    if reply.reasoning:
        said = min(said, estimate_tokens(reply.text + "".join(call.arguments for call in reply.tool_calls)))
    return max(1, reply.usage.prompt - extra + said)


def _unique(calls: Sequence[ToolCall], used: set[str]) -> tuple[ToolCall, ...]:
    """The calls, with new ids for those whose id is missing or was used before in the session.

    Passwords in web addresses are hidden where no tool could use them.
    """
    unique: list[ToolCall] = []
    for call in calls:
        number = len(used)
        identifier = call.id
        while not identifier or identifier in used:
            number += 1
            identifier = f"call_{number}"
        used.add(identifier)
        arguments = hide_credentials(call.arguments) if call.name in _ADDRESSED else call.arguments
        unique.append(replace(call, id=identifier, arguments=arguments))
    return tuple(unique)
