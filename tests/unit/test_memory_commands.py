"""`/memory` and its kin, and the times kept beside the entries."""

from __future__ import annotations

import json
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from geekagent_tui.agent.core import Agent
from geekagent_tui.agent.memory import ENTRY_LENGTH, Memory, MemoryChangeError
from geekagent_tui.agent.memory_times import Times, key_of, read_times, write_times
from support.agents import open_agent, snapshot, watching
from support.scripted_model import ScriptedModel

OLD = datetime(2026, 1, 2, tzinfo=UTC)


async def said(agent: Agent, line: str) -> str:
    await agent.submit(line)
    return (await snapshot(agent)).chat[-1].text


def remember(folder: Path, *entries: str) -> Path:
    file = folder / ".geekagent" / "memory.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(entries, ensure_ascii=False), "utf-8")
    write_times(file.with_suffix(".meta.json"), {key_of(entries[0]): Times(OLD)}, entries)
    return file


async def test_entries_are_edited_removed_and_merged(tmp_path: Path) -> None:
    file = remember(tmp_path, "喜欢猫。", "住在杭州", "用 vim", "不吃辣")
    async with watching(await open_agent(tmp_path, ScriptedModel())) as watcher:
        agent = watcher.agent
        assert await said(agent, "/memory edit 2 住在 苏州") == "（已修改：住在 苏州）"
        assert await said(agent, "/memory rm 3") == "（已删除：用 vim）"
        assert await said(agent, "/memory merge 1 3") == "（已合并：喜欢猫；不吃辣）"
        assert await said(agent, "/memory") == "长期记忆：\n1. 喜欢猫；不吃辣\n2. 住在 苏州"
        assert (await snapshot(agent)).status.memory == 2
        found = await said(agent, "/memory search 猫")
        assert found.startswith("找到 1 条相关记忆：\n1. （条目 #1，第 1 段）喜欢猫；不吃辣（记于 2026-01-0")
        assert "改于" in found
        assert await said(agent, "/memory rm 1 2") == "（已删除：喜欢猫；不吃辣）\n（已删除：住在 苏州）"
        assert await said(agent, "/memory") == "（暂无长期记忆）"
    assert json.loads(file.read_bytes()) == []


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("/memory nonsense", "用法：/memory"),
        ("/memory edit", "用法：/memory edit"),
        ("/memory edit 1", "用法：/memory edit"),
        ("/memory edit 99 x", "没有第 99 条"),
        ("/memory edit ² x", "用法：/memory edit"),
        ("/memory edit 1 乙", "这条记忆已经存在"),
        (f"/memory edit 1 {'长' * (ENTRY_LENGTH + 1)}", "内容太长（4001 字）"),
        ("/memory rm", "用法：/memory rm"),
        ("/memory rm 1 0", "没有第 0 条"),
        ("/memory rm 99999999999999999999", "没有第 99999999999999999999 条"),
        ("/memory merge 1", "用法：/memory merge"),
        ("/memory merge 1 9", "没有第 9 条"),
        ("/memory merge 1 1", "要合并的是同一条记忆"),
        ("/memory search", "用法：/memory search"),
        ("/memory search 没有的词", "没有找到相关记忆"),
    ],
)
async def test_wrong_calls_change_nothing(tmp_path: Path, line: str, told: str) -> None:
    file = remember(tmp_path, "甲", "乙")
    before = file.read_bytes()
    async with watching(await open_agent(tmp_path, ScriptedModel())) as watcher:
        assert (await said(watcher.agent, line)).startswith(told)
    assert file.read_bytes() == before


async def test_what_another_program_removed_is_not_brought_back(tmp_path: Path) -> None:
    file = remember(tmp_path, "甲", "乙")
    memory = Memory(file)
    await memory.load()
    await Memory(file).replace(["甲"], "")
    with pytest.raises(MemoryChangeError, match="别处改动"):
        await memory.replace(["甲"], "丙")
    assert json.loads(file.read_bytes()) == ["乙"]


async def test_times_are_kept_beside_and_may_be_lost(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "memory.json")
    before = datetime.now().astimezone()
    await memory.write("甲")
    await memory.write("乙")
    times = await memory.times()
    assert before - timedelta(seconds=1) <= times["甲"].added <= datetime.now().astimezone()
    await memory.replace(["甲"], "丙")
    changed = (await memory.times())["丙"]
    assert changed.added == times["甲"].added
    assert changed.changed is not None
    beside = tmp_path / "memory.meta.json"
    assert stat.S_IMODE(beside.stat().st_mode) == 0o600
    assert set(json.loads(beside.read_bytes())) == {key_of("丙"), key_of("乙")}
    for broken in (b"{", b"[]", b'{"x": 1}', b'{"x": {"added": 3}}', b'{"x": {"added": "soon"}}', b"\xff"):
        beside.write_bytes(broken)
        assert await memory.times() == {}
        assert read_times(beside) == {}
    beside.unlink()
    beside.mkdir()
    await memory.write("丁")
    assert memory.entries == ("丙", "乙", "丁"), "memory is kept when its times can't be"
