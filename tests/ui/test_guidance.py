"""What the model follows, and what a sub-agent does, can be seen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from geekagent_tui.agent import events as ev
from support.pilot import NOW, EventSource, running, screen_text, shows, wait_until


async def test_the_status_line_tells_the_skill_and_the_instructions() -> None:
    core = EventSource()
    async with running(core.open) as pilot:
        assert "技能" not in screen_text(pilot.app).splitlines()[0]
        core.status = replace(core.status, skill="explore", instructions=("AGENTS.md",))
        core.publish(ev.StatusChanged(core.status))
        await wait_until(pilot, shows(pilot, "技能 explore", "指令 1"))
        core.status = replace(core.status, skill="")
        core.publish(ev.StatusChanged(core.status))
        await wait_until(pilot, lambda: "技能" not in screen_text(pilot.app).splitlines()[0])


@pytest.mark.parametrize("size", [(140, 40), (80, 24)])
async def test_a_sub_agents_steps_are_marked(size: tuple[int, int]) -> None:
    core = EventSource()
    async with running(core.open, size=size) as pilot:
        await pilot.press("f3")
        core.publish(ev.ToolChanged(ev.ToolEntry("c1", "delegate_task", "读笔记", "{}", NOW)))
        core.publish(ev.ToolChanged(ev.ToolEntry("c1/1", "read", "a.md", "{}", NOW, parent="c1")))
        await wait_until(pilot, shows(pilot, "↳ read", "delegate_task"))
        assert "↳ delegate_task" not in screen_text(pilot.app)
