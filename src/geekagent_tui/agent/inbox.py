"""What the user sends: one thing at a time, in order; what comes meanwhile waits in sight."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from geekagent_tui.agent.events import Level, QueuedMessage
from geekagent_tui.agent.journal import Journal
from geekagent_tui.agent.records import Dequeued, Queued
from geekagent_tui.i18n import _

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Item:
    key: str
    text: str
    handle: Callable[[str], Awaitable[object]]
    done: asyncio.Event


class Inbox:
    """Messages and session-changing commands, worked off by one task.

    Args:
        journal: Where what waits is kept, so that a crash does not lose it.
        on_change: Called when something began, ended or was queued.
    """

    def __init__(self, journal: Journal, on_change: Callable[[], None]) -> None:
        self._journal = journal
        self._on_change = on_change
        self._items: deque[_Item] = deque()
        self._held: deque[_Item] = deque()
        self._task: asyncio.Task[None] | None = None
        self._closed = False

    @property
    def busy(self) -> bool:
        """Whether something is being worked on."""
        return self._task is not None and not self._task.done()

    @property
    def waiting(self) -> tuple[str, ...]:
        """What waits, oldest first."""
        return tuple(item.text for item in self._all())

    @property
    def held(self) -> bool:
        """Whether what waits goes on only with the user's next message."""
        return bool(self._held)

    def put(self, text: str, handle: Callable[[str], Awaitable[object]], *, releases: bool) -> asyncio.Event:
        """Have `handle` called with `text` when everything before it is done.

        Args:
            text: What the user sent.
            handle: Works it off.
            releases: Whether what is held goes on, before it; else it is passed over.

        Returns:
            Set when it is done, or will never be.
        """
        item = _Item(secrets.token_hex(4), text, handle, asyncio.Event())
        if self._closed:
            item.done.set()
            return item.done
        if releases:
            self._items.extendleft(reversed(self._held))
            self._held.clear()
        self._items.append(item)
        # Also when nothing is worked on: the program may be closed before the task has begun.
        self._journal.record(Queued(item.key, text))
        if not self.busy:
            self._task = asyncio.create_task(self._work(), name="inbox")
        self._on_change()
        return item.done

    def queued(self) -> tuple[QueuedMessage, ...]:
        """What waits, oldest first, each with its key."""
        return tuple(QueuedMessage(item.key, item.text) for item in self._all())

    def hold(self) -> None:
        """Keep what waits from running by itself: whoever stops an answer may not want what was to follow."""
        self._held.extend(self._items)
        self._items.clear()
        self._on_change()

    def remove(self, key: str) -> bool:
        """Take back what waits; False when it waits no more."""
        item = next((item for item in self._all() if item.key == key), None)
        if item is None:
            return False
        (self._items if item in self._items else self._held).remove(item)
        self._journal.record(Dequeued(key))
        item.done.set()
        self._on_change()
        return True

    def tell_unsent(self) -> None:
        """Show what was still waiting when the program ended last time; it is not sent by itself."""
        for key, text in list(self._journal.conversation.waiting.items()):
            self._journal.notice(_("上次退出时还没有发送：{text}").format(text=text), Level.WARNING)
            self._journal.record(Dequeued(key))

    async def wait(self) -> None:
        """Wait until nothing is worked on and nothing waits that is not held."""
        while self._task is not None and not self._task.done():
            await asyncio.wait([self._task])

    async def close(self) -> None:
        """Stop the work, for good; what waits stays in the session's file."""
        self._closed = True
        if self._task is not None:
            self._task.cancel()
            await self.wait()
        for item in self._all():
            item.done.set()
        self._items.clear()
        self._held.clear()

    def _all(self) -> list[_Item]:
        return [*self._held, *self._items]

    async def _work(self) -> None:
        while self._items:
            item = self._items.popleft()
            if item.key in self._journal.conversation.waiting:
                self._journal.record(Dequeued(item.key))
            self._on_change()
            try:
                await item.handle(item.text)
            except Exception as error:
                _log.exception("inbox")
                self._journal.notice(_("请求失败：{reason}").format(reason=error), Level.ERROR)
            finally:
                item.done.set()
        # The task counts as done once this function has returned.
        asyncio.get_running_loop().call_soon(self._on_change)
