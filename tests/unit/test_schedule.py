from __future__ import annotations

import asyncio

from geekagent_tui.rag.crawl import Crawl
from geekagent_tui.rag.fetch import Fetcher
from geekagent_tui.rag.model import Growth, Source, SourceKind
from geekagent_tui.rag.robots import Pace
from geekagent_tui.rag.schedule import Place, Schedule


def _places(*locations: str) -> list[Place]:
    return [
        Place(Source(SourceKind.URL if "://" in location else SourceKind.FILE, location, location), position)
        for position, location in enumerate(locations, start=1)
    ]


async def _next(schedule: Schedule) -> int:
    place = await schedule.next()
    assert place is not None
    return place.position


async def test_a_busy_host_lets_others_go_first() -> None:
    places = _places("http://a/1", "http://a/2", "http://a/3", "http://b/1", "file")
    schedule = Schedule(places)

    assert [await _next(schedule) for _ in range(4)] == [1, 2, 4, 5]
    waiting = asyncio.create_task(_next(schedule))
    await asyncio.sleep(0)
    assert not waiting.done()
    schedule.read(places[1])

    assert await waiting == 3
    assert await schedule.next() is None


async def test_files_never_wait() -> None:
    schedule = Schedule(_places(*"abcdef"))

    assert [await _next(schedule) for _ in range(6)] == [1, 2, 3, 4, 5, 6]


async def test_more_may_come_while_a_source_of_a_crawl_is_worked_on() -> None:
    start = Source(SourceKind.URL, "http://a/1", "http://a/1", Growth.LINKS, 9)
    async with Fetcher() as fetcher:
        crawl = Crawl(start, fetcher, Pace(0))
    first, second = Place(start, 1, crawl), Place(Source(SourceKind.URL, "http://a/2", "http://a/2"), 2)
    schedule = Schedule([first])
    await schedule.next()
    schedule.read(first)
    waiting = [asyncio.create_task(schedule.next()) for _ in range(2)]
    await asyncio.sleep(0)
    assert not any(each.done() for each in waiting)
    schedule.add(second)
    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    schedule.done(first)

    found = await asyncio.gather(*waiting)
    assert [place for place in found if place] == [second]


async def test_all_readers_end_when_nothing_is_left() -> None:
    places = _places("http://a/1", "http://a/2", "http://a/3")
    schedule = Schedule(places)
    await schedule.next()
    await schedule.next()
    readers = [asyncio.create_task(schedule.next()) for _ in range(3)]
    await asyncio.sleep(0)
    schedule.read(places[0])

    found = await asyncio.gather(*readers)

    assert sorted(place.position for place in found if place) == [3]
