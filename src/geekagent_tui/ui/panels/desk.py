"""Requests of the core: one dialog at a time, in order."""

from __future__ import annotations

import asyncio
from collections import deque
from functools import partial
from typing import TYPE_CHECKING

from textual.app import ComposeResult

from geekagent_tui.ui import ev
from geekagent_tui.ui.gateway import Gateway
from geekagent_tui.ui.panels.follower import Follower
from geekagent_tui.ui.typing_clock import SLEEP, TypingClock

if TYPE_CHECKING:
    from geekagent_tui.ui.dialogs.ingest_review import IngestDialog
    from geekagent_tui.ui.dialogs.permission import PermissionDialog


class Desk(Follower):
    """Not seen itself: shows what the core asks and takes the answers back.

    Args:
        typing: Knows when the user last typed.
    """

    ANSWERS = True

    def __init__(self, typing: TypingClock) -> None:
        super().__init__(id="desk")
        self._typing = typing
        self._waiting: deque[ev.Request] = deque()
        self._open: tuple[ev.Request, IngestDialog | PermissionDialog] | None = None
        self._arrived = asyncio.Event()

    def compose(self) -> ComposeResult:
        """Nothing."""
        yield from ()

    def follow(self, gateway: Gateway) -> None:
        """Follow the requests, and serve them."""
        super().follow(gateway)
        self.run_worker(self._serve(gateway), group="requests")

    async def take(self, event: ev.Event) -> None:
        """Queue a request, or close its dialog."""
        match event:
            case ev.Snapshot():
                known = {request.request_id for request in event.requests}
                for request in [*self._waiting, *([self._open[0]] if self._open else [])]:
                    if request.request_id not in known:
                        self._withdraw(request.request_id)
                for request in event.requests:
                    self._queue(request)
            case ev.IngestReview() | ev.PermissionReview():
                self._queue(event)
            case ev.RequestClosed():
                self._withdraw(event.request_id)
            case ev.ExitRequested():
                self.app.exit()
            case _:
                pass

    def _queue(self, request: ev.Request) -> None:
        ids = {waiting.request_id for waiting in self._waiting}
        if self._open:
            ids.add(self._open[0].request_id)
        if request.request_id not in ids:
            self._waiting.append(request)
            self._arrived.set()

    def _withdraw(self, request_id: str) -> None:
        self._waiting = deque(r for r in self._waiting if r.request_id != request_id)
        if self._open and self._open[0].request_id == request_id:
            dialog = self._open[1]
            self._open = None
            dialog.withdraw()

    async def _serve(self, gateway: Gateway) -> None:
        while True:
            await self._arrived.wait()
            self._arrived.clear()
            while self._waiting:
                await self._ask(gateway, self._waiting[0])

    async def _ask(self, gateway: Gateway, request: ev.Request) -> None:
        by_model = isinstance(request, ev.PermissionReview) or request.by_model
        if by_model:
            await self._typing.pause(SLEEP)
        if not self._waiting or self._waiting[0] is not request:
            return  # withdrawn meanwhile
        self._waiting.popleft()
        if isinstance(request, ev.IngestReview):
            from geekagent_tui.ui.dialogs.ingest_review import IngestDialog

            review = IngestDialog(request, partial(gateway.look, request.request_id), gateway.tags)
            self._open = request, review
            verdict = await self.app.push_screen(review, wait_for_dismiss=True)
            gateway.accept(request.request_id, verdict.positions, tags=verdict.tags, pages=verdict.pages)
        else:
            from geekagent_tui.ui.dialogs.permission import PermissionDialog

            dialog = PermissionDialog(request)
            self._open = request, dialog
            decision = await self.app.push_screen(dialog, wait_for_dismiss=True)
            gateway.permit(request.request_id, decision)
        self._open = None
