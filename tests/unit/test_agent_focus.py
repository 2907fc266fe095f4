"""The focus: a session limited to some documents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from geekagent_tui.agent import events as ev
from geekagent_tui.agent.core import Agent
from geekagent_tui.agent.messages import ToolCall, ToolMessage, UserMessage
from geekagent_tui.agent.models.base import ChatModel
from geekagent_tui.agent.models.offline import OfflineModel
from geekagent_tui.config import Policy
from geekagent_tui.rag.model import Selection
from support.agents import open_agent, snapshot, watching
from support.bases import write_files
from support.scripted_model import ScriptedModel

WHALE = "鲸鱼怎样唱歌？"
ALL = "（没有限定范围，检索全部文档）"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    write_files(
        tmp_path,
        {
            "a.md": "# 鲸鱼甲\n\n鲸鱼在夜里唱歌，歌声很低。",
            "notes/b.md": "# 鲸鱼乙\n\n鲸鱼在白天唱歌，歌声很高。",
            "c.md": "# 灯塔\n\n灯塔整夜亮着。",
        },
    )
    return tmp_path


async def filled(workspace: Path, model: ChatModel) -> Agent:
    agent = await open_agent(workspace, model, {"rag_add": Policy.ALLOW})
    await agent.ingest(["a.md", "notes", "c.md"])
    await agent.wait_idle()
    await agent.tag(["notes/b.md"], add=["海"])
    return agent


async def focus_of(agent: Agent) -> tuple[str, int] | None:
    focus = (await snapshot(agent)).status.focus
    return None if focus is None else (focus.label, focus.documents)


async def said(agent: Agent, line: str) -> str:
    await agent.submit(line)
    return (await snapshot(agent)).chat[-1].text


async def test_turns_are_limited_and_the_model_knows(workspace: Path) -> None:
    search = ToolCall("s", "rag_search", json.dumps({"query": WHALE}))
    model = ScriptedModel([[search], ["好。"], ["好。"]])
    agent = await filled(workspace, model)
    async with watching(agent) as watcher:
        before = (await snapshot(agent)).status.context_tokens
        await agent.focus(Selection(tags=("海",)))
        told = await watcher.until(ev.StatusChanged, lambda event: event.status.focus is not None)
        assert told.status.focus == ev.Focus(Selection(tags=("海",)), "标签 海", 1)
        assert told.status.context_tokens > before
        await agent.submit(WHALE)
        await watcher.until(ev.TurnFinished)
        await agent.focus(None)
        await agent.submit(WHALE)
        await watcher.until(ev.TurnFinished)
        assert {hit.source for hit in (await agent.search(WHALE)).hits} >= {"a.md", "notes/b.md"}
        tagged = await agent.search(WHALE, within=Selection(tags=("海",)), explain=True)
        assert [hit.source for hit in tagged.hits] == ["notes/b.md"]
        assert tagged.hits[0].shares
    limited, answered, free = model.requests
    assert "选定了 1 个文档" in limited.system
    assert "海" not in limited.system  # a tag is foreign text
    question = limited.messages[-1]
    assert isinstance(question, UserMessage)
    assert "《鲸鱼乙》" in question.recalled
    assert "《鲸鱼甲》" not in question.recalled
    found = answered.messages[-1]
    assert isinstance(found, ToolMessage)
    assert {hit.source for hit in found.hits} == {"notes/b.md"}
    assert found.content.endswith("\n（只在选定的文档里检索）")
    assert "选定" not in free.system


async def test_the_offline_model_says_when_the_chosen_documents_know_nothing(workspace: Path) -> None:
    agent = await filled(workspace, OfflineModel())
    async with watching(agent) as watcher:
        await agent.submit("/rag only c.md")
        await agent.submit(WHALE)
        await watcher.until(ev.TurnFinished)
        answer = (await snapshot(agent)).chat[-1].text
        assert answer.startswith("选定的文档没有回答这个问题。")
        await agent.submit("/rag only notes")
        await agent.submit(WHALE)
        await watcher.until(ev.TurnFinished)
        answer = (await snapshot(agent)).chat[-1].text
        assert "白天" in answer
        assert "夜里" not in answer


async def test_the_focus_by_command(workspace: Path) -> None:
    agent = await filled(workspace, ScriptedModel())
    assert await said(agent, "/rag only") == ALL
    assert await said(agent, "/rag only #海") == "（只检索 标签 海，共 1 个文档；/rag only off 取消）"
    assert await said(agent, "/rag only") == "（只检索 标签 海，共 1 个文档；/rag only off 取消）"
    assert "《鲸鱼甲》" not in await said(agent, f"/rag search {WHALE}")
    assert "《鲸鱼甲》" in await said(agent, f"/rag search --source a.md {WHALE}")
    assert "《鲸鱼乙》" in await said(agent, f"/rag search --tag 海 {WHALE}")
    assert await said(agent, f"/rag search --tag nichts {WHALE}") == "没有文档符合所选的范围"
    assert (await said(agent, "/rag search --tag")).startswith("用法：/rag search")
    assert await said(agent, "/rag only nothing.md") == "知识库里没有 nothing.md"
    assert await said(agent, "/rag only #") == "知识库里没有 #"
    assert await said(agent, "/rag only a.md #海") == "没有文档符合所选的范围"
    assert await focus_of(agent) == ("标签 海", 1)
    assert await said(agent, "/rag only a.md notes") == (
        "（只检索 a.md、notes，共 2 个文档；/rag only off 取消）"
    )
    assert await said(agent, "/rag only off") == ALL
    assert await focus_of(agent) is None
    await agent.close()


async def test_a_session_keeps_its_focus(workspace: Path) -> None:
    agent = await filled(workspace, ScriptedModel())
    first = (await snapshot(agent)).status.session
    await agent.focus(Selection(tags=("海",)))
    await agent.submit("/reset")
    assert await focus_of(agent) == ("标签 海", 1)
    await agent.submit("/new other")
    assert await focus_of(agent) is None
    await agent.submit(f"/open {first}")
    assert await focus_of(agent) == ("标签 海", 1)
    await agent.close()
    again = await open_agent(workspace, ScriptedModel())
    assert await focus_of(again) == ("标签 海", 1)
    await again.close()


async def test_documents_that_are_gone_leave_the_focus(workspace: Path) -> None:
    agent = await filled(workspace, ScriptedModel())
    async with watching(agent) as watcher:
        ids = {document.source: document.id for document in (await snapshot(agent)).documents}
        await agent.focus(Selection(documents=(ids["a.md"], ids["c.md"], 999)))
        await watcher.notice("[选定的文档里有 1 个已不在知识库里]")
        assert await focus_of(agent) == ("2 个文档", 2)
        await agent.remove(["c.md"])
        await watcher.notice("[选定的文档里有 1 个已不在知识库里]")
        assert await focus_of(agent) == ("《鲸鱼甲》", 1)
        await agent.remove(["a.md"])
        await watcher.notice("[选定的文档都已不在知识库里，现在检索全部文档]")
        assert await focus_of(agent) is None
        await agent.focus(Selection(tags=("海",)))
        await agent.undo_remove()
        await agent.remove(["notes/b.md"])
        assert await focus_of(agent) == ("标签 海", 0)
        assert await said(agent, f"/rag search {WHALE}") == "没有文档符合所选的范围\n（只在选定的文档里检索）"


async def test_a_focus_follows_its_tag(workspace: Path) -> None:
    agent = await filled(workspace, ScriptedModel())
    await agent.focus(Selection(tags=("海",)))
    await agent.tag(["a.md"], add=["海"])
    assert await focus_of(agent) == ("标签 海", 2)
    await agent.close()
