"""Subscriptions: complete for a quick reader, bounded for a slow one."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from geekagent_tui.agent import events as ev
from geekagent_tui.agent.hub import BACKLOG, Hub, Subscription
from geekagent_tui.rag.model import (
    BatchProgress,
    IngestPhase,
    IngestProgress,
    IngestResult,
    IngestState,
    Stats,
)

STATUS = ev.Status("m", offline=True, session="s", context_tokens=1, context_window=2, memory=0, busy=False)
WHEN = datetime(2026, 12, 1, tzinfo=UTC)


class State:
    """What a snapshot is made of."""

    def __init__(self) -> None:
        self.live = ""
        self.left = 0

    def snapshot(self) -> ev.Snapshot:
        return ev.Snapshot(STATUS, (), (), (), Stats(0, 0, 0), (), (), self.live)

    def unattended(self) -> None:
        self.left += 1


def chat(number: int) -> ev.ChatAdded:
    return ev.ChatAdded(ev.ChatEntry(number, "notice", str(number), WHEN))


def tool(call: str, state: ev.ToolState = ev.ToolState.RUNNING) -> ev.ToolChanged:
    return ev.ToolChanged(ev.ToolEntry(call, "rag_search", "", "{}", WHEN, state))


def progress(source: str, done: int) -> ev.IngestMoved:
    return ev.IngestMoved(IngestProgress(source, 1, 1, IngestPhase.FETCHING, done))


async def unread(hub: Hub, subscription: Subscription) -> list[ev.Event]:
    hub.close()
    return [event async for event in subscription]


async def test_a_subscription_begins_with_a_snapshot_of_the_moment_it_is_read() -> None:
    state = State()
    hub = Hub(state.snapshot, state.unattended)
    async with hub.subscribe(interactive=False) as events:
        state.live = "so far"
        hub.publish(ev.AnswerDelta("so far"))
        first = await anext(events)
        hub.publish(ev.AnswerDelta(", and on"))
        assert isinstance(first, ev.Snapshot)
        assert first.live == "so far"
        assert await anext(events) == ev.AnswerDelta(", and on")


async def test_unread_events_are_merged_without_losing_anything() -> None:
    state = State()
    hub = Hub(state.snapshot, state.unattended)
    async with hub.subscribe(interactive=False) as events:
        await anext(events)
        for event in (
            ev.AnswerDelta("a"),
            ev.AnswerDelta("b"),
            tool("1"),
            tool("2"),
            ev.AnswerDelta("c"),
            tool("1", ev.ToolState.DONE),
            progress("x", 1),
            progress("y", 1),
            progress("x", 2),
            ev.IngestEnded(IngestResult("x", IngestState.ADDED)),
            chat(1),
        ):
            hub.publish(event)
        assert await unread(hub, events) == [
            ev.AnswerDelta("ab"),
            tool("1", ev.ToolState.DONE),
            tool("2"),
            ev.AnswerDelta("c"),
            progress("y", 1),
            ev.IngestEnded(IngestResult("x", IngestState.ADDED)),
            chat(1),
        ]


async def test_a_cleared_chat_makes_what_was_unread_of_it_pointless() -> None:
    state = State()
    hub = Hub(state.snapshot, state.unattended)
    async with hub.subscribe(interactive=False) as events:
        await anext(events)
        hub.publish(chat(1))
        hub.publish(tool("1"))
        hub.publish(ev.ChatCleared((), ()))
        hub.publish(chat(2))
        assert await unread(hub, events) == [ev.ChatCleared((), ()), chat(2)]


async def test_a_reader_that_falls_too_far_behind_gets_one_snapshot_and_what_a_snapshot_cannot_tell() -> None:
    state = State()
    hub = Hub(state.snapshot, state.unattended)
    async with hub.subscribe(interactive=False) as events:
        await anext(events)
        for number in range(BACKLOG + 10):
            hub.publish(chat(number))
            hub.publish(ev.TurnFinished(ev.TurnEnd.DONE))
        hub.publish(ev.ExitRequested())
        state.live = "now"
        read = await unread(hub, events)
    assert isinstance(read[0], ev.Snapshot)
    assert read[0].live == "now"
    assert set(read[1:]) == {ev.TurnFinished(ev.TurnEnd.DONE), ev.ExitRequested()}
    assert len(read) == 3


async def test_a_slow_reader_does_not_slow_the_others() -> None:
    state = State()
    hub = Hub(state.snapshot, state.unattended)
    async with hub.subscribe(interactive=False) as slow, hub.subscribe(interactive=False) as quick:
        await anext(slow)
        await anext(quick)
        for number in range(50):
            hub.publish(chat(number))
            assert await anext(quick) == chat(number)


async def test_a_waiting_reader_wakes_up_and_ends_with_the_hub() -> None:
    state = State()
    hub = Hub(state.snapshot, state.unattended)
    async with hub.subscribe(interactive=False) as events:
        await anext(events)
        reading = asyncio.ensure_future(anext(events))
        await asyncio.sleep(0)
        hub.publish(chat(1))
        assert await reading == chat(1)
        hub.close()
        assert [event async for event in events] == []
    late = hub.subscribe(interactive=True)
    assert [type(event) for event in [event async for event in late]] == [ev.Snapshot]


async def test_the_hub_tells_when_the_last_one_who_could_answer_has_left() -> None:
    state = State()
    hub = Hub(state.snapshot, state.unattended)
    assert [hub.attended] == [False]
    async with hub.subscribe(interactive=True):
        async with hub.subscribe(interactive=True) as second, hub.subscribe(interactive=False):
            await second.aclose()
            await second.aclose()
            assert [hub.attended] == [True]
        assert state.left == 0
    assert state.left == 1
    assert [hub.attended] == [False]


async def test_only_the_newest_state_of_a_batch_waits() -> None:
    state = State()
    hub = Hub(state.snapshot, state.unattended)
    async with hub.subscribe(interactive=False) as events:
        await anext(events)
        for done in range(3):
            hub.publish(ev.BatchMoved(BatchProgress(done, 3, 0, 0, 0, 0.0)))
        hub.publish(chat(1))
        hub.publish(ev.BatchMoved(None))
        assert await unread(hub, events) == [ev.BatchMoved(None), chat(1)]
