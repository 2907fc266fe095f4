"""Whatever is done with sessions, in any order and over restarts: each holds what was said in it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from geekagent_tui.agent.core import Agent
from support.agents import open_agent, snapshot
from support.scripted_model import ScriptedModel

Talk = list[str]
Operation = tuple[str, int]

OPERATION: st.SearchStrategy[Operation] = st.tuples(
    st.sampled_from(
        ["ask", "ask", "ask", "new", "fork", "fork to", "edit", "open", "reset", "rename", "restart"]
    ),
    st.integers(0, 5),
)


class Model:
    """What the sessions should hold: questions and answers by session, and which one is open."""

    def __init__(self, session: str) -> None:
        self.talks: dict[str, Talk] = {session: []}
        self.titles: dict[str, str] = {}
        self.current = session

    @property
    def talk(self) -> Talk:
        return self.talks[self.current]

    @property
    def asked(self) -> int:
        return len(self.talk) // 2

    def branch(self, session: str, questions: int) -> None:
        """A copy with the first questions becomes the open session."""
        assert session not in self.talks
        self.talks[session] = self.talk[: 2 * questions]
        if self.current in self.titles:
            self.titles[session] = self.titles[self.current]
        self.current = session


class Run:
    """The agent and the model side by side."""

    def __init__(self, folder: Path, agent: Agent, model: Model) -> None:
        self.folder = folder
        self.agent = agent
        self.model = model
        self.count = 0

    async def do(self, operation: Operation) -> None:
        name, number = operation
        self.count += 1
        model = self.model
        match name:
            case "ask":
                question = f"问题 {self.count}"
                await self.agent.submit(question)
                await self.agent.wait_idle()
                model.talk.extend([question, "好的。"])
            case "new":
                await self.agent.submit(f"/new s{self.count}")
                model.current = f"s{self.count}"
                model.talks[model.current] = []
            case "fork":
                await self.agent.submit("/fork")
                model.branch(await self.session(), model.asked)
            case "fork to" if model.asked:
                chosen = 1 + number % model.asked
                await self.agent.submit(f"/fork {chosen}")
                # A name given later than that is no part of the copy.
                model.branch(await self.session(), chosen)
                model.titles[model.current] = await self.title()
            case "edit" if model.asked:
                chosen = 1 + number % model.asked
                await self.agent.submit(f"/edit {chosen}")
                model.branch(await self.session(), chosen - 1)
            case "open":
                model.current = sorted(model.talks)[number % len(model.talks)]
                await self.agent.submit(f"/open {model.current}")
            case "reset":
                await self.agent.submit("/reset")
                model.talk.clear()
            case "rename":
                await self.agent.submit(f"/rename 名称 {self.count}")
                model.titles[model.current] = f"名称 {self.count}"
            case "restart":
                await self.agent.close()
                self.agent = await open_agent(self.folder, ScriptedModel())
            case _:
                pass
        await self.check()

    async def check(self) -> None:
        assert await self.session() == self.model.current
        chat = (await snapshot(self.agent)).chat
        talk = [e.text for e in chat if e.role != "notice" and not e.text.startswith("/")]
        assert talk == self.model.talk

    async def session(self) -> str:
        return (await snapshot(self.agent)).status.session

    async def title(self) -> str:
        """The open session's name in words, as `/sessions` tells it."""
        await self.agent.submit("/sessions")
        listing = (await snapshot(self.agent)).chat[-1].text
        (line,) = [line for line in listing.split("\n") if line.startswith("* ")]
        return line.partition("消息）")[2].split(" · ")[0].strip()

    async def check_all(self) -> None:
        """The list, but for what holds nothing of its own, and every session when it is opened."""
        await self.agent.submit("/sessions")
        listing = (await snapshot(self.agent)).chat[-1].text.split("\n")[1:]
        expected = [
            f"{'*' if name == self.model.current else ' '} {name}（{len(talk)} 条消息）"
            f" {self.model.titles.get(name, '')}".rstrip()
            for name, talk in sorted(self.model.talks.items())
        ]
        listed = [line.split(" · ")[0] for line in listing if not line.startswith("（另有 ")]
        assert listed == [line for line in expected if line in listed]
        assert [line[0] for line in listed].count("*") == 1
        for place in range(len(self.model.talks)):
            await self.do(("open", place))


async def run(operations: Sequence[Operation]) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        agent = await open_agent(folder, ScriptedModel())
        running = Run(folder, agent, Model((await snapshot(agent)).status.session))
        try:
            await agent.submit("/queue")  # the session has a file from here on
            for operation in operations:
                await running.do(operation)
            await running.check_all()
        finally:
            await running.agent.close()


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(OPERATION, max_size=12))
def test_sessions_hold_what_was_said_in_them(operations: list[Operation]) -> None:
    asyncio.run(run(operations))
