"""What every panel has in common: one subscription to the core's events."""

from __future__ import annotations

from contextlib import aclosing
from typing import ClassVar

from textual.widget import Widget

from geekagent_tui.ui import ev
from geekagent_tui.ui.gateway import Gateway


class Follower(Widget):
    """A widget that follows the core's events."""

    WANTS_DOCUMENTS: ClassVar[bool] = False
    WANTS_CHAT: ClassVar[bool] = False
    ANSWERS: ClassVar[bool] = False

    gateway: Gateway | None = None

    def follow(self, gateway: Gateway) -> None:
        """Begin to follow; the work ends with the widget."""
        self.gateway = gateway
        self.run_worker(self._follow(gateway), group="events")

    async def _follow(self, gateway: Gateway) -> None:
        events = gateway.events(
            interactive=self.ANSWERS, documents=self.WANTS_DOCUMENTS, chat=self.WANTS_CHAT
        )
        async with aclosing(events):
            async for event in events:
                await self.take(event)

    async def take(self, event: ev.Event) -> None:
        """Show what an event tells; each panel has a `match` of its own."""
