"""The status tells how far dense retrieval is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from geekagent_tui.agent import embedding
from geekagent_tui.agent import events as ev
from geekagent_tui.agent.core import Agent
from geekagent_tui.config import Embeddings, Policy, load_config
from geekagent_tui.paths import Workspace
from geekagent_tui.rag.model import DenseStatus
from support.agents import open_agent, snapshot, watching
from support.bases import write_files
from support.scripted_model import ScriptedModel
from support.vector_server import Reply, VectorServer

pytest.importorskip("numpy", reason="dense retrieval is an extra")


async def test_it_is_told_until_all_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "PAUSE", 0.01)
    monkeypatch.setattr(embedding, "LONG_PAUSE", 0.01)
    write_files(tmp_path, {"a.md": "# Whale\n\nThe whale sings.", "b.md": "# Bread\n\nThe bread is hot."})
    async with VectorServer() as server:
        await (await filled(tmp_path)).close()
        async with watching(await dense_agent(tmp_path, server)) as watcher:
            done = DenseStatus("things", 2, 2)
            if (await snapshot(watcher.agent)).status.dense != done:
                await watcher.until(ev.StatusChanged, lambda event: event.status.dense == done)
            server.always = Reply(status=500)
            write_files(tmp_path, {"c.md": "# Winter\n\nThe winter is long."})
            await watcher.agent.ingest(["c.md"])
            told = await watcher.until(ev.StatusChanged, lambda event: _problem(event) != "")
            assert told.status.dense is not None
            assert (told.status.dense.embedded, told.status.dense.passages) == (2, 3)
            await watcher.agent.wait_idle()


async def test_nothing_is_told_when_it_is_off(tmp_path: Path) -> None:
    agent = await open_agent(tmp_path, ScriptedModel())
    assert (await snapshot(agent)).status.dense is None
    await agent.close()


async def filled(workspace: Path) -> Agent:
    agent = await open_agent(workspace, ScriptedModel(), {"rag_add": Policy.ALLOW})
    await agent.ingest(["a.md", "b.md"])
    await agent.wait_idle()
    return agent


async def dense_agent(workspace: Path, server: VectorServer) -> Agent:
    config = load_config(Workspace(workspace), {})
    policies = {**config.policies, "rag_add": Policy.ALLOW}
    dense = Embeddings("things", server.base_url, "secret", 0)
    config = replace(config, policies=policies, notices=(), dense=dense)
    return await Agent.open(Workspace(workspace), config, ScriptedModel())


def _problem(event: ev.StatusChanged) -> str:
    return event.status.dense.problem if event.status.dense else ""
