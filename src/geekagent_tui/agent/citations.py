"""Citations: finding 《title》第 N 段 in an answer and checking it against what was really retrieved."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from geekagent_tui.agent.events import Citation
from geekagent_tui.rag.model import Hit
from geekagent_tui.sanitize import clean

TITLE_LENGTH = 300
"""How far back a title may begin, code points; stored titles have at most 120 and may be escaped."""

OPENINGS = 3
"""How many 《 before a 》 are tried: titles may hold other titles, but not many."""

_Piece = tuple[int, int, int]
"""Start, end and number of a named passage."""

_NUMBER = r"[0-9０-９]{1,6}"
_FIRST = re.compile(rf"》\s*第\s*({_NUMBER})(\s*段)?")
# What may stand between two passages of one title: 第 1、2 段 · 第 1 段和第 3 段 · 第 1-3 段.
_NEXT = re.compile(
    rf"\s*(?:[、,，/&+~～–—-]|和|与|及|至|到|以及|and)\s*(第\s*)?(?P<number>{_NUMBER})(?P<unit>\s*段)?"
)
_MARKDOWN_ESCAPE = re.compile(r"\\(?=[!-/:-@\[-`{-~])")


@dataclass(frozen=True, slots=True)
class _Source:
    document_id: int
    source: str
    page: int
    digest: str


class Evidence:
    """Every passage that was put before the model in a session; false when there was none."""

    def __init__(self) -> None:
        self._passages: dict[tuple[str, int], _Source] = {}
        self._titles: dict[str, str] = {}
        self._texts: dict[str, str] = {}

    def __bool__(self) -> bool:
        return bool(self._passages)

    def add(self, hits: Iterable[Hit]) -> None:
        """Remember passages; of two documents with the same title the later one counts."""
        for hit in hits:
            key = _key(hit.title)
            self._titles[key] = hit.title
            name = digest(hit.text)
            self._texts[name] = hit.text
            self._passages[key, hit.passage] = _Source(hit.id, hit.source, hit.page, name)

    def text(self, citation: Citation) -> str:
        """The words that a citation rests on, as they were retrieved; "" when they are not known."""
        if citation.digest:
            return self._texts.get(citation.digest, "")
        source = self._passages.get((_key(citation.title), citation.passage))
        return self._texts[source.digest] if source and source.document_id == citation.document_id else ""

    def find(self, answer: str) -> tuple[Citation, ...]:
        """The citations in an answer, in order; `document_id` is set on those that were retrieved.

        Takes time linear in the answer, whatever is in it.
        """
        found: list[Citation] = []
        position = behind = 0
        while match := _FIRST.search(answer, position):
            position = match.end()
            group = _group(answer, match)
            if not group:
                continue
            position = group[-1][1]
            start = self._opening(answer, max(behind, match.start() - TITLE_LENGTH), match.start())
            behind = position
            if start is not None:
                first, *rest = group
                title = answer[start + 1 : match.start()]
                found.extend(self._citations(title, [(start, *first[1:]), *rest]))
        return tuple(found)

    def _opening(self, answer: str, floor: int, closing: int) -> int | None:
        """Where the title that ends at `closing` begins: a known title first, else the nearest 《."""
        floor = max(floor, answer.rfind("\n", floor, closing) + 1)
        nearest = None
        place = closing
        for _attempt in range(OPENINGS):
            place = answer.rfind("《", floor, place)
            if place < 0:
                break
            title = answer[place + 1 : closing]
            if _key(title) in self._titles:
                return place
            if nearest is None and "》" not in title and title.strip():
                nearest = place
        return nearest

    def _citations(self, written: str, pieces: Iterable[_Piece]) -> Iterator[Citation]:
        key = _key(written)
        title = self._titles.get(key) or _plain(written)
        for start, end, passage in pieces:
            source = self._passages.get((key, passage))
            if source is None:
                yield Citation(start, end, title, passage)
            else:
                yield Citation(
                    start,
                    end,
                    title,
                    passage,
                    source.document_id,
                    source.source,
                    source.page,
                    source.digest,
                )


def digest(text: str) -> str:
    """A short name for a passage's text: the first 16 hexadecimal digits of its SHA-256."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:16]


def _group(answer: str, first: re.Match[str]) -> list[_Piece]:
    """The passages that are named together behind one title, up to the last 段."""
    group = [(first.start(), first.end(), int(first[1]))]
    while follow := _NEXT.match(answer, group[-1][1]):
        begin = follow.start(1) if follow[1] else follow.start("number")
        group.append((begin, follow.end(), int(follow["number"])))
    # What follows the last 段 only looked like a citation.
    while group and not answer.endswith("段", 0, group[-1][1]):
        group.pop()
    return group


@lru_cache(maxsize=4096)
def _key(title: str) -> str:
    """A title as models spell it: width, case, spaces and Markdown escapes make no difference.

    Nor do invisible characters, which are gone when the offline model quotes a title.
    """
    return "".join(unicodedata.normalize("NFKC", _plain(title)).casefold().split())


def _plain(title: str) -> str:
    """A title without the escapes that an answer's Markdown needs."""
    return _MARKDOWN_ESCAPE.sub("", clean(title))
