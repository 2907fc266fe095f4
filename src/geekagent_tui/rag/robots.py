"""Manners towards web sites: what robots.txt allows, and a pause between two requests."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from geekagent_tui.rag import limits
from geekagent_tui.rag.addresses import host_of, site_of
from geekagent_tui.rag.errors import SkippedError, SourceError
from geekagent_tui.rag.fetch import Fetcher, Leash
from geekagent_tui.rag.network import Zone

if TYPE_CHECKING:
    from urllib.robotparser import RobotFileParser

AGENT = "GeekAgent-TUI"
"""The name that rules in robots.txt can be for; it is part of `User-Agent`."""
_ABSENT = frozenset(range(400, 500)) - {429}  # 429: too many requests
_NOTHING = ("User-agent: *", "Disallow: /")
_LONGEST_PAUSE = 10.0
"""Seconds; a longer Crawl-delay would stop a crawl for good."""


class Pace:
    """Lets requests to one host go one after another, some time apart.

    Args:
        seconds: Between two requests.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._next: dict[str, float] = {}

    async def turn(self, host: str, asked: float = 0.0) -> None:
        """Wait until a host may be asked again.

        Args:
            host: As `host_of` gives it.
            asked: Seconds that the host wants to be between two requests.
        """
        pause = max(self._seconds, min(asked, _LONGEST_PAUSE)) if self._seconds else 0.0
        now = asyncio.get_running_loop().time()
        start = max(now, self._next.get(host, now))
        self._next[host] = start + pause
        await asyncio.sleep(start - now)


class Robots:
    """What the robots.txt of some hosts say, each read once, when it is first needed.

    Rules of RFC 9309: none there (HTTP 4xx) allows everything, one that can't be read forbids everything.
    """

    def __init__(self, fetcher: Fetcher, pace: Pace) -> None:
        self._fetcher = fetcher
        self._pace = pace
        self._rules: dict[str, RobotFileParser] = {}
        self._reading = asyncio.Lock()

    async def allow(self, url: str, closest: Zone | None) -> bool:
        """Whether a page may be requested.

        Args:
            url: A normalised address.
            closest: The closest zone that its robots.txt may be read from; None means any.
        """
        rules = await self._rules_of(_origin(url), closest)
        return rules.can_fetch(AGENT, url)

    def pause(self, url: str) -> float:
        """Seconds that the host asks to be between two requests; 0 when it does not, or was not asked."""
        rules = self._rules.get(_origin(url))
        return float(rules.crawl_delay(AGENT) or 0) if rules is not None else 0.0

    async def _rules_of(self, origin: str, closest: Zone | None) -> RobotFileParser:
        async with self._reading:
            if origin not in self._rules:
                self._rules[origin] = await self._read(origin, closest)
            return self._rules[origin]

    async def _read(self, origin: str, closest: Zone | None) -> RobotFileParser:
        from urllib.robotparser import RobotFileParser

        rules = RobotFileParser()
        try:
            raw = await self._fetcher.fetch(
                f"{origin}/robots.txt", leash=Leash(closest, lambda url, _zone: self._before(url, origin))
            )
        except SourceError as error:
            absent = isinstance(error, SkippedError) or error.status in _ABSENT
            rules.parse([] if absent else _NOTHING)
            return rules
        text = raw.data[: limits.ROBOTS].decode("utf-8-sig", "replace")
        await asyncio.to_thread(rules.parse, text.splitlines())
        return rules

    async def _before(self, url: str, origin: str) -> None:
        if site_of(url) != site_of(origin):
            raise SkippedError(url)
        await self._pace.turn(host_of(url))


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
