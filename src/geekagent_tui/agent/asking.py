"""One request to the model: what arrives is told as it comes; a full conversation is made shorter."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from geekagent_tui.agent import events as ev
from geekagent_tui.agent.compaction import Compaction
from geekagent_tui.agent.journal import Journal
from geekagent_tui.agent.messages import Message
from geekagent_tui.agent.models.base import (
    Advice,
    ChatModel,
    ModelError,
    ReasoningDelta,
    Reply,
    TextDelta,
    TooLongError,
    ToolSpec,
    Waiting,
)
from geekagent_tui.agent.streams import Breath, closing
from geekagent_tui.i18n import _, ngettext


class Asking:
    """Asks the model.

    Args:
        model: Who answers.
        journal: The session.
        compaction: Makes room in it.
        system: What the model is told about itself.
        publish: Tells the front ends.
        on_activity: Called when `activity` changed.

    Attributes:
        activity: What the request waits for, for the status line; "" when for nothing.
    """

    def __init__(
        self,
        model: ChatModel,
        journal: Journal,
        compaction: Compaction,
        system: Callable[[], str],
        publish: Callable[[ev.Event], None],
        on_activity: Callable[[], None],
    ) -> None:
        self.activity = ""
        self._model = model
        self._journal = journal
        self._compaction = compaction
        self._system = system
        self._publish = publish
        self._on_activity = on_activity

    async def ask(
        self, messages: Callable[[], Sequence[Message]], tools: Sequence[ToolSpec], extra: int
    ) -> Reply:
        """Ask once; a conversation that is too long for the model is compacted before, or once afterwards.

        Args:
            messages: Gives the messages of the request, anew after each compaction.
            tools: What the model may use.
            extra: Tokens of what goes with the conversation.

        Raises:
            ModelError: The request failed.
        """
        try:
            if self._compaction.full(extra):
                self._tell(_("正在压缩对话…"))
                await self._compaction.make_room()
            try:
                return await self._stream(messages(), tools)
            except TooLongError:
                if self._journal.conversation.live:
                    raise
                self._tell(_("正在压缩对话…"))
                if not await self._compaction.make_room(refused=True):
                    raise
                return await self._stream(messages(), tools)
        finally:
            self._tell("")

    async def _stream(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        reply: Reply | None = None
        breath = Breath()
        async with closing(self._model.stream(self._system(), messages, tools)) as stream:
            async for event in stream:
                self._tell(_waiting(event.seconds) if isinstance(event, Waiting) else "")
                match event:
                    case TextDelta():
                        self._journal.fragment(event.text)
                    case ReasoningDelta():
                        self._publish(ev.ReasoningProgress(event.text))
                    case Advice():
                        self._journal.notice(event.text, ev.Level.WARNING)
                    case Reply():
                        reply = event
                await breath.take()
        if reply is None:
            raise ModelError(_("模型的回答没有结束就断开了"))
        return reply

    def _tell(self, activity: str) -> None:
        if activity != self.activity:
            self.activity = activity
            self._on_activity()


def _waiting(seconds: float) -> str:
    if not seconds:
        return ""
    n = max(1, math.ceil(seconds))
    return ngettext("等待 {n} 秒后重试", "等待 {n} 秒后重试", n).format(n=n)
