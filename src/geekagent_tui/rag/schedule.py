"""Which source is next: in order, but never more than two at once from one host."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass

from geekagent_tui.rag.addresses import host_of
from geekagent_tui.rag.crawl import Crawl
from geekagent_tui.rag.model import Source, SourceKind

PER_HOST = 2


@dataclass(frozen=True, slots=True)
class Place:
    """A source and its position in the batch, from 1.

    Attributes:
        crawl: What it belongs to and adds further sources to, if anything.
        depth: How many links away from the start of its crawl it is.
    """

    source: Source
    position: int
    crawl: Crawl | None = None
    depth: int = 0


class Schedule:
    """The sources of a batch that are still to be read; while one of a crawl is worked on, more may come."""

    def __init__(self, places: Iterable[Place]) -> None:
        self._waiting: dict[str, deque[Place]] = {}
        self._reading: Counter[str] = Counter()
        self._growing = 0
        self._changed = asyncio.Event()
        for place in places:
            self.add(place)

    def add(self, place: Place) -> None:
        """One more source, behind all of its host."""
        self._waiting.setdefault(_host(place), deque()).append(place)
        self._tell()

    async def next(self) -> Place | None:
        """The first source whose host is not busy; None when all are taken and no more can come.

        `read` and `done` must be told of it.
        """
        while self._waiting or self._growing:
            free = [host for host in self._waiting if not host or self._reading[host] < PER_HOST]
            if free:
                return self._take(min(free, key=lambda host: self._waiting[host][0].position))
            await self._changed.wait()
        return None

    def read(self, place: Place) -> None:
        """The source was read, or could not be."""
        self._reading[_host(place)] -= 1
        self._tell()

    def done(self, place: Place) -> None:
        """The source was worked on, or could not be; nothing more comes from it."""
        self._growing -= place.crawl is not None
        self._tell()

    def _take(self, host: str) -> Place:
        place = self._waiting[host].popleft()
        if not self._waiting[host]:
            del self._waiting[host]
        self._reading[host] += 1
        self._growing += place.crawl is not None
        return place

    def _tell(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


def _host(place: Place) -> str:
    """Empty for a file, of which any number may be read at once."""
    return host_of(place.source.location) if place.source.kind is SourceKind.URL else ""
