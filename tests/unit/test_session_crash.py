"""`kill -9` in the middle of an answer: what was said is there afterwards."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from geekagent_tui.agent.messages import AssistantMessage, UserMessage
from support.agents import PATIENCE, open_agent, snapshot
from support.scripted_model import ScriptedModel

ROOT = Path(__file__).parents[2]


@pytest.fixture
async def killed(tmp_path: Path) -> Path:
    """The workspace of an agent that was killed while it answered."""
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")])
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "support.hanging_agent", str(tmp_path), env={**os.environ, "PYTHONPATH": path}
    )
    try:
        async with asyncio.timeout(PATIENCE):
            while "一半" not in _session(tmp_path) or "queued" not in _session(tmp_path):
                await asyncio.sleep(0.02)
    finally:
        process.kill()
        await process.wait()
    return tmp_path


def _session(workspace: Path) -> str:
    files = workspace.glob(".geekagent/sessions/*.jsonl")
    return "".join(file.read_text(encoding="utf-8") for file in files)


async def test_what_was_said_survives_a_kill(killed: Path) -> None:
    model = ScriptedModel()
    agent = await open_agent(killed, model)
    shown = await snapshot(agent)
    assert [(entry.role, entry.text, entry.interrupted) for entry in shown.chat] == [
        ("user", "一", False),
        ("assistant", "第一个回答", False),
        ("user", "二", False),
        ("assistant", "第二个回答说到一半", True),
        ("notice", "上次退出时还没有发送：三", False),
    ]
    assert [entry.name for entry in shown.tools] == ["get_current_time"]
    await agent.submit("三")
    await agent.wait_idle()
    await agent.close()
    assert model.requests[0].messages[-2:] == (
        AssistantMessage("第二个回答说到一半", interrupted=True),
        UserMessage("三"),
    )
