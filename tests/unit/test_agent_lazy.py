"""Opening the agent loads nothing heavy: that waits for the first question or the first page."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
HEAVY = (
    "openai",
    "tantivy",
    "trafilatura",
    "lxml",
    "selectolax",
    "opencc",
    "snowballstemmer",
    "textual",
    "rich",
)

PROGRAM = f"""
import asyncio, sys
from pathlib import Path
from support.agents import open_agent
from support.scripted_model import ScriptedModel

async def main():
    agent = await open_agent(Path(sys.argv[1]), ScriptedModel())
    async with agent.subscribe(interactive=True) as events:
        await anext(events)
    await agent.submit("/rag")
    await agent.close()

asyncio.run(main())
print(sorted(set({HEAVY!r}) & set(sys.modules)))
"""


def test_opening_is_light(tmp_path: Path) -> None:
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("[]\n", "", 0)
