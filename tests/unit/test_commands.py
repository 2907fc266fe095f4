"""Commands, in the reference's words."""

from __future__ import annotations

from pathlib import Path

import pytest

from geekagent_tui.agent import commands
from geekagent_tui.agent import events as ev
from geekagent_tui.agent.ask import run_once
from geekagent_tui.agent.core import Agent
from geekagent_tui.agent.messages import ToolCall
from geekagent_tui.agent.models.base import ModelError
from support.agents import open_agent, snapshot, watching
from support.scripted_model import ScriptedModel


async def said(agent: Agent, line: str) -> str:
    """What a command prints."""
    await agent.submit(line)
    last = (await snapshot(agent)).chat[-1]
    assert last.role == "notice"
    return last.text


@pytest.mark.parametrize(
    ("line", "name", "rest"),
    [
        ("/help", "/help", ""),
        ("/rag", "/rag", ""),
        ("/rag  add  a.md 'b c.md' ", "/rag add", "a.md 'b c.md'"),
        ("/rag search 历史 压缩", "/rag search", "历史 压缩"),
        ("/rag bogus x", "/rag", "bogus x"),
        ("/new  work now", "/new", "work now"),
        ("/ragadd", None, ""),
        ("/", None, ""),
    ],
)
def test_a_line_finds_its_command(line: str, name: str | None, rest: str) -> None:
    command, found = commands.find(line)
    assert (command.name if command else None, found) == (name, rest)


async def test_help_lists_every_command(tmp_path: Path) -> None:
    agent = await open_agent(tmp_path, ScriptedModel())
    text = await said(agent, "/help")
    assert [info.name for info in agent.commands()] == [command.name for command in commands.COMMANDS]
    assert all(info.help for info in agent.commands())
    await agent.close()
    lines = text.splitlines()
    assert lines[0] == "可用命令："
    assert lines[-1] == (
        "工具权限由 .geekagent/GeekAgent.json 的 allow / ask / deny 控制；文件工具只能访问 root 内的路径。"
    )
    assert len(lines) == len(commands.COMMANDS) + 2
    for name in ("/help", "/rag add <网页 URL 或文件路径>... [--crawl N] [--tag 标签]", "/new [id]", "/exit"):
        assert any(line.startswith(f"  {name}  ") for line in lines)


async def test_sessions(tmp_path: Path) -> None:
    agent = await open_agent(tmp_path, ScriptedModel())
    first = (await snapshot(agent)).status.session
    await agent.submit("你好")
    await agent.wait_idle()
    assert await said(agent, "/new a b") == "用法：/new <id>"
    assert await said(agent, "/new a/b") == "新建失败：会话 ID 只能包含字母、数字、短横线和下划线"
    assert await said(agent, "/new work") == "（已新建并切换到会话 work）"
    assert await said(agent, "/new work") == "新建失败：会话 ID 已存在"
    assert await said(agent, "/open") == "用法：/open <id>"
    assert await said(agent, "/open nothing") == "打开失败：会话 nothing 不存在"
    told = (await said(agent, "/sessions")).split("\n")
    assert told[1].startswith(f"  {first}（2 条消息） · ")
    assert told[1].endswith(" · 你好")
    assert told[2:] == ["* work（0 条消息）"]
    assert await said(agent, f"/open {first}") == f"（已切换到会话 {first}，2 条消息）"
    assert await said(agent, f"/open {first}") == f"（已切换到会话 {first}，2 条消息）"
    assert (await snapshot(agent)).status.session == first
    assert await said(agent, "/reset") == "（已清空当前会话历史，长期记忆保留）"
    assert [entry.role for entry in (await snapshot(agent)).chat] == ["notice"]
    await agent.close()

    again = await open_agent(tmp_path, ScriptedModel())
    shown = await snapshot(again)
    assert shown.status.session == first
    assert [entry.text for entry in shown.chat] == ["（已清空当前会话历史，长期记忆保留）"]
    assert await said(again, "/open work") == "（已切换到会话 work，0 条消息）"
    await again.close()


async def test_two_agents_never_share_a_session(tmp_path: Path) -> None:
    one = await open_agent(tmp_path, ScriptedModel())
    await one.submit("/new shared")
    two = await open_agent(tmp_path, ScriptedModel())
    assert (await snapshot(two)).status.session != "shared"
    assert await said(two, "/open shared") == (
        "打开失败：会话 shared 正在另一个程序里打开；用 /fork shared 复制一份来看"
    )
    await one.submit("/new other")
    assert await said(two, "/open shared") == "（已切换到会话 shared，0 条消息）"
    await one.close()
    await two.close()


async def test_exit_and_unknown_commands(tmp_path: Path) -> None:
    agent = await open_agent(tmp_path, ScriptedModel())
    async with watching(agent) as watcher:
        await agent.submit("  ")
        await agent.submit("/nope now")
        await watcher.notice("未知命令：/nope（输入 /help 查看）")
        await agent.submit("/exit")
        await watcher.until(ev.ExitRequested)


async def test_one_question_for_scripts(tmp_path: Path) -> None:
    model = ScriptedModel(
        [["我看看。", ToolCall("c", "get_current_time", "")], ["下午。"], [ModelError("断了")]]
    )
    agent = await open_agent(tmp_path, model, resume=False)
    told: list[ev.Event] = []
    answer = await run_once(agent, "/etc 是什么？", told.append)
    assert (answer.text, answer.end, answer.error) == ("下午。", ev.TurnEnd.DONE, "")
    assert [tool.state for tool in answer.tools] == [ev.ToolState.DONE]
    assert told[-1] == ev.TurnFinished(ev.TurnEnd.DONE)
    failed = await run_once(agent, "再问")
    assert (failed.text, failed.tools) == ("", ())
    assert (failed.end, failed.error) == (ev.TurnEnd.FAILED, "请求失败：断了")
    await agent.close()
