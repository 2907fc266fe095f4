"""A program in the middle of everything until it is killed: `python -m support.hanging_agent FOLDER`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from geekagent_tui.agent.messages import ToolCall
from support.agents import open_agent
from support.scripted_model import ScriptedModel


async def main(folder: Path) -> None:
    """Answer one question, begin a second answer, and hang with a third question waiting."""
    model = ScriptedModel(
        [
            [ToolCall("c1", "get_current_time", "{}")],
            ["第一个回答"],
            ["第二个回答说到", "一半", asyncio.Event()],
        ]
    )
    agent = await open_agent(folder, model)
    for question in ("一", "二", "三"):
        await agent.submit(question)
    await agent.wait_idle()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
