"""Making a conversation fit for a server, however it went: stopped, cut off, cleared, or read from a file."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import count, takewhile

from geekagent_tui.agent.messages import (
    AssistantMessage,
    Message,
    SummaryMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from geekagent_tui.i18n import _


def repair(messages: Sequence[Message]) -> list[Message]:
    """The messages as strict servers take them; a history that is valid already comes back as it is.

    - Every tool call is answered exactly once, right behind the message that made it and in the order of
      the calls. One without an answer gets "cancelled" as its answer.
    - An answer without its call is left out; so is a message without words and calls, unless it stands for
      an answer that was stopped before its first word.
    - No call id is used twice: the later call gets a new one, and so does its answer.
    """
    identifiers = _Identifiers(messages)
    repaired: list[Message] = []
    for position, message in enumerate(messages):
        match message:
            case AssistantMessage():
                following = map(messages.__getitem__, range(position + 1, len(messages)))
                repaired += _with_answers(message, following, identifiers)
            case UserMessage() if message.text.strip() or message.recalled.strip():
                repaired.append(message)
            case SummaryMessage() if any(message.parts):
                repaired.append(message)
    return repaired


class _Identifiers:
    """Hands out each id once.

    Args:
        messages: A new id is none of theirs.
    """

    def __init__(self, messages: Sequence[Message]) -> None:
        self._present = {
            call.id
            for message in messages
            if isinstance(message, AssistantMessage)
            for call in message.tool_calls
        }
        self._used: set[str] = set()
        self._numbers = count(1)

    def take(self, wanted: str) -> str:
        """The wanted id if it is free, else a new one."""
        if not wanted or wanted in self._used:
            wanted = next(new for n in self._numbers if (new := f"call_again_{n}") not in self._present)
        self._used.add(wanted)
        return wanted


def _with_answers(
    message: AssistantMessage, following: Iterable[Message], identifiers: _Identifiers
) -> Iterator[Message]:
    """The message and the answers to its calls, which stand before the next message of the model."""
    if not message.text.strip() and not message.tool_calls and not message.interrupted:
        return
    answers: defaultdict[str, deque[ToolMessage]] = defaultdict(deque)
    for later in takewhile(lambda item: not isinstance(item, AssistantMessage), following):
        if isinstance(later, ToolMessage):
            answers[later.call_id].append(later)
    calls = [(call, replace(call, id=identifiers.take(call.id))) for call in message.tool_calls]
    yield replace(message, tool_calls=tuple(renamed for _call, renamed in calls))
    for call, renamed in calls:
        found = answers[call.id].popleft() if answers[call.id] else _cancelled(call)
        yield replace(found, call_id=renamed.id)


def _cancelled(call: ToolCall) -> ToolMessage:
    return ToolMessage(call.id, call.name, _("已取消"), failed=True)
