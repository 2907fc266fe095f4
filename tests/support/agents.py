"""Opening real agents on temporary workspaces, and watching what they tell."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from geekagent_tui.agent import events as ev
from geekagent_tui.agent.core import Agent
from geekagent_tui.agent.hub import Subscription
from geekagent_tui.agent.models.base import ChatModel
from geekagent_tui.config import Policy, Trust, load_config
from geekagent_tui.paths import Workspace

_E = TypeVar("_E", bound=ev.Event)

PATIENCE = 30.0
"""Seconds a test waits for something before it says that it never came."""


async def open_agent(
    folder: Path,
    model: ChatModel,
    policies: Mapping[str, Policy] | None = None,
    *,
    resume: bool = True,
    trust: Trust | None = None,
) -> Agent:
    """An agent on a workspace, with the default policies but for those given."""
    workspace = Workspace(folder)
    config = await asyncio.to_thread(load_config, workspace, {}, trust)
    # The notices may be about the settings of whoever runs the tests.
    config = replace(config, policies={**config.policies, **(policies or {})}, notices=())
    return await Agent.open(workspace, config, model, resume=resume)


class Watcher:
    """A front end that writes down everything it is told."""

    def __init__(self, agent: Agent, subscription: Subscription) -> None:
        self.agent = agent
        self.events: list[ev.Event] = []
        self._subscription = subscription
        self._place = 0

    async def until(self, kind: type[_E], matches: Callable[[_E], bool] = lambda _event: True) -> _E:
        """The next event of a kind, among those not yet passed, that matches."""
        async with asyncio.timeout(PATIENCE):
            while True:
                while self._place < len(self.events):
                    event = self.events[self._place]
                    self._place += 1
                    if isinstance(event, kind) and matches(event):
                        return event
                self.events.append(await anext(self._subscription))

    async def notice(self, part: str) -> ev.ChatEntry:
        """The next notice with these words."""
        found = await self.until(
            ev.ChatAdded, lambda event: event.entry.role == "notice" and part in event.entry.text
        )
        return found.entry

    def all(self, kind: type[_E]) -> list[_E]:
        """Every event of a kind so far."""
        return [event for event in self.events if isinstance(event, kind)]

    async def rest(self) -> None:
        """Close the agent and read what it still told."""
        await self.agent.close()
        self.events += [event async for event in self._subscription]


@asynccontextmanager
async def watching(agent: Agent, *, interactive: bool = True) -> AsyncIterator[Watcher]:
    """Watch an agent; it is closed at the end."""
    try:
        async with agent.subscribe(interactive=interactive) as subscription:
            watcher = Watcher(agent, subscription)
            await watcher.until(ev.Snapshot)
            yield watcher
    finally:
        await agent.close()


async def snapshot(agent: Agent) -> ev.Snapshot:
    """The present state."""
    async with agent.subscribe() as events:
        first = await anext(events)
    assert isinstance(first, ev.Snapshot)
    return first
