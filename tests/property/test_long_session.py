"""Five hundred turns of every kind: a strict server takes every request, and none is over the window."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest

from geekagent_tui.agent import events as ev
from geekagent_tui.agent.core import Agent
from geekagent_tui.config import Policy
from support.agents import open_agent, snapshot
from support.strict import WildModel

TURNS = 500
COMMANDS = ["/compact", "/compact", "/retry", "/retry", "/reset", "/new s{turn}"]


@pytest.mark.timeout(300)
@pytest.mark.parametrize("seed", [1, 2])
async def test_a_long_session_stays_valid(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    model = WildModel(chance)
    agent = await open_agent(tmp_path, model, {"memory_write": Policy.ASK})
    reader = asyncio.create_task(_front_end(agent, chance))
    for turn in range(TURNS):
        question = chance.choice(["问？", "说说看。" * chance.randrange(1, 60), f"第 {turn} 问"])
        await agent.submit(question)
        if chance.random() < 0.2:
            await agent.submit(chance.choice(COMMANDS).format(turn=turn))
        if chance.random() < 0.5:
            await agent.wait_idle()
    await agent.wait_idle()
    for held in agent.queued():
        agent.unqueue(held.key)
    before = await snapshot(agent)
    await agent.close()
    compactions = [entry for entry in await reader if entry.text.startswith("[历史压缩：") and entry.details]

    assert model.problems == []
    assert model.asked > TURNS
    assert len(compactions) > 10
    assert model.longest < 1.5 * model.context_window

    again = WildModel(chance)
    agent = await open_agent(tmp_path, again)
    after = await snapshot(agent)
    assert (after.chat, after.tools) == (before.chat, before.tools)
    assert after.status.context_tokens == before.status.context_tokens
    await agent.close()


async def _front_end(agent: Agent, chance: random.Random) -> list[ev.ChatEntry]:
    """Answer what is asked, press Esc now and then, and always when nothing moves; gives the notices."""
    notices: list[ev.ChatEntry] = []
    async with agent.subscribe(interactive=True) as events:
        while True:
            try:
                event = await asyncio.wait_for(anext(events), 0.1)
            except TimeoutError:
                agent.interrupt()
                continue
            except StopAsyncIteration:
                return notices
            if isinstance(event, ev.PermissionReview):
                agent.answer(event.request_id, ev.PermissionDecision(allow=chance.random() < 0.7))
            if isinstance(event, ev.ChatAdded) and event.entry.role == "notice":
                notices.append(event.entry)
            if chance.random() < 0.02:
                agent.interrupt()
