"""Keeping a conversation within the model's window: tool results are shortened before history is summed up.

Nothing changes before a summary is there, so that an interrupt or a failure leaves the history as it was.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace

from geekagent_tui.agent import events as ev
from geekagent_tui.agent.compaction_plan import (
    Cut,
    bounded,
    compacted,
    dropped,
    find_cut,
    long_results,
    shorten,
    summaries,
)
from geekagent_tui.agent.journal import Journal, now
from geekagent_tui.agent.messages import Message
from geekagent_tui.agent.models.base import ChatModel, ModelError
from geekagent_tui.agent.records import Compacted
from geekagent_tui.agent.summary import summarise
from geekagent_tui.agent.tokens import total_tokens
from geekagent_tui.i18n import _, ngettext

FULL = 0.8
"""Of the window: above it, a conversation is compacted before the next request."""
_AIM = 0.6
"""Of the window: shortening tool results is enough when it leads below this."""
_KEPT = 0.3
"""Of the window: what stays word for word at most, when history is summed up."""
_SUMMARIES = 0.2
"""Of the window: all summaries together; beyond it the oldest ones go."""

_log = logging.getLogger(__name__)


class Compaction:
    """Compacts the open session.

    Args:
        model: Who sums up.
        journal: The session.
        fixed: Estimated tokens of a request before its first message.
    """

    def __init__(self, model: ChatModel, journal: Journal, fixed: Callable[[], int]) -> None:
        self._model = model
        self._journal = journal
        self._fixed = fixed

    @property
    def tokens(self) -> int:
        """About how many tokens the next request has, without what is recalled for it."""
        return self._journal.conversation.tokens(self._fixed())

    def full(self, extra: int = 0) -> bool:
        """Whether the next request comes close to the model's window.

        Args:
            extra: Tokens that go with it besides the conversation.
        """
        return self.tokens + extra > FULL * self._model.context_window

    async def make_room(self, *, refused: bool = False) -> bool:
        """Compact by itself; a failure is told and changes nothing.

        Args:
            refused: The server said that the request is too long, so its window, or our estimate, is smaller
                than thought.

        Returns:
            Whether the conversation got shorter.
        """
        before = self.tokens
        window = min(self._model.context_window, before) if refused else self._model.context_window
        messages = self._messages
        calls = long_results(messages, before - int(_AIM * window))
        saved = total_tokens(messages) - total_tokens(shorten(messages, calls))
        if calls and before - saved <= _AIM * window:
            self._record(Cut(0, None), (), calls, _shortened(len(calls)))
            return True
        cut = find_cut(messages, int(_KEPT * window))
        if cut is None:
            if calls:
                self._record(Cut(0, None), (), calls, _shortened(len(calls)))
            return bool(calls)
        return await self._sum_up(cut, calls)

    async def compact(self) -> None:
        """`/compact`: sum up whatever is not among the last messages, and say what came of it."""
        cut = find_cut(self._messages, int(_KEPT * self._model.context_window))
        if cut is None:
            self._journal.notice(_bracketed(_("历史压缩：没有可压缩的旧消息")))
            return
        await self._sum_up(cut, ())

    async def _sum_up(self, cut: Cut, calls: tuple[str, ...]) -> bool:
        """Put a summary in the place of what stands before the cut."""
        messages = self._messages
        gone = dropped(messages, cut)
        earlier = summaries(messages)
        try:
            summary = await summarise(self._model, earlier, gone)
        except ModelError as error:
            failed = _bracketed(_("历史压缩失败：保留原历史"))
            self._journal.notice(f"{failed}\n{error.message}", ev.Level.WARNING)
            return False
        if not summary:
            text = _bracketed(_("历史压缩：模型未产出摘要，保留原历史"))
            self._journal.notice(text, ev.Level.WARNING)
            return False
        parts = bounded((*earlier, summary), int(_SUMMARIES * self._model.context_window))
        text = ngettext(
            "历史压缩：{n} 条旧消息合并为 1 条摘要", "历史压缩：{n} 条旧消息合并为 1 条摘要", len(gone)
        )
        self._record(cut, parts, calls, text.format(n=len(gone)))
        return True

    @property
    def _messages(self) -> Sequence[Message]:
        return self._journal.conversation.messages

    def _record(self, cut: Cut, parts: tuple[str, ...], calls: tuple[str, ...], text: str) -> None:
        conversation = self._journal.conversation
        before, fixed = self.tokens, self._fixed()
        record = Compacted(
            conversation.next_entry(),
            _bracketed(text),
            now(),
            parts,
            cut.start,
            cut.question,
            calls,
            before_tokens=before,
            after_tokens=0,
        )
        after = fixed + total_tokens(compacted(conversation.messages, record))
        _log.info("compacted %d tokens to %d", before, after)
        self._journal.record(replace(record, after_tokens=after))


def _bracketed(text: str) -> str:
    return f"[{text}]"


def _shortened(n: int) -> str:
    return ngettext(
        "历史压缩：截短了 {n} 条较早的工具结果", "历史压缩：截短了 {n} 条较早的工具结果", n
    ).format(n=n)
