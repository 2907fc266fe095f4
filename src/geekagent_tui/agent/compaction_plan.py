"""What of a history goes and what stays when it is compacted. Pure functions on messages."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from geekagent_tui.agent.messages import Message, SummaryMessage, ToolMessage, UserMessage
from geekagent_tui.agent.records import Compacted
from geekagent_tui.agent.tokens import estimate_tokens, message_tokens

KEPT = 6
"""Messages that stay as they are, where they fit (the reference's figure)."""

RESULT_KEPT = 400
"""Characters that a shortened tool result keeps, from its beginning."""

_SHORTENED = "\n...(较早的工具结果，已截短，原 {n} 字符)"
"""The model reads it; no part of the interface."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Where a history is cut.

    Attributes:
        start: The first message that stays.
        question: The running turn's question when it stands before `start`; it stays too.
    """

    start: int
    question: int | None


def find_cut(messages: Sequence[Message], room: int) -> Cut | None:
    """Where to cut, so that what stays is the last `KEPT` messages or less, and within `room` tokens.

    A model's message with tool calls and the answers to them are never parted, and the last group stays
    whatever its length.

    Returns:
        None when nothing stands before the cut that could be summarised.
    """
    first = _first(messages)
    places = [place for place in range(first, len(messages)) if _begins_group(messages[place])]
    if not places:
        return None
    wanted = [place for place in places if place <= len(messages) - KEPT] or places[:1]
    behind = _tokens_from(messages)
    left = places[places.index(wanted[-1]) :]
    start = next((place for place in left if behind[place] <= room), left[-1])
    question = _question_before(messages, start)
    gone = start - first - (question is not None)
    return Cut(start, question) if gone > 0 else None


def long_results(messages: Sequence[Message], excess: int) -> tuple[str, ...]:
    """The calls whose results to shorten, oldest first, until `excess` tokens are saved.

    Those of the last group stay whole: the model has not read them yet.
    """
    end = max((place for place, message in enumerate(messages) if _begins_group(message)), default=0)
    found: list[str] = []
    for message in messages[:end]:
        if excess <= 0:
            break
        if isinstance(message, ToolMessage) and (saved := _saved(message)) > 0:
            found.append(message.call_id)
            excess -= saved
    return tuple(found)


def shorten(messages: Iterable[Message], calls: Collection[str]) -> list[Message]:
    """The messages with the results of these calls cut."""
    return [
        _cut_result(message) if isinstance(message, ToolMessage) and message.call_id in calls else message
        for message in messages
    ]


def compacted(messages: Sequence[Message], record: Compacted) -> list[Message]:
    """The history after a compaction; of a file with lines missing, what there is of it."""
    start = min(max(0, record.start), len(messages))
    kept = list(messages[start:])
    if record.question is not None and 0 <= record.question < start:
        kept.insert(0, messages[record.question])
    if record.parts:
        kept.insert(0, SummaryMessage(record.parts))
    return shorten(kept, record.shortened)


def upto_question(messages: Sequence[Message]) -> list[Message]:
    """The history up to the last question, with it."""
    for place in range(len(messages) - 1, -1, -1):
        if isinstance(messages[place], UserMessage):
            return list(messages[: place + 1])
    return list(messages)


def summaries(messages: Sequence[Message]) -> tuple[str, ...]:
    """The summaries that stand at the front."""
    head = messages[0] if messages else None
    return head.parts if isinstance(head, SummaryMessage) else ()


def dropped(messages: Sequence[Message], cut: Cut) -> list[Message]:
    """What a summary has to stand for: neither what stays nor what was summarised before."""
    return [messages[place] for place in range(_first(messages), cut.start) if place != cut.question]


def bounded(parts: Sequence[str], room: int) -> tuple[str, ...]:
    """The summaries, the oldest ones left out when all together are over `room` tokens; never the newest."""
    kept: list[str] = []
    for part in reversed(parts):
        room -= estimate_tokens(part)
        if kept and room < 0:
            break
        kept.append(part)
    return tuple(reversed(kept))


def _first(messages: Sequence[Message]) -> int:
    return 1 if summaries(messages) else 0


def _tokens_from(messages: Sequence[Message]) -> list[int]:
    """For each place, about how many tokens stand there and behind it."""
    sums = list(accumulate(message_tokens(message) for message in reversed(messages)))
    return sums[::-1]


def _begins_group(message: Message) -> bool:
    return not isinstance(message, ToolMessage)


def _question_before(messages: Sequence[Message], start: int) -> int | None:
    if any(isinstance(message, UserMessage) for message in messages[start:]):
        return None
    return next((i for i in range(start - 1, -1, -1) if isinstance(messages[i], UserMessage)), None)


def _cut_result(message: ToolMessage) -> ToolMessage:
    if len(message.content) <= 2 * RESULT_KEPT:
        return message
    mark = _SHORTENED.format(n=len(message.content))
    return replace(message, content=message.content[:RESULT_KEPT] + mark)


def _saved(message: ToolMessage) -> int:
    return message_tokens(message) - message_tokens(_cut_result(message))
