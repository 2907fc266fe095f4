"""A conversation that comes back is shown in the order in which it was seen as it happened."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from geekagent_tui.agent import events as ev
from geekagent_tui.agent.conversation import Conversation
from geekagent_tui.agent.journal import Journal
from geekagent_tui.agent.messages import ToolCall
from geekagent_tui.agent.records import AssistantSaid, ToolEnded
from geekagent_tui.agent.sessions import Sessions
from geekagent_tui.ui.panels.chat import _INGESTS, _inline, _place

BEGAN = datetime(2026, 12, 1, tzinfo=UTC)
STEP = st.one_of(
    st.sampled_from(["user", "notice", "remark", "fragment", "answer", "stop", "reset"]),
    st.tuples(st.just("begin"), st.sampled_from(["rag_add", "rag_sync", "rag_search"])),
    st.tuples(st.just("end"), st.integers(0, 5), st.sampled_from(ev.ToolState)),
)

Step = str | tuple[object, ...]


class Screen:
    """Shows what happens in the order in which it is told, as the chat panel does."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.log: list[str] = []

    def take(self, event: ev.Event) -> None:
        match event:
            case ev.ChatAdded():
                self.seen.append(f"{event.entry.role} {event.entry.text}")
            case ev.ToolChanged(entry=entry):
                if entry.call_id not in self.log:
                    self.log.append(entry.call_id)
                if _inline(entry) and entry.call_id not in self.seen:
                    self.seen.append(entry.call_id)
            case ev.ChatCleared():
                self.seen, self.log = [], []


class Story:
    """Lets things happen to a journal."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._running: list[ev.ToolEntry] = []
        self._count = 0

    def go_on(self, step: Step) -> None:
        self._count += 1
        name = f"{self._count}"
        match step:
            case "user":
                self._stop()  # a question waits until the turn before has ended
                self._journal.user(name)
            case "notice":
                self._journal.notice(name)
            case "remark":
                self._journal.remark("remark")
            case "fragment":
                self._journal.fragment(name)
            case "answer":
                self._stop()
                number = self._journal.conversation.next_entry()
                call = ToolCall(f"call {name}", "rag_search", "{}")
                self._journal.record(AssistantSaid(number, name, BEGAN, (call,)))
                self._begin(call.id, call.name)
            case "stop":
                self._stop()
            case "reset":
                self._journal.forget()
                self._running.clear()
            case ("begin", str(tool)):
                self._begin(f"tool {name}", tool)
            case ("end", int(place), ev.ToolState() as state) if place < len(self._running):
                self._end(self._running.pop(place), state)

    def end(self) -> None:
        """Nothing is left running; what a crash leaves is another story."""
        self._stop()
        for entry in self._running:
            self._end(entry, ev.ToolState.DONE)

    def _stop(self) -> None:
        self._journal.settle()
        self._running = [each for each in self._running if each.call_id.startswith("tool")]

    def _begin(self, call: str, name: str) -> None:
        began = BEGAN + timedelta(seconds=self._count)
        after = self._journal.conversation.last_entry
        entry = ev.ToolEntry(call, name, "", "{}", began, after=after)
        self._journal.tool(entry)
        self._running.append(entry)

    def _end(self, entry: ev.ToolEntry, state: ev.ToolState) -> None:
        self._count += 1
        now = BEGAN + timedelta(seconds=self._count)
        entry = replace(entry, seconds=(now - entry.started_at).total_seconds())
        if state is ev.ToolState.DENIED and entry.name in _INGESTS:
            entry = replace(entry, after=self._journal.conversation.last_entry)
        own = entry.call_id.startswith("call")
        self._journal.record(ToolEnded(replace(entry, state=state), "" if own else None))


async def told(steps: list[Step], folder: Path) -> tuple[Screen, Conversation]:
    """What was seen, and what comes back."""
    screen = Screen()
    sessions = Sessions(folder)
    file = sessions.create("s")
    journal = Journal(file, Conversation("s"), screen.take, offline=lambda: False)
    story = Story(journal)
    for step in steps:
        story.go_on(step)
    story.end()
    await journal.close()
    again = sessions.open("s")
    again.close()
    return screen, Conversation.replay("s", again.records)


@settings(max_examples=60)
@given(st.lists(STEP, max_size=25))
def test_the_order_is_the_same(steps: list[Step]) -> None:
    with TemporaryDirectory() as name:
        screen, back = asyncio.run(told(steps, Path(name)))
    pieces: list[ev.ChatEntry | ev.ToolEntry] = [
        *back.chat,
        *(tool for tool in back.tools.values() if _inline(tool)),
    ]
    pieces.sort(key=_place)
    shown = [p.call_id if isinstance(p, ev.ToolEntry) else f"{p.role} {p.text}" for p in pieces]
    assert shown == [line for line in screen.seen if line != "notice remark"]
    assert list(back.tools) == screen.log
