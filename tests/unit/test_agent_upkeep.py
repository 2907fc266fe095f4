"""`/rag sync`, `/rag rm` with a pattern, `/rag undo`: the same paths as an ingest and a removal."""

from __future__ import annotations

from pathlib import Path

import pytest

from geekagent_tui.agent import events as ev
from geekagent_tui.agent.core import Agent
from geekagent_tui.agent.ingest_report import LINES
from geekagent_tui.config import Policy
from geekagent_tui.rag.model import IngestState
from support.agents import open_agent, snapshot, watching
from support.bases import write_files
from support.scripted_model import ScriptedModel


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    write_files(tmp_path, {"a.md": "# 甲\n\n鲸鱼唱歌。", "notes/b.md": "# 乙\n\n灯塔。"})
    return tmp_path


async def filled(workspace: Path, *sources: str) -> Agent:
    agent = await open_agent(workspace, ScriptedModel(), {"rag_add": Policy.ALLOW})
    await agent.ingest(sources)
    await agent.wait_idle()
    await agent.close()
    return await open_agent(workspace, ScriptedModel(), resume=False)


async def test_a_sync_asks_nothing_and_is_told_like_an_ingest(workspace: Path) -> None:
    async with watching(await filled(workspace, "a.md", "notes")) as watcher:
        agent = watcher.agent
        write_files(workspace, {"a.md": "# 甲\n\n鲸鱼在夜里唱歌。"})
        (workspace / "notes" / "b.md").unlink()
        await agent.submit("/rag sync")
        await agent.wait_idle()
        shown = await snapshot(agent)
        lines = {entry.text: entry.level for entry in shown.chat}
        assert lines["[已更新：《甲》共 13 字符 / 1 块]"] is ev.Level.INFO
        [lost] = [text for text in lines if "来源已不存在" in text]
        assert lines[lost] is ev.Level.WARNING
        assert {(entry.name, entry.target, entry.summary) for entry in shown.tools} == {
            ("rag_sync", "a.md", "13 字"),
            ("rag_sync", "notes/b.md", "失败"),
        }
        assert shown.ingests == ()

        await agent.submit("/rag sync --prune 'notes/*'")
        await watcher.notice("[已移除：《乙》共 8 字符 / 1 块]")
        await agent.wait_idle()
        assert [document.source for document in (await snapshot(agent)).documents] == ["a.md"]
        await agent.submit("/rag sync nothing.md")
        assert (await watcher.notice("nothing.md")).text == "[知识库里没有 nothing.md]"
        await agent.sync()
        await watcher.notice("[没有变化：《甲》]")
        await agent.wait_idle()
        assert not watcher.all(ev.IngestReview)
        assert {event.result.state for event in watcher.all(ev.IngestEnded)} >= {
            IngestState.UPDATED,
            IngestState.REMOVED,
        }


async def test_documents_that_stayed_as_they_were_are_counted_only(workspace: Path) -> None:
    write_files(workspace, {f"many/{number}.md": f"第 {number} 篇" for number in range(LINES + 5)})
    async with watching(await filled(workspace, "a.md", "many")) as watcher:
        write_files(workspace, {"a.md": "# 甲\n\n鲸鱼在夜里唱歌。", "many/3.md": ""})
        await watcher.agent.submit("/rag sync")
        await watcher.agent.wait_idle()
        shown = await snapshot(watcher.agent)
        assert {(entry.target, entry.summary) for entry in shown.tools} == {
            ("a.md", "13 字"),
            ("many/3.md", "失败"),
        }
        told = [entry.text for entry in shown.chat if entry.role == "notice"]
        assert sorted(told) == [
            "[内容为空，未入库，原有内容保留：many/3.md]",
            f"[同步了 {LINES + 6} 个文档：更新 1，未变 {LINES + 4}，失败 1]",
            "[已更新：《甲》共 13 字符 / 1 块]",
        ]


async def test_a_sync_of_nothing(tmp_path: Path) -> None:
    async with watching(await open_agent(tmp_path, ScriptedModel())) as watcher:
        await watcher.agent.submit("/rag sync")
        await watcher.notice("[知识库还是空的，没有可以同步的文档]")


async def test_a_policy_can_forbid_it(workspace: Path) -> None:
    await (await filled(workspace, "a.md")).close()
    (workspace / "a.md").unlink()
    agent = await open_agent(workspace, ScriptedModel(), {"rag_add": Policy.DENY})
    async with watching(agent) as watcher:
        await agent.submit("/rag sync --prune")
        await watcher.notice("[设置里 rag_add 的策略是 deny，没有同步]")
        await agent.wait_idle()
        assert len((await snapshot(agent)).documents) == 1


async def test_a_removal_by_pattern_and_its_undoing(workspace: Path) -> None:
    many = {f"many/{number}.md": f"第 {number} 篇" for number in range(LINES + 5)}
    write_files(workspace, many)
    async with watching(await filled(workspace, "a.md", "many")) as watcher:
        agent = watcher.agent
        await agent.submit("/rag rm 'many/*'")
        shown = await snapshot(agent)
        assert [document.source for document in shown.documents] == ["a.md"]
        assert shown.chat[-1].text == "[还有 5 个，/rag undo 可恢复]"
        assert sum(entry.text.startswith("[已移除：") for entry in shown.chat) == LINES

        await agent.submit("/rag undo now")
        assert (await snapshot(agent)).chat[-1].text == "用法：/rag undo 恢复最近一次移除的文档"
        await agent.submit("/rag undo")
        shown = await snapshot(agent)
        assert {document.source for document in shown.documents} == {"a.md", *many}
        assert shown.chat[-1].text == "[还有 5 个]"
        assert sum(entry.text.startswith("[已恢复：") for entry in shown.chat) == LINES
        assert await agent.undo_remove() == []
        assert (await snapshot(agent)).chat[-1].text == "[没有可以恢复的移除]"
