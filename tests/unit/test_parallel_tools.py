"""Calls that only read run at once, others one after another, and results keep the order of the calls."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from geekagent_tui.agent import events as ev
from geekagent_tui.agent.blocking import finished
from geekagent_tui.agent.conversation import Conversation
from geekagent_tui.agent.journal import Journal, now
from geekagent_tui.agent.messages import ToolCall, ToolMessage
from geekagent_tui.agent.models.base import ToolSpec
from geekagent_tui.agent.permissions import Desk, Permissions
from geekagent_tui.agent.records import AssistantSaid
from geekagent_tui.agent.sessions import Sessions
from geekagent_tui.agent.tools.base import Arguments, Outcome
from geekagent_tui.agent.tools.registry import Tools
from geekagent_tui.config import Policy


@dataclass
class Probe:
    """A tool that waits for a number of calls to be running before it ends."""

    spec: ToolSpec
    log: list[str]
    together: int = 1
    asks_itself: bool = False
    guarded: bool = False
    running: int = 0
    most: int = 0
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    def target(self, arguments: Arguments) -> str:
        return ""

    async def run(self, arguments: Arguments) -> Outcome:
        self.log.append(f"+{arguments['n']}")
        async with self.changed:
            self.running += 1
            self.most = max(self.most, self.running)
            self.changed.notify_all()
            await self.changed.wait_for(lambda: self.most >= self.together)
        self.log.append(f"-{arguments['n']}")
        self.running -= 1
        return Outcome(str(arguments["n"]))


def spec(name: str, *, read_only: bool) -> ToolSpec:
    return ToolSpec(name, "", {"type": "object"}, read_only=read_only)


@dataclass
class Bench:
    tools: Tools
    journal: Journal
    reader: Probe
    writer: Probe
    log: list[str]
    events: list[ev.Event]

    def answers(self) -> list[str]:
        messages = self.journal.conversation.messages
        return [message.content for message in messages if isinstance(message, ToolMessage)]

    def begin(self, *names: str) -> list[ToolCall]:
        calls = [ToolCall(f"c{n}", name, f'{{"n": {n}}}') for n, name in enumerate(names)]
        self.journal.record(AssistantSaid(1, "", now(), tuple(calls)))
        return calls


@pytest.fixture
def bench(tmp_path: Path) -> Callable[..., Bench]:
    def make(*, together: int = 1, read: Policy = Policy.ALLOW) -> Bench:
        log: list[str] = []
        events: list[ev.Event] = []
        file = Sessions(tmp_path / "sessions").begin()
        journal = Journal(file, Conversation(file.session), events.append, offline=lambda: False)
        reader = Probe(spec("look", read_only=True), log, together)
        writer = Probe(spec("change", read_only=False), log)
        permissions = Permissions({"look": read, "change": Policy.ALLOW}, Desk(events.append, lambda: False))
        tools = Tools([reader, writer], permissions, journal, lambda text: text, lambda tool: "")
        return Bench(tools, journal, reader, writer, log, events)

    return make


async def test_reading_runs_at_once_and_results_keep_their_order(bench: Callable[..., Bench]) -> None:
    it = bench(together=3)
    await it.tools.run_all(it.begin("look", "look", "look"))
    assert it.reader.most == 3
    assert it.answers() == ["0", "1", "2"]
    await it.journal.close()


async def test_changes_run_one_after_another(bench: Callable[..., Bench]) -> None:
    it = bench(together=2)
    await it.tools.run_all(it.begin("look", "look", "change", "change", "nothing"))
    assert it.log[-4:] == ["+2", "-2", "+3", "-3"]
    assert it.answers()[:4] == ["0", "1", "2", "3"]
    assert len(it.answers()) == 5
    await it.journal.close()


async def test_what_must_ask_is_asked_one_after_another(bench: Callable[..., Bench]) -> None:
    it = bench(read=Policy.ASK)
    await it.tools.run_all(it.begin("look", "look"))
    assert it.answers() == ["已取消执行", "已取消执行"]  # nobody is there to allow it
    await it.journal.close()


async def test_a_stop_keeps_what_is_done_and_cancels_the_rest(bench: Callable[..., Bench]) -> None:
    it = bench(together=99)
    calls = it.begin("change", "look", "look")
    work = asyncio.create_task(it.tools.run_all(calls))
    async with it.reader.changed, asyncio.timeout(10):
        await it.reader.changed.wait_for(lambda: it.reader.running == 2)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    it.journal.settle()
    assert it.answers() == ["0", "已取消", "已取消"]
    await it.journal.close()


async def test_stopping_twice_still_waits_for_what_can_not_be_stopped() -> None:
    begun, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    def write() -> None:
        begun.set()
        go_on.wait(30)
        ended.set()

    task = asyncio.create_task(finished(write))
    await asyncio.to_thread(begun.wait, 30)
    for _time in range(3):
        task.cancel()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    assert not task.done()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.is_set()
