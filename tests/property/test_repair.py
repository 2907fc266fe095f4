"""Whatever history it is given, what `repair` makes of it is valid, and nothing valid is changed."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from geekagent_tui.agent.history import repair
from geekagent_tui.agent.messages import (
    AssistantMessage,
    Message,
    SummaryMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)

IDS = st.sampled_from(["", "a", "b", "c", "call_again_1"])
TEXTS = st.sampled_from(["", " ", "甲", "乙"])
CALLS = st.builds(ToolCall, IDS, st.sampled_from(["rag_search", "rag_add"]), st.just("{}"))
MESSAGES: st.SearchStrategy[list[Message]] = st.lists(
    st.one_of(
        st.builds(UserMessage, TEXTS, TEXTS),
        st.builds(SummaryMessage, st.lists(TEXTS, max_size=2).map(tuple)),
        st.builds(AssistantMessage, TEXTS, st.lists(CALLS, max_size=3).map(tuple), st.booleans()),
        st.builds(ToolMessage, IDS, st.just("rag_search"), TEXTS),
    ),
    max_size=12,
)


def problem(messages: Sequence[Message]) -> str:
    """Why a strict server would refuse the messages, or ""."""
    waiting: list[str] = []
    used: set[str] = set()
    for message in messages:
        if isinstance(message, ToolMessage):
            if not waiting or message.call_id != waiting.pop(0):
                return f"no call waits for {message}"
            continue
        if waiting:
            return f"no answer for {waiting}"
        if isinstance(message, SummaryMessage):
            if not any(message.parts):
                return "an empty summary"
            continue
        if isinstance(message, UserMessage):
            if not (message.text.strip() or message.recalled.strip()):
                return "a message of the user without words"
            continue
        waiting = [call.id for call in message.tool_calls]
        if not message.text.strip() and not waiting and not message.interrupted:
            return "a message of the model without words and calls"
        if "" in waiting or len(set(waiting)) < len(waiting) or used.intersection(waiting):
            return f"ids used twice: {waiting}"
        used.update(waiting)
    return f"no answer for {waiting}" if waiting else ""


@given(MESSAGES)
def test_every_history_becomes_valid(messages: list[Message]) -> None:
    assert problem(repair(messages)) == ""


@given(MESSAGES)
def test_a_valid_history_is_left_alone(messages: list[Message]) -> None:
    valid = repair(messages)
    assert repair(valid) == valid
    if problem(messages) == "":
        assert valid == messages


@given(MESSAGES)
def test_no_word_is_lost(messages: list[Message]) -> None:
    def words(given: Sequence[Message]) -> list[str]:
        return [m.text for m in given if isinstance(m, UserMessage | AssistantMessage) and m.text.strip()]

    assert words(repair(messages)) == words(messages)
    calls = [c for m in messages if isinstance(m, AssistantMessage) for c in m.tool_calls]
    assert len([m for m in repair(messages) if isinstance(m, ToolMessage)]) == len(calls)


def test_a_call_without_its_answer_is_cancelled_and_a_late_answer_comes_home() -> None:
    first, second = ToolCall("a", "rag_search", "{}"), ToolCall("b", "rag_add", "{}")
    late = ToolMessage("b", "rag_add", "已加入")
    messages: list[Message] = [
        UserMessage("问"),
        AssistantMessage("", (first, second)),
        UserMessage("再问"),
        late,
    ]
    assert repair(messages) == [
        UserMessage("问"),
        AssistantMessage("", (first, second)),
        ToolMessage("a", "rag_search", "已取消", failed=True),
        late,
        UserMessage("再问"),
    ]


def test_an_id_used_again_gets_a_new_one_with_its_answer() -> None:
    call = ToolCall("call_0", "rag_search", "{}")
    one, two = ToolMessage("call_0", "rag_search", "一"), ToolMessage("call_0", "rag_search", "二")
    repaired = repair([AssistantMessage("", (call,)), one, AssistantMessage("", (call,)), two])
    assert [m.call_id for m in repaired if isinstance(m, ToolMessage)] == ["call_0", "call_again_1"]
    assert [m.content for m in repaired if isinstance(m, ToolMessage)] == ["一", "二"]
