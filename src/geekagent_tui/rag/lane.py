"""One thread with one resource of its own, such as a database connection, for work that blocks."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Concatenate, Generic, ParamSpec, Protocol, TypeVar

from geekagent_tui.i18n import _
from geekagent_tui.rag.errors import StoreError


class Closable(Protocol):
    """What a lane holds."""

    def close(self) -> None:
        """Let go of it."""


_R = TypeVar("_R", bound=Closable)
_T = TypeVar("_T")
_P = ParamSpec("_P")


class Lane(Generic[_R]):
    """Runs functions on its resource, one after another, off the event loop.

    Args:
        name: The thread's.
        opened: Makes the resource, in the lane's thread, when the first function needs it.
        guard: Entered around everything that runs, to tell its errors in plain words.
    """

    def __init__(
        self,
        name: str,
        opened: Callable[[], _R],
        guard: Callable[[], contextlib.AbstractContextManager[None]] = contextlib.nullcontext,
    ) -> None:
        self._opened = opened
        self._guard = guard
        self._resource: _R | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=name)

    def start(
        self, function: Callable[Concatenate[_R, _P], _T], *args: _P.args, **kwargs: _P.kwargs
    ) -> asyncio.Future[_T]:
        """Begin to run a function on the resource; cancelling the future does not stop it.

        Raises:
            StoreError: The lane is closed.
        """

        def work() -> _T:
            with self._guard():
                if self._resource is None:
                    self._resource = self._opened()
                return function(self._resource, *args, **kwargs)

        try:
            return asyncio.get_running_loop().run_in_executor(self._thread, work)
        except RuntimeError:
            raise StoreError(_("知识库已关闭")) from None

    async def run(
        self, function: Callable[Concatenate[_R, _P], _T], *args: _P.args, **kwargs: _P.kwargs
    ) -> _T:
        """Run a function on the resource and return its result.

        Raises:
            StoreError: The lane is closed, or what the function raises.
        """
        return await self.start(function, *args, **kwargs)

    async def close(self) -> None:
        """Finish what was begun, then let go of the resource; safe to call twice."""
        await asyncio.to_thread(self._end)

    def _end(self) -> None:
        def release() -> None:
            if self._resource is not None:
                self._resource.close()

        try:
            self._thread.submit(release)
        except RuntimeError:
            return  # closed before
        self._thread.shutdown()


async def until_done(work: asyncio.Future[_T]) -> bool:
    """Wait for work that can't be stopped half-way, even when the waiting task is cancelled.

    Returns:
        Whether it was cancelled meanwhile; then the caller must raise `CancelledError` once it is ready.
    """
    cancelled = False
    while not work.done():
        try:
            await asyncio.wait([work])
        except asyncio.CancelledError:
            cancelled = True
    return cancelled
