from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Iterator

import pytest

from geekagent_tui.rag.errors import StoreError
from geekagent_tui.rag.lane import Lane, until_done


class Thing:
    def __init__(self) -> None:
        self.threads = {threading.get_ident()}
        self.closed_in: int | None = None

    def note(self, number: int, *, more: int = 0) -> int:
        self.threads.add(threading.get_ident())
        return number + more

    def close(self) -> None:
        self.closed_in = threading.get_ident()


async def test_everything_happens_in_one_other_thread() -> None:
    things: list[Thing] = []

    def opened() -> Thing:
        things.append(Thing())
        return things[-1]

    lane = Lane("test", opened)
    assert things == []
    assert await asyncio.gather(*(lane.run(Thing.note, at, more=1) for at in range(5))) == [1, 2, 3, 4, 5]
    await lane.close()
    await lane.close()

    [thing] = things
    assert len(thing.threads) == 1
    assert thing.threads == {thing.closed_in}
    assert threading.get_ident() not in thing.threads
    with pytest.raises(StoreError, match="已关闭"):
        await lane.run(Thing.note, 1)


async def test_a_failed_opening_is_tried_again() -> None:
    attempts: list[int] = []

    def opened() -> Thing:
        attempts.append(1)
        if len(attempts) == 1:
            raise OSError("not yet")
        return Thing()

    @contextlib.contextmanager
    def guard() -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StoreError(str(error)) from error

    lane = Lane("test", opened, guard)
    with pytest.raises(StoreError, match="not yet"):
        await lane.run(Thing.note, 1)
    assert await lane.run(Thing.note, 1) == 1
    await lane.close()


async def test_work_that_cannot_be_undone_is_waited_for() -> None:
    go = threading.Event()
    lane = Lane("test", Thing)
    work = lane.start(lambda _thing: go.wait(30))
    waiting = asyncio.create_task(until_done(work))
    await asyncio.sleep(0)
    for _ in range(3):  # an impatient user
        waiting.cancel()
        await asyncio.sleep(0)
    assert not waiting.done()
    go.set()

    assert await waiting is True
    assert work.result() is True
    await lane.close()
