"""Compaction: what goes, what stays, what is said, and that nothing changes when it fails."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from geekagent_tui.agent import events as ev
from geekagent_tui.agent.compaction_plan import (
    Cut,
    bounded,
    compacted,
    dropped,
    find_cut,
    long_results,
    shorten,
)
from geekagent_tui.agent.messages import (
    AssistantMessage,
    Message,
    SummaryMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from geekagent_tui.agent.models.base import ModelError, ModelEvent, Reply, TooLongError, ToolSpec, Usage
from geekagent_tui.agent.models.offline import OfflineModel
from geekagent_tui.agent.records import Compacted
from geekagent_tui.agent.summary import material, outline
from geekagent_tui.agent.tokens import estimate_tokens
from support.agents import Watcher, open_agent, snapshot, watching
from support.scripted_model import ScriptedModel, Step

ROOM = 10_000


def group(name: str, *, calls: int = 3, length: int = 4) -> list[Message]:
    asked = tuple(ToolCall(f"{name}{n}", "rag_search", "{}") for n in range(calls))
    answers = [ToolMessage(call.id, call.name, "果" * length) for call in asked]
    return [AssistantMessage("", asked), *answers]


# --- the plan -----------------------------------------------------------------------------------------


def test_a_tool_group_is_never_cut() -> None:
    """The reference's own example: nine messages, of which the last six begin inside a group."""
    messages: list[Message] = [
        UserMessage("一"),
        *group("a"),
        AssistantMessage("答"),
        UserMessage("二"),
        AssistantMessage("答"),
        UserMessage("三"),
    ]
    assert find_cut(messages, ROOM) == Cut(1, None)
    assert find_cut([UserMessage("零"), AssistantMessage("答"), *messages], ROOM) == Cut(3, None)


def test_what_is_too_long_goes_too_but_for_the_last_group() -> None:
    messages: list[Message] = [UserMessage("一"), *group("a", length=900), *group("b", length=900)]
    assert find_cut(messages, 100) == Cut(5, 0)
    assert dropped(messages, Cut(5, 0)) == messages[1:5]


def test_a_short_history_is_left_alone() -> None:
    messages: list[Message] = [UserMessage("一"), AssistantMessage("二"), UserMessage("三")]
    assert find_cut(messages, ROOM) is None
    assert find_cut([SummaryMessage(("旧",)), *messages], ROOM) is None
    assert find_cut([], ROOM) is None


def test_the_running_question_stays() -> None:
    messages: list[Message] = [
        SummaryMessage(("旧",)),
        UserMessage("一"),
        *group("a"),
        *group("b"),
        *group("c"),
    ]
    cut = find_cut(messages, ROOM)
    assert cut is not None
    assert cut.question == 1
    assert UserMessage("一") not in dropped(messages, cut)
    assert SummaryMessage(("旧",)) not in dropped(messages, cut)


def test_the_oldest_results_are_shortened_first_and_the_last_group_never() -> None:
    messages: list[Message] = [UserMessage("一"), *group("a", length=5000), *group("b", length=5000)]
    assert long_results(messages, 1) == ("a0",)
    assert long_results(messages, 10**6) == ("a0", "a1", "a2")
    assert long_results(messages, 0) == ()
    short = shorten(messages, ("a0",))
    first = short[2]
    assert isinstance(first, ToolMessage)
    assert first.content.startswith("果" * 400 + "\n...(")
    assert "5000" in first.content
    assert shorten(short, ("a0",)) == short
    assert short[3:] == messages[3:]


def test_old_summaries_go_before_new_ones() -> None:
    parts = ("甲" * 100, "乙" * 100, "丙" * 100)
    assert bounded(parts, 10**6) == parts
    assert bounded(parts, 170) == parts[1:]
    assert bounded(parts, 1) == parts[2:]


def test_the_request_for_a_summary_is_bounded_and_tells_what_is_old() -> None:
    messages: list[Message] = [UserMessage("问" * 9000), *group("a", length=9000), AssistantMessage("短")]
    text = material(["旧的要点"], messages, 3000)
    assert estimate_tokens(text) <= 3000
    assert text.startswith("已有的摘要（不要重复）：\n旧的要点")
    assert text.endswith("助手：短")
    assert text.count("（略）") == 4


def test_an_outline_needs_no_model() -> None:
    messages: list[Message] = [UserMessage("阈值\n是多少？"), *group("a"), AssistantMessage("四千" * 99)]
    assert outline(messages) == f"- 用户：阈值 是多少？\n- 助手：{'四千' * 40}…（略）"


# --- in a session -------------------------------------------------------------------------------------


async def talk(watcher: Watcher, *questions: str) -> None:
    for question in questions:
        await watcher.agent.submit(question)
        await watcher.until(ev.TurnFinished)
        await watcher.agent.wait_idle()


async def last_notice(watcher: Watcher) -> ev.ChatEntry:
    return [entry for entry in (await snapshot(watcher.agent)).chat if entry.role == "notice"][-1]


def script(*lines: list[Step], before: int = 6, text: str = "答") -> list[list[Step]]:
    """So many short answers, then these lines."""
    short: list[list[Step]] = [[text] for _line in range(before)]
    return [*short, *lines]


QUESTIONS = [f"第 {n} 问" for n in range(6)]


async def test_nothing_to_compact_is_said(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with watching(await open_agent(tmp_path, model)) as watcher:
        await talk(watcher, "x" * 5000, "/compact")
        assert (await last_notice(watcher)).text == "[历史压缩：没有可压缩的旧消息]"
    assert len(model.requests) == 1


async def test_compact_sums_up_and_survives_a_restart(tmp_path: Path) -> None:
    model = ScriptedModel(script(["要点一"]))
    async with watching(await open_agent(tmp_path, model)) as watcher:
        await talk(watcher, *QUESTIONS, "/compact")
        notice = await last_notice(watcher)
        assert notice.text == "[历史压缩：6 条旧消息合并为 1 条摘要]"
        assert notice.details.endswith("\n\n要点一")
        assert notice.details.startswith("约 ")
        asked = model.requests[-1]
        assert asked.tools == ()
        assert "第 2 问" in asked.text()
        assert "第 3 问" not in asked.text()
        await watcher.agent.submit("/sessions")
        assert "（12 条消息）" in (await last_notice(watcher)).text
        shown = await snapshot(watcher.agent)
        assert len([entry for entry in shown.chat if entry.role == "assistant"]) == 6
    again = ScriptedModel()
    async with watching(await open_agent(tmp_path, again)) as watcher:
        await talk(watcher, "还记得吗？")
    assert again.requests[0].messages[0] == SummaryMessage(("要点一",))
    assert [m.text for m in again.requests[0].messages[1:] if isinstance(m, UserMessage)] == [
        "第 3 问",
        "第 4 问",
        "第 5 问",
        "还记得吗？",
    ]


async def test_a_summary_is_never_summed_up_again(tmp_path: Path) -> None:
    model = ScriptedModel([*script(["要点一"]), *script(["要点二"])])
    async with watching(await open_agent(tmp_path, model)) as watcher:
        await talk(watcher, *QUESTIONS, "/compact", *QUESTIONS, "/compact", "最后")
    second = model.requests[13].messages[0]
    assert isinstance(second, UserMessage)
    before, _head, new = second.text.partition("要压缩的旧对话：")
    assert "要点一" in before
    assert "要点一" not in new
    assert model.requests[14].messages[0] == SummaryMessage(("要点一", "要点二"))


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([" "], "[历史压缩：模型未产出摘要，保留原历史]"),
        ([ModelError("断了")], "[历史压缩失败：保留原历史]\n断了"),
        (["说到一", ModelError("断了")], "[历史压缩失败：保留原历史]\n断了"),
    ],
)
async def test_a_failure_leaves_the_history_as_it_was(tmp_path: Path, steps: list[Step], said: str) -> None:
    model = ScriptedModel(script(steps))
    async with watching(await open_agent(tmp_path, model)) as watcher:
        await talk(watcher, *QUESTIONS, "/compact")
        assert (await last_notice(watcher)).text == said
        await talk(watcher, "还在吗？")
    assert model.requests[-1].messages[0] == UserMessage("第 0 问")
    assert len(model.requests[-1].messages) == 13


async def test_an_interrupt_leaves_the_history_as_it_was(tmp_path: Path) -> None:
    model = ScriptedModel(script(["要点", asyncio.Event()]))
    async with watching(await open_agent(tmp_path, model)) as watcher:
        await talk(watcher, *QUESTIONS)
        model.streaming.clear()
        command = asyncio.create_task(watcher.agent.submit("/compact"))
        await model.streaming.wait()
        assert watcher.agent.interrupt()
        assert (await watcher.until(ev.TurnFinished)).end is ev.TurnEnd.INTERRUPTED
        await command
        await talk(watcher, "还在吗？")
    assert model.open_streams == 0
    assert len(model.requests[-1].messages) == 13


async def test_the_offline_model_compacts_without_a_model(tmp_path: Path) -> None:
    async with watching(await open_agent(tmp_path, OfflineModel())) as watcher:
        await talk(watcher, *["你好"] * 6, "/compact")
        notice = await last_notice(watcher)
    assert notice.text == "[历史压缩：6 条旧消息合并为 1 条摘要]"
    assert "- 用户：你好" in notice.details


async def test_a_full_window_is_compacted_before_the_request(tmp_path: Path) -> None:
    gate = asyncio.Event()
    model = ScriptedModel(script(["要点", gate], ["好"], text="答" * 600))
    async with watching(await open_agent(tmp_path, model)) as watcher:
        await talk(watcher, *QUESTIONS)
        model.context_window = (await snapshot(watcher.agent)).status.context_tokens
        await watcher.agent.submit("下一问")
        await watcher.until(ev.StatusChanged, lambda event: event.status.activity == "正在压缩对话…")
        gate.set()
        await watcher.until(ev.TurnFinished)
        status = (await snapshot(watcher.agent)).status
    assert status.activity == ""
    assert status.context_tokens < 0.8 * model.context_window
    assert any(isinstance(request.messages[0], SummaryMessage) for request in model.requests)


async def test_long_results_are_shortened_before_history_is(tmp_path: Path) -> None:
    text = "".join(f"第 {n} 次历史压缩的触发阈值默认 {n}000 字符。" for n in range(300))
    (tmp_path / "长.md").write_text(text, "utf-8")
    search = ToolCall("", "rag_search", '{"query": "历史压缩的触发阈值"}')
    model = ScriptedModel([[search], [search], [search]])
    async with watching(await open_agent(tmp_path, model)) as watcher:
        tools = (await snapshot(watcher.agent)).status.context_tokens
        model.context_window = round((tools + 4_700) / 0.8)  # room for two of the three results
        await watcher.agent.submit("/rag add 长.md")
        review = await watcher.until(ev.IngestReview)
        watcher.agent.answer(review.request_id, ev.IngestDecision(("长.md",)))
        await watcher.agent.wait_idle()
        await talk(watcher, "查三次")
        texts = [entry.text for entry in (await snapshot(watcher.agent)).chat if entry.role == "notice"]
    assert any(text.startswith("[历史压缩：截短了 ") for text in texts)
    results = [message for message in model.requests[-1].messages if isinstance(message, ToolMessage)]
    assert "已截短" in results[0].content
    assert "已截短" not in results[-1].content


async def test_a_refused_request_is_compacted_once_and_sent_again(tmp_path: Path) -> None:
    full = TooLongError("对话超出了模型的上下文长度", 900)
    model = ScriptedModel(script([full], ["要点"], ["好"]))
    async with watching(await open_agent(tmp_path, model)) as watcher:
        await talk(watcher, *QUESTIONS, "再问")
        chat = (await snapshot(watcher.agent)).chat
    assert [entry.text for entry in chat[-3:]] == ["再问", "[历史压缩：7 条旧消息合并为 1 条摘要]", "好"]

    model = ScriptedModel([[full]])
    async with watching(await open_agent(tmp_path / "b", model)) as watcher:
        await talk(watcher, "一问")
        assert (await last_notice(watcher)).text == "请求失败：对话超出了模型的上下文长度"


@dataclass
class Counting(ScriptedModel):
    """Tells how many tokens it counted."""

    prompt: int = 5000

    async def stream(
        self, system: str, messages: Sequence[Message], tools: Sequence[ToolSpec]
    ) -> AsyncIterator[ModelEvent]:
        async for event in super().stream(system, messages, tools):
            yield replace(event, usage=Usage(self.prompt, 7)) if isinstance(event, Reply) else event


async def test_the_servers_count_is_shown_with_an_estimate_of_what_came_since(tmp_path: Path) -> None:
    async with watching(await open_agent(tmp_path, Counting([["好"], [ModelError("断了")]]))) as watcher:
        await talk(watcher, "问")
        status = (await snapshot(watcher.agent)).status
        assert (status.context_tokens, status.spent_tokens) == (5007, 5007)
        await talk(watcher, "再问" * 100)
        assert 5100 < (await snapshot(watcher.agent)).status.context_tokens < 5250
    async with watching(await open_agent(tmp_path, ScriptedModel())) as watcher:
        assert 5100 < (await snapshot(watcher.agent)).status.context_tokens < 5250
        await watcher.agent.submit("/reset")
        assert (await snapshot(watcher.agent)).status.context_tokens < 4000  # the tools' descriptions


@pytest.mark.parametrize("prompt", [0, 100])
async def test_a_count_far_too_low_is_not_believed(tmp_path: Path, prompt: int) -> None:
    async with watching(await open_agent(tmp_path, Counting([["好"]], prompt=prompt))) as watcher:
        before = (await snapshot(watcher.agent)).status.context_tokens
        await talk(watcher, "问" * 100)
        assert (await snapshot(watcher.agent)).status.context_tokens > before


# --- /retry -------------------------------------------------------------------------------------------


async def test_retry_answers_the_last_question_again(tmp_path: Path) -> None:
    clock = ToolCall("c", "get_current_time", "{}")
    model = ScriptedModel([[clock], ["旧的回答"], ["新的回答"], ["好"]])
    async with watching(await open_agent(tmp_path, model)) as watcher:
        await talk(watcher, "几点了？", "/retry", "谢谢")
        chat = [entry.text for entry in (await snapshot(watcher.agent)).chat]
    assert chat == ["几点了？", "旧的回答", "/retry", "新的回答", "谢谢", "好"]
    assert model.requests[2].messages == (UserMessage("几点了？"),)
    assert [m for m in model.requests[3].messages if isinstance(m, AssistantMessage)] == [
        AssistantMessage("新的回答")
    ]
    again = ScriptedModel()
    async with watching(await open_agent(tmp_path, again)) as watcher:
        await talk(watcher, "再见")
    assert "旧的回答" not in again.requests[0].text()


async def test_without_a_question_there_is_nothing_to_retry(tmp_path: Path) -> None:
    async with watching(await open_agent(tmp_path, ScriptedModel())) as watcher:
        await watcher.agent.submit("/retry")
        assert (await last_notice(watcher)).text == "（没有可以重新回答的问题）"


@pytest.mark.parametrize("start", [-3, 0, 2, 3, 99])
@pytest.mark.parametrize("question", [None, -1, 0, 2, 99])
def test_a_file_that_lost_lines_still_adds_up(start: int, question: int | None) -> None:
    messages: list[Message] = [UserMessage("问"), AssistantMessage("答")]
    kept = compacted(messages, Compacted(1, "", datetime.now(UTC), ("要点",), start, question, (), 0, 0))
    assert kept[0] == SummaryMessage(("要点",))
    assert all(messages.count(message) == kept.count(message) for message in kept[1:])
