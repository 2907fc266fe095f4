from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from geekagent_tui.rag.errors import SourceError
from geekagent_tui.rag.fetch import Fetcher, Leash
from geekagent_tui.rag.network import Zone
from geekagent_tui.rag.robots import AGENT, Pace, Robots
from support.pages import PageServer, Reply, redirect


@pytest.fixture
async def fetcher() -> AsyncIterator[Fetcher]:
    async with Fetcher() as running:
        yield running


def text(body: bytes) -> Reply:
    return Reply(body, content_type="text/plain")


async def test_the_name_in_rules_is_the_name_we_give(fetcher: Fetcher) -> None:
    async with PageServer() as web:
        assert await Robots(fetcher, Pace(0)).allow(f"{web.url}/x", None)
    assert f"{AGENT}/" in web.headers[0]["User-Agent"]


async def test_each_robots_txt_is_read_once(fetcher: Fetcher) -> None:
    async with PageServer({"/robots.txt": text(b"\xef\xbb\xbfUser-agent: *\nDisallow: /no\n")}) as web:
        robots = Robots(fetcher, Pace(0))
        allowed = await asyncio.gather(
            *(robots.allow(f"{web.url}/{path}", None) for path in ("a", "no", "b"))
        )
    assert allowed == [True, False, True]
    assert web.requests == ["/robots.txt"]


async def test_a_pause_that_the_host_asks_for(fetcher: Fetcher) -> None:
    async with PageServer({"/robots.txt": text(b"User-agent: *\nCrawl-delay: 3\n")}) as web:
        robots = Robots(fetcher, Pace(0))
        assert robots.pause(f"{web.url}/") == 0
        await robots.allow(f"{web.url}/", None)
        assert robots.pause(f"{web.url}/") == 3


async def test_it_does_not_lead_elsewhere(fetcher: Fetcher) -> None:
    async with PageServer() as web:
        web.pages["/robots.txt"] = redirect(f"http://localhost:{web.port}/evil")
        assert await Robots(fetcher, Pace(0)).allow(f"{web.url}/", None)
        assert web.requests == ["/robots.txt"]


async def test_rubbish_forbids_nothing(fetcher: Fetcher) -> None:
    async with PageServer({"/robots.txt": text(b"\xff\xfe: :\n<html>" * 100_000)}) as web:
        assert await Robots(fetcher, Pace(0)).allow(f"{web.url}/", None)


async def test_nothing_closer_than_allowed_is_asked(fetcher: Fetcher) -> None:
    async with PageServer() as web:
        assert not await Robots(fetcher, Pace(0)).allow(f"{web.url}/", Zone.PUBLIC)
        with pytest.raises(SourceError, match="已拒绝"):
            await fetcher.fetch(f"{web.url}/", leash=Leash(Zone.PUBLIC))
        assert web.requests == []


async def test_turns_come_some_time_apart() -> None:
    loop = asyncio.get_running_loop()
    pace = Pace(0.05)
    began = loop.time()
    await asyncio.gather(*(pace.turn("a") for _turn in range(3)), pace.turn("b"))
    await pace.turn("a", 0.1)
    await pace.turn("a")
    assert loop.time() - began >= 0.25 - 0.01  # the clock's grain; two, one asked for, and one after it
