"""The whole agent with the real models: the offline one, and a client of a scripted server."""

from __future__ import annotations

import asyncio
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from geekagent_tui.agent import events as ev
from geekagent_tui.agent.ask import run_once
from geekagent_tui.agent.core import Agent
from geekagent_tui.agent.models.choose import choose_model
from geekagent_tui.agent.models.offline import OfflineModel
from geekagent_tui.config import Connection, Policy, load_config
from geekagent_tui.paths import Workspace
from support.agents import open_agent, snapshot, watching
from support.openai_server import Answer, OpenAIServer

NOTES = Path(__file__).parents[2] / "assets" / "notes"
QUESTION = "这套笔记里，历史压缩相关的触发阈值是多少？"
FREE = {"rag_add": Policy.ALLOW}


async def with_notes(agent: Agent) -> Agent:
    """The agent, when its knowledge base holds the sample notes."""
    await agent.ingest(["day5.html", "day9.html"])
    await agent.wait_idle()
    return agent


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    for name in ("day5.html", "day9.html"):
        shutil.copy(NOTES / name, tmp_path)
    return tmp_path


async def connected(folder: Path, server: OpenAIServer, key: str = "") -> Agent:
    """An agent whose model is on a server."""
    workspace = Workspace(folder)
    config = await asyncio.to_thread(load_config, workspace, {})
    config = replace(
        config,
        connection=Connection(server.base_url, "test-model", key),
        policies={**config.policies, **FREE},
        notices=(),
        secrets={key: "OPENAI_API_KEY"} if key else {},
    )
    return await with_notes(await Agent.open(workspace, config, choose_model(config)))


async def test_the_offline_model_quotes_the_material_with_a_citation_that_holds(workspace: Path) -> None:
    agent = await with_notes(await open_agent(workspace, OfflineModel(), FREE))
    async with watching(agent) as watcher:
        await agent.submit(QUESTION)
        assert (await watcher.until(ev.TurnFinished)).end is ev.TurnEnd.DONE
        entry = watcher.all(ev.ChatAdded)[-1].entry
        assert entry.offline
        assert "4000" in entry.text
        assert entry.citations
        for citation in entry.citations:
            assert citation.document_id is not None
            document = await agent.document(citation.document_id)
            assert document.document.title == "Day 5 学习笔记" or citation != entry.citations[0]
        tool = watcher.all(ev.ToolChanged)[-1].entry
        assert (tool.name, tool.target, tool.state) == ("rag_search", QUESTION, ev.ToolState.DONE)


@pytest.mark.parametrize(
    ("question", "tools", "part"),
    [
        ("你好", 0, "离线模型"),
        ("红烧肉怎么做才好吃？", 1, "没有回答这个问题"),
    ],
)
async def test_the_offline_model_knows_when_there_is_nothing(
    workspace: Path, question: str, tools: int, part: str
) -> None:
    agent = await with_notes(await open_agent(workspace, OfflineModel(), FREE))
    answer = await run_once(agent, question)
    await agent.close()
    assert part in answer.text
    assert len(answer.tools) == tools
    assert answer.citations == ()


async def test_an_empty_base_says_how_to_fill_it(workspace: Path) -> None:
    agent = await open_agent(workspace, OfflineModel())
    answer = await run_once(agent, QUESTION)
    await agent.close()
    assert "/rag add" in answer.text


async def test_a_server_searches_and_answers(workspace: Path) -> None:
    call = {"name": "rag_search", "arguments": json.dumps({"query": QUESTION}, ensure_ascii=False)}
    script = [Answer("我查一下。", [call]), Answer(["阈值是 4000", "《Day 5 学习笔记》第 1 段"])]
    async with OpenAIServer(script) as server:
        agent = await connected(workspace, server)
        async with watching(agent) as watcher:
            await agent.submit(QUESTION)
            assert (await watcher.until(ev.TurnFinished)).end is ev.TurnEnd.DONE
            entry = watcher.all(ev.ChatAdded)[-1].entry
            assert entry.text == "阈值是 4000《Day 5 学习笔记》第 1 段"
            assert not entry.offline
            (citation,) = entry.citations
            assert citation.document_id is not None
            assert (await snapshot(agent)).status.model == "test-model"
        first, second = (request.body["messages"] for request in server.requests)
    assert [message["role"] for message in first] == ["system", "user"]
    assert "《Day 5 学习笔记》" in first[1]["content"]  # recalled
    assert first[1]["content"].endswith(QUESTION)
    assert [message["role"] for message in second] == ["system", "user", "assistant", "tool"]
    assert "4000" in second[3]["content"]


async def test_an_interrupt_ends_the_request(workspace: Path) -> None:
    hold = asyncio.Event()
    async with OpenAIServer([Answer(["说到", "一半"], hold=hold), "好"]) as server:
        agent = await connected(workspace, server)
        async with watching(agent) as watcher:
            await agent.submit("你好")
            await watcher.until(ev.AnswerDelta)
            agent.interrupt()
            assert (await watcher.until(ev.TurnFinished)).end is ev.TurnEnd.INTERRUPTED
            async with asyncio.timeout(10):
                await server.left.wait()
            await agent.submit("谢谢")
            assert (await watcher.until(ev.TurnFinished)).end is ev.TurnEnd.DONE
        said = [message["content"] for message in server.requests[1].body["messages"][1:]]
    assert said[0] == "你好"
    assert said[1].startswith("说到")
    assert said[2] == "谢谢"


@pytest.mark.parametrize(
    "answer",
    [
        Answer(status=401, body='{"error": {"message": "Incorrect API key provided: sk-secret-123456"}}'),
        Answer(
            status=400, body='{"error": {"message": "context too long", "code": "context_length_exceeded"}}'
        ),
        Answer(["说到", "一半", "就", "断了"], quirks=["cut_off"]),
        Answer(body="<html>proxy</html>", content_type="text/html"),
    ],
)
async def test_a_failing_server_is_told_in_plain_words(workspace: Path, answer: Answer) -> None:
    async with OpenAIServer([answer, "好"]) as server:
        agent = await connected(workspace, server, "sk-secret-123456")
        async with watching(agent) as watcher:
            await agent.submit("你好")
            assert (await watcher.until(ev.TurnFinished)).end is ev.TurnEnd.FAILED
            notice = watcher.all(ev.ChatAdded)[-1].entry
            assert notice.text.startswith("请求失败：")
            assert notice.level is ev.Level.ERROR
            assert "sk-secret" not in notice.text
            await agent.submit("谢谢")
            assert (await watcher.until(ev.TurnFinished)).end is ev.TurnEnd.DONE


async def test_no_server_is_told_in_plain_words(workspace: Path) -> None:
    async with OpenAIServer([]) as server:
        pass
    server_gone = Connection("http://127.0.0.1:9/v1", "test-model")
    config = replace(await asyncio.to_thread(load_config, Workspace(workspace), {}), connection=server_gone)
    agent = await Agent.open(Workspace(workspace), config, choose_model(config))
    answer = await run_once(agent, "你好")
    await agent.close()
    assert answer.end is ev.TurnEnd.FAILED
    assert answer.error.startswith("请求失败：")
    assert "127.0.0.1:9" in answer.error
    assert server.requests == []


async def test_secrets_do_not_reach_the_model_or_the_log(workspace: Path) -> None:
    key = "sk-secret-123456"
    (workspace / "secret.md").write_text(f"钥匙是 {key} 请保密", encoding="utf-8")
    call = {"name": "rag_search", "arguments": json.dumps({"query": f"钥匙 {'x' * 185} {key}"})}
    async with OpenAIServer([Answer("", [call]), "好"]) as server:
        agent = await connected(workspace, server, key)
        await agent.ingest(["secret.md"])
        await agent.wait_idle()
        await run_once(agent, "钥匙是什么")
        tool = (await snapshot(agent)).tools[-1]
        await agent.close()
        assert "REDACTED" in server.requests[0].body["messages"][1]["content"]  # recalled
        assert key not in json.dumps(server.requests[0].body)
        assert key not in json.dumps(server.requests[1].body["messages"][-1])
    assert "钥匙是 [REDACTED:OPENAI_API_KEY] 请保密" in tool.result
    assert key[:8] not in repr(tool)  # neither whole nor cut
    (file,) = (workspace / ".geekagent" / "sessions").glob("*.jsonl")
    recalled = [line for line in file.read_text("utf-8").splitlines() if '"type": "recalled"' in line]
    assert recalled
    assert not any(key in line for line in recalled)
