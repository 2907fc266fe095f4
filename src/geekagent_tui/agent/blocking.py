"""Work that blocks, done off the event loop; when its caller is cancelled, nothing goes on unseen."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

from geekagent_tui.rag.lane import until_done

_P = ParamSpec("_P")
_T = TypeVar("_T")


def stop(task: asyncio.Task[Any]) -> None:
    """Cancel a task once: a second time would break off the clean-up that the first one began."""
    if not task.cancelling():
        task.cancel()


async def finished(function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Call a function in a thread; cancelling waits for its end."""
    return await _awaited(asyncio.ensure_future(asyncio.to_thread(function, *args, **kwargs)))


async def interruptible(
    function: Callable[Concatenate[threading.Event, _P], _T], *args: _P.args, **kwargs: _P.kwargs
) -> _T:
    """Call a function in a thread; cancelling sets the event it is given first, and waits for its end."""
    stop = threading.Event()
    work = asyncio.ensure_future(asyncio.to_thread(function, stop, *args, **kwargs))
    return await _awaited(work, stop)


async def _awaited(work: asyncio.Future[_T], stop: threading.Event | None = None) -> _T:
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        if stop is not None:
            stop.set()
        await until_done(work)
        if not work.cancelled():
            work.exception()  # whoever was cancelled does not ask for it
        raise
