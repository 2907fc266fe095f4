"""Turns: streamed, interruptible at any moment, and a history that stays valid."""

from __future__ import annotations

import asyncio
import errno
from pathlib import Path

import pytest

from geekagent_tui.agent import events as ev
from geekagent_tui.agent.messages import AssistantMessage, ToolCall, ToolMessage, UserMessage
from geekagent_tui.agent.models.base import ModelError, ReasoningDelta
from geekagent_tui.agent.models.wire import wire_messages
from geekagent_tui.config import Policy
from support.agents import Watcher, open_agent, snapshot, watching
from support.scripted_model import ScriptedModel

CLOCK = ToolCall("c1", "get_current_time", "")


async def finished(watcher: Watcher) -> ev.TurnEnd:
    return (await watcher.until(ev.TurnFinished)).end


async def test_an_answer_streams_and_is_kept(tmp_path: Path) -> None:
    model = ScriptedModel([["你", "好", "。"]])
    async with watching(await open_agent(tmp_path, model)) as watcher:
        await watcher.agent.submit("  在吗？ ")
        assert await finished(watcher) is ev.TurnEnd.DONE
        await watcher.agent.wait_idle()
        shown = await snapshot(watcher.agent)
    assert "".join(event.text for event in watcher.all(ev.AnswerDelta)) == "你好。"
    assert [(entry.role, entry.text) for entry in shown.chat] == [("user", "在吗？"), ("assistant", "你好。")]
    assert not shown.status.busy
    assert shown.live == ""
    assert [
        type(event) for event in watcher.events if isinstance(event, ev.TurnStarted | ev.TurnFinished)
    ] == [
        ev.TurnStarted,
        ev.TurnFinished,
    ]
    assert model.closed


async def test_tools_run_between_requests_and_their_answers_are_read(tmp_path: Path) -> None:
    model = ScriptedModel([["我看看。", CLOCK], ["现在是下午。"]])
    async with watching(await open_agent(tmp_path, model)) as watcher:
        await watcher.agent.submit("几点了？")
        assert await finished(watcher) is ev.TurnEnd.DONE
        states = [event.entry.state for event in watcher.all(ev.ToolChanged)]
    assert states == [ev.ToolState.RUNNING, ev.ToolState.DONE]
    second = model.requests[1].messages
    assert second[0] == UserMessage("几点了？")
    assert second[1] == AssistantMessage("我看看。", (CLOCK,))
    assert isinstance(second[2], ToolMessage)
    assert second[2].content.startswith("20")
    assert {spec.name for spec in model.requests[0].tools} >= {"rag_add", "rag_search", "memory_write"}


async def test_ids_that_servers_repeat_are_made_unique(tmp_path: Path) -> None:
    same = ToolCall("call_0", "get_current_time", "{}")
    nameless = ToolCall("", "get_current_time", "{}")
    model = ScriptedModel([[same, same, nameless], [same], ["好"], [same], ["好"]])
    async with watching(await open_agent(tmp_path, model)) as watcher:
        for _turn in range(2):
            await watcher.agent.submit("几点了？")
            assert await finished(watcher) is ev.TurnEnd.DONE


@pytest.mark.parametrize(
    ("call", "answer"),
    [
        (ToolCall("c", "nothing", "{}"), "未知工具：nothing"),
        (ToolCall("c", "memory_search", "{"), "参数不是合法 JSON：{"),
        (ToolCall("c", "memory_search", "[1]"), "参数不是合法 JSON：[1]"),
        (ToolCall("c", "memory_search", ""), "缺少参数 query"),
        (ToolCall("c", "memory_search", '{"query": "  "}'), "缺少参数 query"),
        (ToolCall("c", "memory_search", '{"query": 3}'), "缺少参数 query"),
        (ToolCall("c", "memory_write", "{}"), "缺少参数 content"),
        (ToolCall("c", "rag_add", "{}"), "缺少要采集的来源"),
        (ToolCall("c", "rag_search", '{"query": "x"}'), "权限拒绝：工具 rag_search 不允许执行"),
        (ToolCall("c", "get_current_time", ""), "已取消执行"),
    ],
)
async def test_calls_that_can_not_be_done_are_told_to_the_model(
    tmp_path: Path, call: ToolCall, answer: str
) -> None:
    model = ScriptedModel([[call], ["好"]])
    policies = {"rag_search": Policy.DENY, "get_current_time": Policy.ASK}
    agent = await open_agent(tmp_path, model, policies)
    async with watching(agent, interactive=False) as watcher:
        await agent.submit("试试")
        assert await finished(watcher) is ev.TurnEnd.DONE
        entry = watcher.all(ev.ToolChanged)[-1].entry
    told = model.requests[1].messages[-1]
    assert isinstance(told, ToolMessage)
    assert (told.content, told.failed) == (answer, True)
    assert entry.state in {ev.ToolState.FAILED, ev.ToolState.DENIED}
    assert entry.result == answer
    assert "rag_search" not in {spec.name for spec in model.requests[0].tools}


async def test_a_turn_has_thirty_rounds(tmp_path: Path) -> None:
    model = ScriptedModel([[CLOCK] for _round in range(40)])
    async with watching(await open_agent(tmp_path, model)) as watcher:
        await watcher.agent.submit("一直查")
        assert await finished(watcher) is ev.TurnEnd.FAILED
        assert len(model.requests) == 30
        assert watcher.all(ev.ChatAdded)[-1].entry.text == "[工具调用轮次过多，已停止]"
        model.script = [["好"]]
        await watcher.agent.submit("然后呢")
        assert await finished(watcher) is ev.TurnEnd.DONE


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ModelError("连不上 http://127.0.0.1:9/v1"), "请求失败：连不上 http://127.0.0.1:9/v1"),
        (RuntimeError("boom"), "请求失败：boom"),
        (RuntimeError(), "请求失败：RuntimeError"),
    ],
)
async def test_a_failed_request_keeps_what_was_said(tmp_path: Path, error: Exception, said: str) -> None:
    model = ScriptedModel([[CLOCK], ["半", "句", error], ["好"]])
    async with watching(await open_agent(tmp_path, model)) as watcher:
        await watcher.agent.submit("问")
        assert await finished(watcher) is ev.TurnEnd.FAILED
        entries = [event.entry for event in watcher.all(ev.ChatAdded)]
        assert [(entry.role, entry.text) for entry in entries[-2:]] == [
            ("assistant", "半句"),
            ("notice", said),
        ]
        assert entries[-2].interrupted
        assert entries[-1].level is ev.Level.ERROR
        await watcher.agent.submit("再问")
        assert await finished(watcher) is ev.TurnEnd.DONE
    assert AssistantMessage("半句", interrupted=True) in model.requests[-1].messages


async def test_an_empty_answer_is_said_to_be_empty(tmp_path: Path) -> None:
    model = ScriptedModel([[" "], ["好"]])
    async with watching(await open_agent(tmp_path, model)) as watcher:
        await watcher.agent.submit("问")
        assert await finished(watcher) is ev.TurnEnd.FAILED
        await watcher.agent.submit("再问")
        assert await finished(watcher) is ev.TurnEnd.DONE


async def test_reasoning_is_shown_and_not_kept(tmp_path: Path) -> None:
    model = ScriptedModel([[ReasoningDelta("想…"), "好"]])
    async with watching(await open_agent(tmp_path, model)) as watcher:
        await watcher.agent.submit("问")
        await finished(watcher)
        assert watcher.all(ev.ReasoningProgress) == [ev.ReasoningProgress("想…")]
        assert [entry.text for entry in (await snapshot(watcher.agent)).chat] == ["问", "好"]


async def test_an_interrupt_keeps_what_was_said(tmp_path: Path) -> None:
    never = asyncio.Event()
    model = ScriptedModel([["说到一", "半", never], ["好"]])
    async with watching(await open_agent(tmp_path, model)) as watcher:
        assert not watcher.agent.interrupt()
        await watcher.agent.submit("讲个长的")
        await watcher.until(ev.AnswerDelta, lambda event: "半" in event.text)
        assert (await snapshot(watcher.agent)).live == "说到一半"
        assert watcher.agent.interrupt()
        assert watcher.agent.interrupt()
        assert await finished(watcher) is ev.TurnEnd.INTERRUPTED
        assert model.open_streams == 0
        entry = watcher.all(ev.ChatAdded)[-1].entry
        assert (entry.role, entry.text, entry.interrupted) == ("assistant", "说到一半", True)
        await watcher.agent.submit("再来")
        assert await finished(watcher) is ev.TurnEnd.DONE
    assert model.requests[1].messages[1] == AssistantMessage("说到一半", interrupted=True)


async def test_an_interrupt_while_asking_closes_the_question_and_answers_the_calls(tmp_path: Path) -> None:
    second = ToolCall("c2", "get_current_time", "{}")
    model = ScriptedModel([["等等", CLOCK, second], ["好"]])
    agent = await open_agent(tmp_path, model, {"get_current_time": Policy.ASK})
    async with watching(agent) as watcher:
        await agent.submit("几点")
        request = await watcher.until(ev.PermissionReview)
        agent.interrupt()
        assert (await watcher.until(ev.RequestClosed)).request_id == request.request_id
        assert not agent.answer(request.request_id, ev.PermissionDecision(allow=True))
        assert await finished(watcher) is ev.TurnEnd.INTERRUPTED
        states = {entry.call_id: entry.state for entry in (await snapshot(agent)).tools}
        assert states == {"c1": ev.ToolState.CANCELLED, "c2": ev.ToolState.CANCELLED}
        await agent.submit("再来")
        assert await finished(watcher) is ev.TurnEnd.DONE
    assert [m.content for m in model.requests[1].messages if isinstance(m, ToolMessage)] == [
        "已取消",
        "已取消",
    ]


async def test_messages_wait_for_their_turn_in_sight(tmp_path: Path) -> None:
    gate = asyncio.Event()
    model = ScriptedModel([["一", gate], ["二"], ["三"]])
    async with watching(await open_agent(tmp_path, model)) as watcher:
        agent = watcher.agent
        await agent.submit("1")
        await watcher.until(ev.AnswerDelta)
        await agent.submit("2")
        await agent.submit("/new other")
        await agent.submit("3")
        await agent.submit("/memory")  # changes nothing: at once
        await watcher.notice("（暂无长期记忆）")
        assert (await snapshot(agent)).status.queued == ("2", "/new other", "3")
        gate.set()
        await agent.wait_idle()
        shown = await snapshot(agent)
    assert shown.status.queued == ()
    assert shown.status.session == "other"
    assert [entry.text for entry in shown.chat] == ["（已新建并切换到会话 other）", "3", "三"]
    assert [message.text for message in model.requests[1].messages if isinstance(message, UserMessage)] == [
        "1",
        "2",
    ]


async def test_closing_right_after_a_message_does_not_lose_it(tmp_path: Path) -> None:
    agent = await open_agent(tmp_path, ScriptedModel())
    await agent.submit("别丢了我")
    await agent.close()
    again = await open_agent(tmp_path, ScriptedModel())
    async with watching(again):
        texts = [entry.text for entry in (await snapshot(again)).chat]
    assert texts == ["上次退出时还没有发送：别丢了我"]


async def test_what_waits_is_held_after_an_interrupt_until_the_next_message(tmp_path: Path) -> None:
    model = ScriptedModel([["一", asyncio.Event()], ["二"], ["三"]])
    async with watching(await open_agent(tmp_path, model)) as watcher:
        agent = watcher.agent
        await agent.submit("1")
        await watcher.until(ev.AnswerDelta)
        for text in ("2", "/reset", "4"):
            await agent.submit(text)
        agent.interrupt()
        assert await finished(watcher) is ev.TurnEnd.INTERRUPTED
        await agent.wait_idle()
        status = (await snapshot(agent)).status
        assert (status.queued, status.held, status.busy) == (("2", "/reset", "4"), True, False)
        await agent.submit("/queue edit 3")
        assert (await watcher.until(ev.ComposerFilled)).text == "4"
        await agent.submit("/new other")  # what the user wants now waits for nothing that is held
        assert (await snapshot(agent)).status.queued == ("2", "/reset")
        await agent.submit("5")
        await agent.wait_idle()
        shown = await snapshot(agent)
    assert (shown.status.queued, shown.status.held) == ((), False)
    assert [entry.text for entry in shown.chat] == ["（已清空当前会话历史，长期记忆保留）", "5", "三"]
    assert [request.messages[-1] for request in model.requests] == [UserMessage(text) for text in "125"]


async def test_a_question_that_was_stopped_before_the_first_word_is_not_asked_again(tmp_path: Path) -> None:
    model = ScriptedModel([[asyncio.Event()]])
    async with watching(await open_agent(tmp_path, model)) as watcher:
        await watcher.agent.submit("WAIT")
        await model.streaming.wait()
        watcher.agent.interrupt()
        assert await finished(watcher) is ev.TurnEnd.INTERRUPTED
        stopped = (await snapshot(watcher.agent)).chat[-1]
        assert (stopped.role, stopped.text, stopped.interrupted) == ("assistant", "", True)
        await watcher.agent.submit("下一个问题")
        assert await finished(watcher) is ev.TurnEnd.DONE
    said = wire_messages("", model.requests[-1].messages)
    assert [message["role"] for message in said] == ["system", "user", "assistant", "user"]
    assert said[1]["content"] == "WAIT"
    assert "打断" in str(said[2]["content"])
    assert said[3]["content"] == "下一个问题"


async def test_closing_in_the_middle_loses_nothing(tmp_path: Path) -> None:
    model = ScriptedModel([["说到", asyncio.Event()]])
    agent = await open_agent(tmp_path, model)
    async with watching(agent) as watcher:
        await agent.submit("1")
        await watcher.until(ev.AnswerDelta)
        await agent.submit("还没轮到我")
        await agent.close()
        await agent.close()
        assert await finished(watcher) is ev.TurnEnd.INTERRUPTED
    again = await open_agent(tmp_path, ScriptedModel())
    async with watching(again) as watcher:
        chat = (await snapshot(again)).chat
        assert [entry.text for entry in chat] == ["1", "说到", "上次退出时还没有发送：还没轮到我"]
        assert chat[1].interrupted
    third = await open_agent(tmp_path, ScriptedModel())
    async with watching(third):
        assert len((await snapshot(third)).chat) == 3


async def test_a_full_disk_is_told_once_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full_disk(_descriptor: int, _data: memoryview) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    agent = await open_agent(tmp_path, ScriptedModel([["一"], ["二"], ["三"]]))
    async with watching(agent) as watcher:
        monkeypatch.setattr("geekagent_tui.agent.sessions.os.write", full_disk)
        await agent.submit("1")
        await watcher.notice("会话保存失败：磁盘已满")
        await agent.submit("2")
        await agent.wait_idle()
        monkeypatch.undo()
        await agent.submit("3")
        await agent.wait_idle()
        notices = [entry for entry in (await snapshot(agent)).chat if entry.role == "notice"]
        assert len(notices) == 1
    again = await open_agent(tmp_path, ScriptedModel())
    async with watching(again):
        assert [entry.text for entry in (await snapshot(again)).chat] == ["1", "一", "2", "二", "3", "三"]


async def test_a_password_in_an_address_is_kept_nowhere(tmp_path: Path) -> None:
    call = ToolCall("c", "fetch", '{"url": "https://user:hunter2@example.com/"}')
    model = ScriptedModel([[call], ["好"]])
    async with watching(await open_agent(tmp_path, model)) as watcher:
        await watcher.agent.submit("抓取 https://user:hunter2@example.com/")
        assert await finished(watcher) is ev.TurnEnd.DONE
        shown = await snapshot(watcher.agent)
    assert shown.tools[0].result == "链接里不能带用户名或密码，请去掉后再抓取"
    assert shown.chat[0].text == "抓取 https://***@example.com/"
    stored = "".join(file.read_text() for file in (tmp_path / ".geekagent" / "sessions").glob("*.jsonl"))
    told = "".join(request.text() for request in model.requests)
    assert "hunter2" not in stored + told + repr(watcher.events) + repr(shown)


@pytest.mark.parametrize("command", ["/new", "/new other", "/fork"])
async def test_a_session_that_is_not_on_the_disk_is_not_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    def full_disk(_descriptor: int, _data: memoryview) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    agent = await open_agent(tmp_path, ScriptedModel([["一"]]))
    async with watching(agent) as watcher:
        monkeypatch.setattr("geekagent_tui.agent.sessions.os.write", full_disk)
        await agent.submit("1")
        await watcher.until(ev.TurnFinished)
        session = (await snapshot(agent)).status.session
        await agent.submit(command)
        await watcher.notice("失败：磁盘已满")
        shown = await snapshot(agent)
        assert shown.status.session == session
        assert [entry.text for entry in shown.chat if entry.role != "notice"][:2] == ["1", "一"]
        monkeypatch.undo()
    again = await open_agent(tmp_path, ScriptedModel())
    async with watching(again):
        assert (await snapshot(again)).chat[0].text == "1"
