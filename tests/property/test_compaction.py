"""However a history is cut, it stays valid, keeps its running question, and loses nothing unsummed."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import count

from hypothesis import given
from hypothesis import strategies as st

from geekagent_tui.agent.compaction_plan import (
    compacted,
    dropped,
    find_cut,
    long_results,
    shorten,
    summaries,
    upto_question,
)
from geekagent_tui.agent.history import repair
from geekagent_tui.agent.messages import (
    AssistantMessage,
    Message,
    SummaryMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from geekagent_tui.agent.models.wire import wire_messages
from geekagent_tui.agent.records import Compacted
from geekagent_tui.agent.tokens import total_tokens
from support.strict import wire_problem

NOW = datetime(2026, 1, 1, tzinfo=UTC)
LENGTHS = st.integers(1, 3000)


@st.composite
def histories(draw: st.DrawFn) -> list[Message]:
    """What a session may have come to when the model is asked: the last word is the user's or a tool's."""
    numbers = count()
    messages: list[Message] = [SummaryMessage(("旧",))] if draw(st.booleans()) else []
    for _turn in range(draw(st.integers(1, 6))):
        messages.append(UserMessage("问" * draw(LENGTHS)))
        for _round in range(draw(st.integers(0, 3))):
            calls = tuple(
                ToolCall(f"c{next(numbers)}", "rag_search", "{}") for _call in range(draw(st.integers(1, 3)))
            )
            messages.append(AssistantMessage("", calls))
            messages += [ToolMessage(call.id, call.name, "果" * draw(LENGTHS)) for call in calls]
        if draw(st.booleans()):
            messages.append(AssistantMessage("答" * draw(LENGTHS)))
    if isinstance(messages[-1], AssistantMessage):
        messages.append(UserMessage("再问"))
    return messages


def is_valid(messages: list[Message]) -> bool:
    return repair(messages) == messages and wire_problem(wire_messages("系统", messages)) == ""


@given(histories(), st.integers(0, 6000))
def test_a_cut_history_is_valid_and_complete(messages: list[Message], room: int) -> None:
    assert is_valid(messages)
    cut = find_cut(messages, room)
    if cut is None:
        return
    parts = (*summaries(messages), "新")
    record = Compacted(1, "", NOW, parts, cut.start, cut.question, (), 0, 0)
    after = compacted(messages, record)
    assert is_valid(after)
    assert after[0] == SummaryMessage(parts)
    assert upto_question(after)[-1] == upto_question(messages)[-1]
    gone = dropped(messages, cut)
    assert gone
    assert len(gone) + len(after) - 1 == len(messages) - len(summaries(messages))
    assert total_tokens(after[1:]) < total_tokens(messages)


@given(histories(), st.integers(0, 20_000))
def test_shortened_results_stay_in_their_place(messages: list[Message], excess: int) -> None:
    calls = long_results(messages, excess)
    after = shorten(messages, calls)
    assert is_valid(after)
    assert total_tokens(after) <= total_tokens(messages)
    changed = [old for old, new in zip(messages, after, strict=True) if old != new]
    assert [message.call_id for message in changed if isinstance(message, ToolMessage)] == list(calls)
    last = max(place for place, message in enumerate(messages) if not isinstance(message, ToolMessage))
    assert after[last:] == messages[last:]
