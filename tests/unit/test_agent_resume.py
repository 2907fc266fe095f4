"""An ingest whose process was killed goes on when a front end opens the agent again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from geekagent_tui.agent import events as ev
from geekagent_tui.agent.messages import ToolCall
from geekagent_tui.config import Policy
from support.agents import open_agent, snapshot, watching
from support.bases import PATIENCE, rag_folder, start_program, write_files
from support.pages import PageServer, Reply, silence
from support.scripted_model import ScriptedModel

ADD = """
import asyncio, sys
from geekagent_tui.rag.model import IngestFinished
from geekagent_tui.rag.service import RagService

def tell(event):
    if isinstance(event, IngestFinished):
        print(event.result.source, flush=True)

async def main(workspace, *sources):
    async with await RagService.open(workspace) as rag:
        await rag.add(sources, tell, tags=["海"])

asyncio.run(main(*sys.argv[1:]))
"""
PAGE = Reply(f"<title>页</title><main><h1>页</h1><p>{'鲸鱼在夜里唱歌。' * 30}</p></main>".encode())


@pytest.fixture
async def killed(tmp_path: Path) -> AsyncIterator[tuple[Path, PageServer]]:
    """A workspace whose ingest was killed with one file added and a page left."""
    workspace = tmp_path / "work"
    write_files(workspace, {"a.md": "# 甲\n\n鲸鱼唱歌。"})
    async with PageServer({"/slow": silence}) as server:
        process = await start_program(ADD, str(workspace), "a.md", f"{server.url}/slow")
        assert process.stdout is not None
        async with asyncio.timeout(PATIENCE):
            assert (await process.stdout.readline()).decode().strip() == "a.md"
            while "/slow" not in server.requests:
                await asyncio.sleep(0.01)
            process.kill()
            await process.communicate()
        server.pages["/slow"] = PAGE
        yield workspace, server


async def test_it_goes_on_with_what_is_left(killed: tuple[Path, PageServer]) -> None:
    workspace, server = killed
    async with watching(await open_agent(workspace, ScriptedModel())) as watcher:
        await watcher.agent.wait_idle()
        shown = await snapshot(watcher.agent)
        assert "[上次采集被中断，继续处理剩余 1 个来源]" in [entry.text for entry in shown.chat]
        assert {document.source: document.tags for document in shown.documents} == {
            "a.md": ("海",),
            f"{server.url}/slow": ("海",),
        }
        assert [entry.target for entry in shown.tools] == [f"{server.url}/slow"]
        assert not watcher.all(ev.IngestReview)
    again = await open_agent(workspace, ScriptedModel(), resume=False)
    assert len((await snapshot(again)).chat) == 0
    await again.close()


async def test_what_dies_meanwhile_is_finished_by_the_next_ingest(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": "# 甲\n\n鲸鱼唱歌。"})
    agent = await open_agent(tmp_path, ScriptedModel(), {"rag_add": Policy.ALLOW})
    async with watching(agent) as watcher, PageServer({"/slow": silence}) as server:
        process = await start_program(ADD, str(tmp_path), f"{server.url}/slow")
        async with asyncio.timeout(PATIENCE):
            while "/slow" not in server.requests:
                await asyncio.sleep(0.01)
            process.kill()
            await process.communicate()
        server.pages["/slow"] = PAGE
        await agent.submit("/rag add a.md")
        await watcher.notice("[上次采集被中断，继续处理剩余 1 个来源]")
        await agent.wait_idle()
        sources = {document.source for document in (await snapshot(agent)).documents}
        assert sources == {"a.md", f"{server.url}/slow"}


async def test_a_policy_forgets_it(killed: tuple[Path, PageServer]) -> None:
    workspace, server = killed
    asked = len(server.requests)
    async with watching(await open_agent(workspace, ScriptedModel(), {"rag_add": Policy.DENY})) as watcher:
        await watcher.agent.wait_idle()
        [told] = (await snapshot(watcher.agent)).chat
        assert told.text == "[上次采集被中断；设置里 rag_add 的策略是 deny，不再继续]"
    async with watching(await open_agent(workspace, ScriptedModel())) as watcher:
        await watcher.agent.wait_idle()
        assert len((await snapshot(watcher.agent)).documents) == 1
    assert len(server.requests) == asked


async def test_a_single_question_leaves_it_alone(killed: tuple[Path, PageServer]) -> None:
    workspace, server = killed
    asked = len(server.requests)
    agent = await open_agent(workspace, ScriptedModel(), resume=False)
    await agent.wait_idle()
    assert (await snapshot(agent)).chat == ()
    await agent.close()
    assert len(server.requests) == asked
    assert len(list((rag_folder(workspace) / "queue").iterdir())) == 1


@pytest.mark.parametrize("by", ["user", "model"])
@pytest.mark.parametrize("way", ["quit", "stopped, then quit"])
async def test_quitting_leaves_a_running_batch_for_the_next_start(tmp_path: Path, way: str, by: str) -> None:
    write_files(tmp_path, {"a.md": "# 甲\n\n鲸鱼唱歌。"})
    async with PageServer({"/slow": silence}) as server:
        policies = {"rag_add": Policy.ALLOW}
        slow = f"{server.url}/slow"
        add = ToolCall("a", "rag_add", json.dumps({"source": slow}))
        model = ScriptedModel([[add], ["好"]])
        async with watching(await open_agent(tmp_path, model, policies)) as watcher:
            await watcher.agent.ingest(["a.md", *([slow] if by == "user" else [])])
            await watcher.until(ev.IngestEnded)
            if by == "model":
                await watcher.agent.submit("加")
            async with asyncio.timeout(PATIENCE):
                while "/slow" not in server.requests:
                    await asyncio.sleep(0.01)
            if way != "quit":
                for _time in range(5):  # a second time must not break off what the first one began
                    watcher.agent.cancel_ingest()
                    watcher.agent.interrupt()
                    await asyncio.sleep(0)
                await watcher.agent.wait_idle()
                assert (await snapshot(watcher.agent)).ingests == ()
        server.pages["/slow"] = PAGE
        async with watching(await open_agent(tmp_path, ScriptedModel(), policies)) as watcher:
            await watcher.agent.wait_idle()
            found = {document.source for document in (await snapshot(watcher.agent)).documents}
            assert found == {"a.md", *([slow] if way == "quit" else [])}
