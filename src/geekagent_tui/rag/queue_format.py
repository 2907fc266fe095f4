"""What a batch's file in the queue says: what was agreed to, sealed, and behind it what has ended since.

The plan comes first and never changes. Its seal is made with a secret outside of the workspace: a folder that
came from elsewhere, a repository or an archive, may hold a file with the right mode and owner, but none that
this user has agreed to. Behind the seal lines are appended; one that is torn or odd is passed over, for a
source that seems not to have ended is read again, which finds it unchanged.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from geekagent_tui.rag.crawl import Link
from geekagent_tui.rag.model import GivenText, Growth, Source, SourceKind
from geekagent_tui.rag.network import Zone

_VERSION = 1


class NoPlanError(Exception):
    """A file is none of ours."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What the user has agreed to.

    Attributes:
        began_at: UTC.
        sources: Those that were agreed to; of a sync, the documents' own.
        sync: Whether known documents are brought up to date.
        prune: Whether a sync removes documents whose source is gone.
        tags: For what an add brings in.
    """

    began_at: datetime
    sources: tuple[Source, ...]
    sync: bool = False
    prune: bool = False
    tags: tuple[str, ...] = ()


@dataclass(slots=True)
class CrawlTrail:
    """How far one crawl had come.

    Attributes:
        site: Empty when its start was not read.
        zone: The closest that its pages may be to this machine.
        found: All links that were taken note of, in order.
        pages: Those of them that got a place in the batch.
    """

    site: str = ""
    zone: Zone = Zone.PUBLIC
    found: list[Link] = field(default_factory=list)
    pages: list[Link] = field(default_factory=list)


@dataclass(slots=True)
class Trail:
    """How far a batch had come.

    Attributes:
        ended: What each source that has ended was stored as, by its name; "" when it became no document.
        crawls: By the identity of their start.
    """

    ended: dict[str, str] = field(default_factory=dict)
    crawls: dict[str, CrawlTrail] = field(default_factory=dict)

    def left(self, plan: Plan) -> Iterator[str]:
        """The sources that have not ended, in order."""
        return (name for name in self.names(plan) if name not in self.ended)

    def names(self, plan: Plan) -> Iterator[str]:
        """All sources, those of the plan first."""
        yield from dict.fromkeys(source.identity for source in plan.sources)
        for crawl in self.crawls.values():
            yield from (page.url for page in crawl.pages)


Record = tuple[str, *tuple[object, ...]]
"""A line behind the seal: a word, and what it is about."""


def ended(name: str, stored_as: str) -> Record:
    """A source has ended, as the document that is called `stored_as`, or as none."""
    return "end", name, stored_as


def settled(crawl: str, site: str, zone: Zone | None) -> Record:
    """The start of a crawl was read."""
    return "site", crawl, site, int(zone or Zone.PUBLIC)


def found(crawl: str, links: Sequence[Link]) -> Record:
    """A crawl took note of links, all of them as far from its start."""
    return "found", crawl, links[0].depth, [link.url for link in links]


def placed(crawl: str, link: Link) -> Record:
    """A page of a crawl got a place in the batch."""
    return "page", crawl, link.depth, link.url


def lines(records: Iterable[Record]) -> bytes:
    """Records as lines to be appended."""
    return b"".join(_line(record) for record in records)


def sealed(plan: Plan, key: bytes, folder: str) -> bytes:
    """A plan as the beginning of a file.

    Args:
        plan: The plan.
        key: The secret.
        folder: The workspace's real path: a plan holds for it alone.
    """
    head = {
        "version": _VERSION,
        "began_at": plan.began_at.isoformat(),
        "sync": plan.sync,
        "prune": plan.prune,
        "tags": plan.tags,
        "sources": len(plan.sources),
    }
    data = _line(head) + b"".join(_line(_source_value(source)) for source in plan.sources)
    return data + _line(["seal", _seal(data, key, folder)])


def parse(data: bytes, key: bytes, folder: str) -> tuple[Plan, Trail]:
    """Read a file.

    Raises:
        NoPlanError: It holds no plan of this version that was sealed with this secret for this folder.
    """
    try:
        end = _end_of_plan(data)
        seal, _, tail = data[end:].partition(b"\n")
        word, found_seal = json.loads(seal)
        if word != "seal" or not hmac.compare_digest(found_seal, _seal(data[:end], key, folder)):
            raise ValueError("the seal is not ours")
        head, *sources = map(json.loads, data[:end].splitlines())
        return _plan(head, sources), _trail(tail)
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise NoPlanError(f"no plan: {error}") from error


def _end_of_plan(data: bytes) -> int:
    """Where the seal begins, by the first line's count of sources."""
    end = data.index(b"\n") + 1
    head = json.loads(data[:end])
    if not isinstance(head, dict) or head.get("version") != _VERSION:
        raise ValueError("another version")
    count = head.get("sources")
    if not isinstance(count, int):
        raise ValueError("no count")  # whatever is wrong with it, it is no plan
    for _ in range(count):
        end = data.index(b"\n", end) + 1
    return end


def _seal(data: bytes, key: bytes, folder: str) -> str:
    place = folder.encode("utf-8", "surrogatepass")
    return hmac.new(key, place + b"\0" + data, hashlib.sha256).hexdigest()


def _line(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def _source_value(source: Source) -> dict[str, Any]:
    value: dict[str, Any] = {
        "kind": source.kind.value,
        "identity": source.identity,
        "location": source.location,
    }
    if source.growth is not None:
        value |= {"growth": source.growth.value, "pages": source.pages}
    if source.given is not None:
        value |= {"text": b64encode(source.given.data).decode(), "title": source.given.title}
    return value


def _plan(head: dict[str, Any], sources: Sequence[dict[str, Any]]) -> Plan:
    """A plan as `sealed` wrote it."""
    return Plan(
        datetime.fromisoformat(head["began_at"]),
        tuple(map(_source, sources)),
        head["sync"],
        head["prune"],
        tuple(head["tags"]),
    )


def _source(value: dict[str, Any]) -> Source:
    return Source(
        SourceKind(value["kind"]),
        value["identity"],
        value["location"],
        Growth(value["growth"]) if "growth" in value else None,
        value.get("pages", 1),
        GivenText(b64decode(value["text"]), value["title"]) if "text" in value else None,
    )


def _trail(tail: bytes) -> Trail:
    trail = Trail()
    for line in tail.splitlines():
        try:
            _follow(trail, json.loads(line))
        except ValueError:
            continue
    return trail


def _follow(trail: Trail, record: object) -> None:
    match record:
        case ["end", str(name), str(stored_as)]:
            trail.ended[name] = stored_as
        case ["site", str(start), str(site), int(zone)]:
            crawl = trail.crawls.setdefault(start, CrawlTrail())
            crawl.site, crawl.zone = site, Zone(zone)
        case ["found", str(start), int(depth), [*urls]]:
            crawl = trail.crawls.setdefault(start, CrawlTrail())
            crawl.found += [Link(url, depth) for url in urls if isinstance(url, str)]
        case ["page", str(start), int(depth), str(url)]:
            trail.crawls.setdefault(start, CrawlTrail()).pages.append(Link(url, depth))
