"""A document's text into passages.

Offsets are code points of the stored text, which is Markdown-flavoured (headings `#`, fenced code, table
rows, list items) or plain. The sizes are the reference's: 800 characters, 80 of overlap.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import regex  # type: ignore[import-untyped]

from geekagent_tui.rag.blocks import Block, blocks

SIZE = 800
OVERLAP = 80
ENOUGH = 400
"""A passage with this many characters ends before the next heading."""

# Where a block that is too long may be cut: behind a sentence or a line, else behind a space, never before a
# mark that belongs to the character in front of it.
_NOT_INSIDE = r"(?![\p{M}\p{EMod}\u200d])"
_SENTENCE_END = regex.compile(r"(?:[。！？；!?…]+[”’」』）)\"']*|[.;]+[\"')\]]*(?=\s)|\n)" + _NOT_INSIDE)
_SPACE = regex.compile(r"\s" + _NOT_INSIDE)
_GRAPHEME = regex.compile(r"\X")
_WHOLE_CHARACTERS = re.compile("[ -~\u4e00-\u9fff\u3001-\u3002\uff01-\uff1f]{2}")
_TWO_UNITS = re.compile("[\U00010000-\U0010ffff]")


class Chunking(StrEnum):
    """How documents are cut: along their structure, or into the reference's fixed windows."""

    STRUCTURE = "structure"
    WINDOW = "window"


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage as offsets into its document's text.

    Attributes:
        start: The first code point.
        end: The code point behind the last one.
        heading: The path of headings that it stands under, joined by " › "; may be empty.
    """

    start: int
    end: int
    heading: str = ""


def chunk(text: str, mode: Chunking = Chunking.STRUCTURE) -> list[Chunk]:
    """Cut a text into passages, in order; none is blank, none longer than `SIZE`.

    Structure mode packs whole blocks; a passage that holds `ENOUGH` ends before a heading; only a block
    that is longer than `SIZE` is cut, with `OVERLAP`. Window mode is `windows(text)`, without headings.
    """
    if mode is Chunking.WINDOW:
        return [Chunk(start, end) for start, end in windows(text) if not text[start:end].isspace()]
    return list(_structure(text))


def windows(text: str, size: int = SIZE, overlap: int = OVERLAP) -> list[tuple[int, int]]:
    """The reference's fixed windows as (start, end) in code points (geekagent.md §2.8).

    The reference counts UTF-16 units, and so do `size` and `overlap`: an emoji counts twice. A window never
    holds half of one; its edge moves inwards instead. An empty text has no window.
    """
    points = _units_to_points(text)
    units = len(points) - 1
    spans, start = [], 0
    while units > 0:
        end = min(start + size, units)
        first = points[start]
        if start and points[start - 1] == first:
            first += 1
        spans.append((first, points[end]))
        if end == units:
            break
        start += size - overlap
    return spans


def _units_to_points(text: str) -> Sequence[int]:
    """For each UTF-16 offset, the code point that it stands at or in."""
    if not _TWO_UNITS.search(text):
        return range(len(text) + 1)
    points: list[int] = []
    for point, character in enumerate(text):
        points += (point,) if character < "\U00010000" else (point, point)
    return [*points, len(text)]


def _structure(text: str) -> Iterator[Chunk]:
    pack: list[Block] = []
    for block in blocks(text):
        if pack and block.is_heading and pack[-1].end - pack[0].start >= ENOUGH:
            yield _whole(pack)
            pack = []
        if pack and block.end - pack[0].start > SIZE:
            carried = _carried(pack, block)
            if full := pack[: len(pack) - carried]:
                yield _whole(full)
            pack = pack[len(pack) - carried :]
        pack.append(block)
        if block.end - pack[0].start > SIZE:
            heading = _heading(pack)
            *full_pieces, last = _cut(text, pack[0].start, block.end)
            yield from (Chunk(start, end, heading) for start, end in full_pieces)
            pack = [Block(*last, is_heading=False, path=heading)]
    if pack:
        yield _whole(pack)


def _carried(pack: Sequence[Block], block: Block) -> int:
    """How many headings at the end of a full passage go with the block that they announce."""
    headings = _leading_headings(pack[::-1])
    fits = headings and block.end - pack[-headings].start <= SIZE
    return headings if fits or block.end - block.start > SIZE else 0


def _whole(pack: Sequence[Block]) -> Chunk:
    return Chunk(pack[0].start, pack[-1].end, _heading(pack))


def _heading(pack: Sequence[Block]) -> str:
    """The path at a passage's start, the headings that it starts with included."""
    return pack[max(0, _leading_headings(pack) - 1)].path


def _leading_headings(pack: Sequence[Block]) -> int:
    return next((number for number, block in enumerate(pack) if not block.is_heading), len(pack))


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Cut one block that is too long; each piece has something new, and no space at its ends."""
    cut = told = start
    while cut < end:
        new = cut
        cut = end if end - start <= SIZE else _last_cut(text, start, new + OVERLAP + 1)
        piece = text[start:cut].rstrip()
        if start + len(piece) > told:
            told = start + len(piece)
            yield told - len(piece.lstrip()), told
        start = _next_start(text, start, cut)


def _last_cut(text: str, start: int, earliest: int) -> int:
    """The best place to end a piece that begins at `start`, not before `earliest`."""
    latest = start + SIZE
    for pattern, low in ((_SENTENCE_END, earliest), (_SPACE, latest - OVERLAP)):
        cut = 0
        for match in pattern.finditer(text, low - 1, latest + 1):
            if low <= match.end() <= latest:
                cut = match.end()
        if cut:
            return cut
    cut = start
    for match in _GRAPHEME.finditer(text, start, latest + 1):
        if match.end() > latest:
            break
        cut = match.end()
    # One "character" of more than 700 marks is an attack: cut through it.
    return cut if cut >= earliest else latest


def _next_start(text: str, start: int, cut: int) -> int:
    """Where the next piece begins: `OVERLAP` before the cut, at a whole character."""
    wanted = cut - OVERLAP
    if _WHOLE_CHARACTERS.match(text, wanted - 1):
        return wanted
    position: int = start
    for match in _GRAPHEME.finditer(text, start, cut):
        position = match.start()
        if position >= wanted:
            return position
    return cut if position < wanted else position
