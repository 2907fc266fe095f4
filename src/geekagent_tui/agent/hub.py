"""Subscriptions: every front end reads the same events at its own speed.

A subscription never slows the agent. What a slow subscriber has not read yet is merged: fragments of the
answer into one, states of the same thing into the newest. If it still falls too far behind, all of it is
replaced by one fresh `Snapshot`, so a subscriber must take a `Snapshot` at any time, not only first.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Hashable
from types import TracebackType

from geekagent_tui.agent import events as ev

BACKLOG = 1000
"""Unread events a subscription holds before they are replaced by a snapshot."""

# What a snapshot can't tell: kept when the rest is replaced by one.
_KEPT = (ev.ExitRequested, ev.TurnFinished, ev.ComposerFilled, ev.ThemeChosen)
_CHAT_EVENTS = (ev.ChatAdded, ev.ChatCleared, ev.ToolChanged, ev.AnswerDelta, ev.ReasoningProgress)


class Subscription:
    """One reader's events: an async context manager and an async iterator.

    It counts from its first use until it is closed: leave the `async with` block, or call `aclose`.
    """

    def __init__(self, hub: Hub, *, interactive: bool) -> None:
        self.interactive = interactive
        self._hub = hub
        self._queue: OrderedDict[Hashable, ev.Event] = OrderedDict()
        self._serial = 0
        self._ready = asyncio.Event()
        self._opened = False
        self._closed = False

    async def __aenter__(self) -> Subscription:
        self._open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def __aiter__(self) -> Subscription:
        return self

    async def __anext__(self) -> ev.Event:
        self._open()
        while not self._queue:
            if self._closed:
                raise StopAsyncIteration
            self._ready.clear()
            await self._ready.wait()
        event = self._queue.popitem(last=False)[1]
        # A snapshot's place in the queue is kept, its content is taken when it is read.
        return self._hub.snapshot() if isinstance(event, ev.Snapshot) else event

    async def aclose(self) -> None:
        """Stop reading; safe to call twice."""
        self.finish()
        self._queue.clear()
        self._hub.left(self)

    def finish(self) -> None:
        """Let the reader end once it has read what is there."""
        self._closed = True
        self._ready.set()

    def put(self, event: ev.Event) -> None:
        """Add an event, merging it with what is unread. Never waits."""
        if self._closed:
            return
        if "snapshot" in self._queue and not isinstance(event, _KEPT):
            return  # the snapshot will hold it
        self._merge(event)
        if len(self._queue) > BACKLOG:
            self._resync()
        self._ready.set()

    def _open(self) -> None:
        if not self._opened and not self._closed:
            self._opened = True
            self._resync()
            self._hub.joined(self)

    def _resync(self) -> None:
        kept = {type(event): event for event in self._queue.values() if isinstance(event, _KEPT)}
        self._queue.clear()
        self._queue["snapshot"] = self._hub.snapshot()
        for event in kept.values():
            self._merge(event)
        self._ready.set()

    def _append(self, event: ev.Event) -> None:
        self._serial += 1
        self._queue[self._serial] = event

    def _merge(self, event: ev.Event) -> None:
        match event:
            case ev.AnswerDelta() | ev.ReasoningProgress():
                self._extend(event)
            case ev.ToolChanged():
                self._queue["tool", event.entry.call_id] = event
            case ev.StatusChanged() | ev.KnowledgeChanged() | ev.BatchMoved():
                self._queue[type(event).__name__] = event
            case ev.TurnFinished() if "snapshot" in self._queue:
                self._queue[type(event).__name__] = event
            case ev.IngestMoved():
                self._queue["ingest", event.progress.source] = event
            case ev.IngestEnded():
                self._queue.pop(("ingest", event.result.source), None)
                self._append(event)
            case ev.ChatCleared():
                for key in [k for k, old in self._queue.items() if isinstance(old, _CHAT_EVENTS)]:
                    del self._queue[key]
                self._append(event)
            case _:
                self._append(event)

    def _extend(self, event: ev.AnswerDelta | ev.ReasoningProgress) -> None:
        if self._queue:
            key = next(reversed(self._queue))
            last = self._queue[key]
            if isinstance(last, ev.AnswerDelta | ev.ReasoningProgress) and type(last) is type(event):
                self._queue[key] = type(event)(last.text + event.text)
                return
        self._append(event)


class Hub:
    """All subscriptions of one agent.

    Args:
        snapshot: Makes the present state.
        on_unattended: Called when the last interactive subscriber has left.
    """

    def __init__(self, snapshot: Callable[[], ev.Snapshot], on_unattended: Callable[[], None]) -> None:
        self.snapshot = snapshot
        self._on_unattended = on_unattended
        self._subscriptions: list[Subscription] = []
        self._closed = False

    @property
    def attended(self) -> bool:
        """Whether anybody is there who can answer a request."""
        return any(subscription.interactive for subscription in self._subscriptions)

    def subscribe(self, *, interactive: bool) -> Subscription:
        """A new subscription; an interactive one can answer requests."""
        return Subscription(self, interactive=interactive)

    def publish(self, event: ev.Event) -> None:
        """Tell every subscriber. Never waits."""
        for subscription in self._subscriptions:
            subscription.put(event)

    def close(self) -> None:
        """End every subscription after what it has not read yet."""
        self._closed = True
        for subscription in list(self._subscriptions):
            subscription.finish()

    def joined(self, subscription: Subscription) -> None:
        """Count a subscription in."""
        if self._closed:
            subscription.finish()
        else:
            self._subscriptions.append(subscription)

    def left(self, subscription: Subscription) -> None:
        """Count a subscription out."""
        if subscription in self._subscriptions:
            self._subscriptions.remove(subscription)
            if subscription.interactive and not self.attended:
                self._on_unattended()
