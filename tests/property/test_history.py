"""However a session goes, a strict server takes every request, and the file tells the same story."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from geekagent_tui.agent import events as ev
from geekagent_tui.agent.core import Agent
from geekagent_tui.agent.messages import ToolCall
from geekagent_tui.agent.models.base import ModelError
from geekagent_tui.config import Policy
from support.agents import open_agent, snapshot
from support.scripted_model import ScriptedModel, Step, history_problem

TOOLS = ["get_current_time", "memory_write", "memory_search", "rag_search", "nothing", ""]
CALL = st.builds(
    ToolCall,
    st.sampled_from(["", "call_0", "call_1", "x"]),
    st.sampled_from(TOOLS),
    st.sampled_from(["", "{", '{"content": "记住"}', '{"query": "什么"}']),
)
STEP: st.SearchStrategy[Step] = st.one_of(
    st.text("说话\n 。", min_size=1, max_size=4),
    CALL,
    st.sampled_from([ModelError("断了")]),
    st.builds(RuntimeError, st.just("坏了")),
)
ANSWER = st.lists(STEP, max_size=5)


@given(st.lists(ANSWER, min_size=1, max_size=8), st.integers(0, 2**32), st.booleans())
@settings(max_examples=60, deadline=None)
def test_history_is_always_valid(script: list[list[Step]], seed: int, refuse: bool) -> None:
    asyncio.run(_session(script, random.Random(seed), refuse))


async def _session(script: list[list[Step]], chance: random.Random, refuse: bool) -> None:
    with TemporaryDirectory() as name:
        model = ScriptedModel(list(script))
        agent = await open_agent(Path(name), model, {"get_current_time": Policy.ASK})
        reader = asyncio.create_task(_front_end(agent, chance, refuse))
        for turn in range(4):
            await agent.submit(f"第 {turn} 问")
            if chance.random() < 0.3:
                await agent.submit("/reset")
        await agent.wait_idle()
        for held in agent.queued():
            agent.unqueue(held.key)
        before = await snapshot(agent)
        await agent.close()
        await reader
        _check(model)

        again = ScriptedModel()
        agent = await open_agent(Path(name), again)
        after = await snapshot(agent)
        assert (after.chat, after.tools) == (before.chat, before.tools)
        await agent.submit("最后一问")
        await agent.wait_idle()
        await agent.close()
        _check(again)


async def _front_end(agent: Agent, chance: random.Random, refuse: bool) -> None:
    """Answer what is asked, and press Esc now and then."""
    async with agent.subscribe(interactive=True) as events:
        async for event in events:
            if isinstance(event, ev.PermissionReview):
                agent.answer(event.request_id, ev.PermissionDecision(allow=not refuse))
            if chance.random() < 0.15:
                agent.interrupt()


def _check(model: ScriptedModel) -> None:
    assert [history_problem(request.messages) for request in model.requests] == [""] * len(model.requests)
