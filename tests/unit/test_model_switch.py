"""Finding models and switching between them, and that a key never leaves its own server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from geekagent_tui.agent import events as ev
from geekagent_tui.agent.core import Agent
from geekagent_tui.agent.messages import UserMessage
from geekagent_tui.agent.models import discovery, probe
from geekagent_tui.agent.models.choose import choose_model
from geekagent_tui.agent.models.discovery import Local, discover
from geekagent_tui.agent.models.switch import Models, UnknownModelError
from geekagent_tui.config import Config, Connection, load_config
from geekagent_tui.paths import Workspace
from support.agents import snapshot, watching
from support.openai_server import OpenAIServer
from support.scripted_model import ScriptedModel

KEY = "sk-profile-0123456789"
MODELS = {"object": "list", "data": [{"id": "qwen3:8b"}, {"id": "llama3"}]}
PAGES: dict[str, dict[str, Any]] = {
    "Ollama": {
        "/v1/models": MODELS,
        "/api/version": {"version": "0.12.0"},
        "/api/ps": {"models": [{"name": "qwen3:8b", "model": "qwen3:8b", "context_length": 4096}]},
    },
    "LM Studio": {
        "/v1/models": MODELS,
        "/api/v0/models": {
            "data": [
                {"id": "qwen3:8b", "state": "loaded", "loaded_context_length": 8192, "max_context_length": 1},
                {"id": "llama3", "state": "not-loaded", "max_context_length": 131072},
            ]
        },
    },
    "llama.cpp": {
        "/v1/models": {"data": [{"id": "model.gguf"}]},
        "/props": {"default_generation_settings": {"n_ctx": 2048}},
    },
    "vLLM": {"/v1/models": {"data": [{"id": "Qwen/Qwen3-8B", "max_model_len": 40960}]}},
}


@asynccontextmanager
async def local(kind: str) -> AsyncIterator[tuple[Local, OpenAIServer]]:
    async with OpenAIServer([]) as server:
        server.pages.update(PAGES[kind])
        yield Local(kind, server.port), server


# --- discovery ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        ("Ollama", [("qwen3:8b", 4096, True), ("llama3", None, False)]),
        ("LM Studio", [("qwen3:8b", 8192, True), ("llama3", 131072, False)]),
        ("llama.cpp", [("model.gguf", 2048, True)]),
        ("vLLM", [("Qwen/Qwen3-8B", 40960, None)]),
    ],
)
async def test_each_kind_of_server_is_found(
    kind: str, found: list[tuple[str, int | None, bool | None]]
) -> None:
    async with local(kind) as (here, server):
        choices = await discover([], [here])
        assert [(choice.name, choice.context_window, choice.running) for choice in choices] == found
        assert {(choice.server, choice.base_url) for choice in choices} == {(kind, server.base_url)}
        assert not any("authorization" in request.headers for request in server.asked)


async def test_every_server_is_asked_at_once_and_slow_ones_are_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(probe, "PATIENCE", 2.0)
    monkeypatch.setattr(discovery, "PATIENCE", 2.0)
    async with OpenAIServer([]) as slow, local("vLLM") as (here, _server):
        slow.pages["/v1/models"] = asyncio.Event()
        configured = Connection(slow.base_url, "m", KEY, profile="slow")
        choices = await discover([configured], [here])
    assert [(choice.name, choice.server) for choice in choices] == [("m", "slow"), ("Qwen/Qwen3-8B", "vLLM")]
    assert choices[0].problem
    assert KEY not in choices[0].problem
    assert not choices[1].problem


@pytest.mark.parametrize(
    "page", ["<html>login</html>", '{"data": 3}', "[1]", '{"data": [{"id": 7}, 8]}', "[" * 10**5]
)
async def test_servers_that_answer_nonsense_are_no_trouble(page: str) -> None:
    async with OpenAIServer([]) as server:
        server.pages["/v1/models"] = page
        choices = await discover([Connection(server.base_url, "m", profile="p")], [])
    assert [choice.name for choice in choices] == ["m"]


@pytest.mark.parametrize("key", ["sk-密钥", "sk-a b", "sk-secret\nb"])
async def test_a_key_that_no_header_can_hold_is_not_shown(key: str) -> None:
    async with OpenAIServer([]) as server:
        (choice,) = await discover([Connection(server.base_url, "m", key)], [])
    assert "OPENAI_API_KEY" in choice.problem
    assert "sk-" not in choice.problem
    assert server.connections == 0


async def test_a_configured_local_server_is_listed_once_with_its_own_model() -> None:
    async with local("Ollama") as (here, server):
        configured = Connection(server.base_url, "other", KEY, profile="home", context_window=9000)
        choices = await discover([configured], [here])
        assert [(choice.name, choice.profile, choice.context_window) for choice in choices] == [
            ("other", "home", 9000),
            ("qwen3:8b", "home", 4096),
            ("llama3", "home", None),
        ]
        assert {request.headers["authorization"] for request in server.asked} == {f"Bearer {KEY}"}


# --- switching ----------------------------------------------------------------------------------------


async def config_for(
    folder: Path, connection: Connection | None = None, **profiles: Connection
) -> tuple[Workspace, Config]:
    folder.mkdir(exist_ok=True)
    workspace = Workspace(folder)
    config = await asyncio.to_thread(load_config, workspace, {})
    return workspace, replace(config, connection=connection, profiles=profiles, notices=())


async def opened(workspace: Workspace, config: Config) -> Agent:
    return await Agent.open(workspace, config, choose_model(config))


async def said(agent: Agent, line: str) -> str:
    await agent.submit(line)
    return (await snapshot(agent)).chat[-1].text


async def test_model_lists_and_switches_and_the_session_keeps_it(tmp_path: Path) -> None:
    async with OpenAIServer([]) as first, OpenAIServer(["二"]) as second:
        first.pages["/v1/models"] = {"data": [{"id": "one"}, {"id": "uno"}]}
        second.pages["/v1/models"] = {"data": [{"id": "two", "max_model_len": 5000}]}
        other = Connection(second.base_url, "two", KEY, profile="other", context_window=5000)
        workspace, config = await config_for(
            tmp_path, Connection(first.base_url, "one", "sk-first-000000", "环境变量"), other=other
        )
        async with watching(await opened(workspace, config)) as watcher:
            agent = watcher.agent
            text = await said(agent, "/model")
            assert text.splitlines()[1] == "* one  环境变量 · 上下文 64000"
            assert "  uno  环境变量" in text.splitlines()
            assert "  two  other · 上下文 5000" in text.splitlines()
            assert "  offline  离线模型" in text.splitlines()
            assert await said(agent, "/model other") == "（已换用模型 two，other）"
            await agent.submit("问")
            await watcher.until(ev.TurnFinished)
            status = (await snapshot(agent)).status
            assert (status.model, status.context_window, status.offline) == ("two", 5000, False)
            current = [choice for choice in await agent.models() if choice.current]
            assert [choice.name for choice in current] == ["two"]
        (request,) = second.requests
        assert request.headers["authorization"] == f"Bearer {KEY}"
        assert all("sk-first" not in str(asked.headers) for asked in second.asked)
        assert all(KEY not in str(asked.headers) for asked in first.asked)

        async with watching(await opened(workspace, config)) as watcher:
            assert (await snapshot(watcher.agent)).status.model == "two"
            assert await said(watcher.agent, "/model uno") == "（已换用模型 uno，环境变量）"
            assert await said(watcher.agent, "/model offline") == "（已换用模型 offline，离线模型）"
            assert (await snapshot(watcher.agent)).status.offline
            await said(watcher.agent, "/new other")
            assert "没有找到模型或配置 nothing" in await said(watcher.agent, "/model nothing")
            assert (await snapshot(watcher.agent)).status.offline
        stored = "".join(file.read_text("utf-8") for file in workspace.sessions.glob("*.jsonl"))
        assert KEY not in stored


async def test_a_server_that_lists_nothing_takes_any_name(tmp_path: Path) -> None:
    async with OpenAIServer([]) as server:
        workspace, config = await config_for(tmp_path, Connection(server.base_url, "one", place="环境变量"))
        async with watching(await opened(workspace, config)) as watcher:
            await said(watcher.agent, "/model 新的")
            assert (await snapshot(watcher.agent)).status.model == "新的"


async def test_the_front_end_chooses(tmp_path: Path) -> None:
    workspace, config = await config_for(
        tmp_path, home=Connection("http://127.0.0.1:9/v1", "m", profile="home")
    )
    async with watching(await opened(workspace, config)) as watcher:
        choice = next(choice for choice in await watcher.agent.models() if choice.profile == "home")
        assert choice.problem
        await watcher.agent.use_model(choice)
        await watcher.until(ev.StatusChanged, lambda event: event.status.model == "m")
        stranger = ev.ModelChoice("m", "x", "http://stranger.invalid/v1")
        with pytest.raises(UnknownModelError):
            await watcher.agent.use_model(stranger)


async def test_a_session_can_not_lead_the_conversation_to_a_stranger(tmp_path: Path) -> None:
    async with OpenAIServer([]) as stranger:
        workspace, config = await config_for(
            tmp_path, Connection("http://127.0.0.1:9/v1", "mine", KEY, "环境变量")
        )
        agent = await opened(workspace, config)
        await agent.submit("/memory")
        await agent.wait_idle()
        await agent.close()
        (file,) = await asyncio.to_thread(lambda: list(workspace.sessions.glob("*.jsonl")))
        chosen = {
            "type": "model",
            "name": "m",
            "profile": "",
            "base_url": stranger.base_url,
            "context_window": None,
        }
        with file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(chosen) + "\n")
        agent = await opened(workspace, config)
        shown = await snapshot(agent)
        await agent.close()
        assert shown.status.model == "mine"
        assert stranger.base_url in shown.chat[-1].text
        assert stranger.connections == 0


def test_a_key_belongs_to_its_address(tmp_path: Path) -> None:
    own = Connection("https://a.example/v1", "a", KEY, "环境变量")
    models = Models(Config(own, tmp_path, {}), choose_model(Config(own, tmp_path, {})))
    for url in ("https://a.example.evil/v1", "https://a.example/v1/", "http://a.example/v1"):
        with pytest.raises(UnknownModelError):
            models.use(ev.ModelChoice("m", "", url))


async def test_a_model_that_was_left_is_closed_once_it_has_answered(tmp_path: Path) -> None:
    go_on = asyncio.Event()
    first = ScriptedModel([["说到", go_on, "一半"]])
    models = Models(Config(None, tmp_path, {}), first)
    stream = models.stream("", [UserMessage("问")], ())
    said = [await anext(stream)]
    models.use(ev.ModelChoice("offline", ""))
    assert models.offline
    await asyncio.sleep(0)
    assert not first.closed
    go_on.set()
    said += [event async for event in stream]
    await models.close()
    assert len(said) > 1
    assert first.closed
