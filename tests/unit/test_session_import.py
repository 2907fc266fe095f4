"""The reference's own sessions: taken over once, through its checks, with nothing overwritten."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from geekagent_tui.agent.messages import AssistantMessage, ToolMessage, UserMessage
from geekagent_tui.agent.sessions import Sessions
from support.agents import Watcher, open_agent, snapshot, watching
from support.scripted_model import ScriptedModel

CALL = {"id": "call_0", "type": "function", "function": {"name": "read", "arguments": '{"path": "a.md"}'}}
WORK = [
    {"role": "system", "content": "【此前对话摘要】\n用户喜欢鲸鱼。"},
    {"role": "user", "content": [{"type": "text", "text": "读一下"}]},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "call_0", "content": "鲸鱼唱歌。"},
    {"role": "assistant", "content": "读好了。"},
    {"role": "user", "content": "再读"},
    {"role": "assistant", "content": "好", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "call_0", "content": "还是鲸鱼。"},
    {"role": "tool", "tool_call_id": "lost", "content": "没有来历"},
]


def archive(folder: Path, value: object) -> Path:
    path = folder / ".geekagent" / "sessions.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    return path


async def said(watcher: Watcher, line: str) -> str:
    await watcher.agent.submit(line)
    return (await snapshot(watcher.agent)).chat[-1].text


async def test_an_archive_is_offered_at_start_and_taken_over_once(tmp_path: Path) -> None:
    path = archive(tmp_path, {"current": "work", "sessions": {"work": WORK, "empty": []}})
    before = path.read_bytes()
    sessions = Sessions(tmp_path / ".geekagent" / "sessions")
    taken = sessions.create("work")
    taken.close()
    ours = taken.path.read_bytes()
    model = ScriptedModel()
    async with watching(await open_agent(tmp_path, model)) as watcher:
        offers = [e.text for e in (await snapshot(watcher.agent)).chat if "/load" in e.text]
        assert offers == [f"这里有 GeekAgent 教程版保存的会话（{path}），输入 /load 导入；原文件不会改动"]
        await watcher.agent.submit("/new elsewhere")
        told = await said(watcher, "/load")
        assert told == f"（已从 {path} 恢复 2 个会话，当前：work-2）"
        shown = (await snapshot(watcher.agent)).chat
        talk = [entry.text for entry in shown if entry.role != "notice"]
        assert talk == ["读一下", "读好了。", "再读", "好"]
        assert (shown[0].text, shown[0].details) == ("此前的对话已合并为摘要", "用户喜欢鲸鱼。")
        await watcher.agent.submit("接着说")
        await watcher.agent.wait_idle()
        messages = model.requests[-1].messages
        assert "用户喜欢鲸鱼。" in repr(messages[0])
        assert [m.text for m in messages if isinstance(m, UserMessage)][-1] == "接着说"
        calls = [c for m in messages if isinstance(m, AssistantMessage) for c in m.tool_calls]
        answers = [m for m in messages if isinstance(m, ToolMessage)]
        assert [call.id for call in calls] == [answer.call_id for answer in answers]
        assert len({call.id for call in calls}) == 2
        assert [answer.content for answer in answers] == ["鲸鱼唱歌。", "还是鲸鱼。"]
        assert await said(watcher, "/load") == f"（已从 {path} 恢复 0 个会话，当前：work-2）"
    assert path.read_bytes() == before
    assert taken.path.read_bytes().startswith(ours)
    assert "鲸鱼".encode() not in taken.path.read_bytes()
    async with watching(await open_agent(tmp_path, ScriptedModel())) as watcher:
        assert not [e for e in (await snapshot(watcher.agent)).chat if "教程版" in e.text]


async def test_what_the_reference_adds_later_is_taken_over_too(tmp_path: Path) -> None:
    archive(tmp_path, {"current": "a", "sessions": {"a": [{"role": "user", "content": "一"}]}})
    async with watching(await open_agent(tmp_path, ScriptedModel())) as watcher:
        await said(watcher, "/load")
    path = archive(
        tmp_path,
        {"current": "b", "sessions": {"a": [{"role": "user", "content": "一"}], "b": WORK[:2]}},
    )
    async with watching(await open_agent(tmp_path, ScriptedModel())) as watcher:
        assert await said(watcher, "/load") == f"（已从 {path} 恢复 1 个会话，当前：b）"
        listed = await said(watcher, "/sessions")
        assert [line.split(" · ")[0] for line in listed.split("\n")] == [
            "会话：",
            "  a（1 条消息）",
            "* b（1 条消息）",
        ]


@pytest.mark.parametrize(
    "value",
    [
        [],
        None,
        {"current": "a"},
        {"current": "b", "sessions": {"a": []}},
        {"current": ["a"], "sessions": {"a": []}},
        {"current": "a", "sessions": {"a": [], "b/../c": []}},
        {"current": "a", "sessions": {"a": {}}},
        {"current": "a", "sessions": {"a": [{"role": "robot", "content": "x"}]}},
        {"current": "a", "sessions": {"a": [{"role": ["user"], "content": "x"}]}},
        {"current": "a", "sessions": {"a": ["x"]}},
    ],
)
async def test_what_is_no_archive_is_refused_in_the_references_words(tmp_path: Path, value: object) -> None:
    archive(tmp_path, value)
    async with watching(await open_agent(tmp_path, ScriptedModel())) as watcher:
        assert not [e for e in (await snapshot(watcher.agent)).chat if "/load" in e.text]
        before = (await snapshot(watcher.agent)).status.session
        assert await said(watcher, "/load") == "读取失败：存档不是有效的多会话数据"
        assert (await snapshot(watcher.agent)).status.session == before


async def test_without_an_archive_there_is_nothing_to_load(tmp_path: Path) -> None:
    async with watching(await open_agent(tmp_path, ScriptedModel())) as watcher:
        assert (await said(watcher, "/load")).startswith("读取失败：")
        (tmp_path / ".geekagent" / "sessions.json").write_bytes(b"\xff\x00{" + b"[" * 100_000)
        assert await said(watcher, "/load") == "读取失败：存档不是有效的多会话数据"


async def test_messages_of_any_shape_are_taken_over(tmp_path: Path) -> None:
    odd = [
        {"role": "assistant", "content": 5, "tool_calls": [1, {"function": {"name": 2}}, {"function": 3}]},
        {"role": "assistant", "content": ["x", {"text": ["y"]}, {"text": "z"}], "tool_calls": "no"},
        {"role": "tool", "tool_call_id": {"a": 1}, "content": "x"},
        {"role": "function", "name": "f", "content": "老式结果"},
        {"role": "user"},
    ]
    archive(tmp_path, {"current": "x" * 80, "sessions": {"x" * 80: odd}})
    async with watching(await open_agent(tmp_path, ScriptedModel())) as watcher:
        assert "恢复 1 个会话" in await said(watcher, "/load")
        shown = await snapshot(watcher.agent)
        assert shown.status.session == "x" * 60
        assert [e.text for e in shown.chat if e.text in ("z", "老式结果")] == ["z", "老式结果"]
        await watcher.agent.submit("你好")
        await watcher.agent.wait_idle()
        assert (await snapshot(watcher.agent)).chat[-1].text == "好的。"
