"""The reference's `index.json`: its text ↔ documents.

`{"docs": [{"title", "source", "addedAt", "chunks": [{"entry", "index", "start", "text"}]}]}`, two spaces of
indentation, a newline at the end. `start` counts UTF-16 units there. A tagged document's entry has `"tags"`
too, a list of names. Passages of ours leave out the newlines between them, which `start` tells; where more is
left out, `"gaps"` lists what stands before, between and behind them.

What can't be told in our own terms (a passage that begins with half an emoji, passages that don't fit
together, unknown fields) is kept as it was and written back so, until the document changes.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate
from typing import Any

from geekagent_tui.rag.errors import TagError
from geekagent_tui.rag.queries import Kept
from geekagent_tui.rag.rows import from_iso, to_iso
from geekagent_tui.rag.store import Span
from geekagent_tui.rag.tags import clean_tags, in_order

_TWO_UNITS = re.compile("[\U00010000-\U0010ffff]")
_LONE = re.compile("[\ud800-\udfff]")
_BETWEEN = "\n\n"
_WIDEST = 1000
"""Newlines that a place without text may stand for: more of them are somebody's mistake."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One document of an index.json.

    Attributes:
        source: As it was typed there.
        tags: Empty when there is no list of names that can be tags.
        text: Put together from the chunks.
        raw: The entry as it stands.
        laid_out: The same as `render` writes it.
    """

    title: str
    source: str
    added_at: datetime | None
    tags: tuple[str, ...]
    text: str
    spans: tuple[Span, ...]
    raw: dict[str, Any]
    laid_out: str

    def original(self, source: str) -> str | None:
        """The entry as JSON when `render` would not give it back from a document with this source."""
        if self.added_at is not None:
            tags = in_order(self.tags)
            made = _rendered(self.title, source, self.added_at, tags, self.text, self.spans)
            if made == self.laid_out:
                return None
        return json.dumps(self.raw)

    def says_the_same(self, kept: Kept) -> bool:
        """Whether a document has this entry's title and chunks."""
        if self.title != kept.document.title:
            return False
        if kept.original is not None:
            return _chunks(self.raw) == _chunks(json.loads(kept.original))
        made = zip(_units(kept.text, kept.spans), _texts(kept.text, kept.spans), strict=True)
        # Somebody who knows nothing of gaps leaves them out
        return _chunks(self.raw) == list(made) and ("gaps" not in self.raw or self.text == kept.text)


def parse(data: bytes) -> tuple[list[Entry], int]:
    """Read an index.json.

    Returns:
        The usable entries (a title and a list of chunks with texts), and the number of the others.

    Raises:
        ValueError: It is not JSON, or not of this shape.
    """
    try:
        found = json.loads(data.decode("utf-8-sig"))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(found, dict) or not isinstance(found.get("docs"), list):
        raise ValueError("no list of documents")
    entries = [_entry(doc) for doc in found["docs"]]
    usable = [entry for entry in entries if entry is not None]
    return usable, len(entries) - len(usable)


def render(documents: Iterable[Kept]) -> Iterator[str]:
    """Write an index.json, piece by piece."""
    yield '{\n  "docs": ['
    separator = "\n"
    for kept in documents:
        yield separator
        yield (
            _made(kept) if kept.original is None else _laid_out(_with_tags(kept.original, kept.document.tags))
        )
        separator = ",\n"
    yield "]\n}\n" if separator == "\n" else "\n  ]\n}\n"


def _made(kept: Kept) -> str:
    document = kept.document
    return _rendered(document.title, document.source, document.added_at, document.tags, kept.text, kept.spans)


def _with_tags(original: str, tags: tuple[str, ...]) -> Any:
    """An entry that is kept as it was, with the tags that its document has now."""
    raw = json.loads(original)
    if in_order(_tags(raw.get("tags"))) != tags:
        raw["tags"] = list(tags)
    return raw


def _tags(value: object) -> tuple[str, ...]:
    """A list of tags; empty for anything else, and when one of them is not spelled as tags are."""
    if not isinstance(value, list) or not all(isinstance(tag, str) for tag in value):
        return ()
    try:
        tags = clean_tags(value)
    except TagError:
        return ()
    return tags if list(tags) == value else ()


def _entry(raw: Any) -> Entry | None:
    """An entry that the reference would keep, if its chunks have texts."""
    if not isinstance(raw, dict) or not isinstance(raw.get("title"), str):
        return None
    chunks = raw.get("chunks")
    if not isinstance(chunks, list) or not all(
        isinstance(chunk, dict) and isinstance(chunk.get("text"), str) for chunk in chunks
    ):
        return None
    try:
        laid_out = _laid_out(raw)
    except RecursionError:  # other fields, nested too deeply to be written back
        return None
    parts = _chunks(raw)
    text, spans = _together(parts, _listed_gaps(raw)) or _together(parts, ()) or _side_by_side(parts)
    typed = raw.get("source")
    source = typed if isinstance(typed, str) and typed.strip() else raw["title"]
    return Entry(
        title=_whole(raw["title"]),
        source=_whole(source),
        added_at=_moment(raw.get("addedAt")),
        tags=_tags(raw.get("tags")),
        text=text,
        spans=spans,
        raw=raw,
        laid_out=laid_out,
    )


def _chunks(raw: dict[str, Any]) -> list[tuple[object, str]]:
    return [(chunk.get("start"), chunk["text"]) for chunk in raw["chunks"]]


def _listed_gaps(raw: dict[str, Any]) -> tuple[str, ...]:
    """What an entry says stands between its chunks; empty when it is not one text more than these."""
    gaps = raw.get("gaps")
    if not isinstance(gaps, list) or not all(isinstance(gap, str) for gap in gaps):
        return ()
    return tuple(gaps) if len(gaps) == len(raw["chunks"]) + 1 else ()


def _together(
    chunks: Sequence[tuple[object, str]], gaps: Sequence[str]
) -> tuple[str, tuple[Span, ...]] | None:
    """The text that overlapping windows, or passages with gaps between them, were cut from.

    Args:
        chunks: Start and text of each.
        gaps: What is before, between and behind them; empty where that is newlines.

    Returns:
        None when they don't fit together.
    """
    units = bytearray()  # UTF-16, two bytes each
    places: list[tuple[int, int]] = []
    for number, (start, text) in enumerate(chunks):
        data = text.encode("utf-16-le", "surrogatepass")
        if type(start) is not int or start < 0:
            return None
        wide = max(0, start - len(units) // 2)
        gap = gaps[number] if gaps else "\n" * min(wide, _WIDEST)
        units += gap.encode("utf-16-le", "surrogatepass")
        if start * 2 > len(units) or (wide == 0 and gap):
            return None
        known = units[start * 2 : start * 2 + len(data)]
        if known != data[: len(known)]:
            return None
        units += data[len(known) :]
        places.append((start, start + len(data) // 2))
    units += (gaps[-1] if gaps else "").encode("utf-16-le", "surrogatepass")
    try:
        whole = units.decode("utf-16-le")
    except UnicodeDecodeError:
        return None
    points = _points(whole)
    spans = tuple(Span(points[start], points[end] - points[start]) for start, end in places)
    return whole, spans


def _side_by_side(chunks: Sequence[tuple[object, str]]) -> tuple[str, tuple[Span, ...]]:
    """The chunks one after another, each a passage of its own."""
    texts = [_whole(text) for _, text in chunks]
    starts = accumulate((len(text) + len(_BETWEEN) for text in texts), initial=0)
    spans = tuple(Span(start, len(text)) for start, text in zip(starts, texts, strict=False))
    return _BETWEEN.join(texts), spans


def _points(text: str) -> Sequence[int]:
    """The code point at each UTF-16 unit; half a character belongs to the whole one."""
    if not _TWO_UNITS.search(text):
        return range(len(text) + 1)
    return [at for at, char in enumerate(text) for _ in range(1 + (char > "\uffff"))] + [len(text)]


def _units(text: str, spans: Sequence[Span]) -> list[int]:
    """Where each passage starts in UTF-16 units."""
    pairs = [match.start() for match in _TWO_UNITS.finditer(text)]
    return [span.start + bisect_left(pairs, span.start) for span in spans]


def _texts(text: str, spans: Sequence[Span]) -> list[str]:
    return [text[span.start : span.start + span.length] for span in spans]


def _gaps(text: str, spans: Sequence[Span]) -> list[str]:
    """What is before, between and behind the passages; empty when their places tell it all."""
    gaps = []
    end = 0
    for span in spans:
        gaps.append(text[end : span.start])
        end = max(end, span.start + span.length)
    gaps.append(text[end:])
    told = not gaps[-1] and all(len(gap) <= _WIDEST and not gap.strip("\n") for gap in gaps)
    return [] if told else gaps


def _rendered(
    title: str, source: str, added_at: datetime, tags: Sequence[str], text: str, spans: Sequence[Span]
) -> str:
    """One entry as `JSON.stringify` lays it out inside the list."""
    chunks = ",".join(
        f'\n        {{\n          "entry": 0,\n          "index": {index},\n          "start": {start},'
        f'\n          "text": {_quoted(part)}\n        }}'
        for index, (start, part) in enumerate(zip(_units(text, spans), _texts(text, spans), strict=True))
    )
    listed = f"[{chunks}\n      ]" if chunks else "[]"
    further = _names("tags", tags) + _names("gaps", _gaps(text, spans))
    return (
        f'    {{\n      "title": {_quoted(title)},\n      "source": {_quoted(source)},'
        f'\n      "addedAt": {_quoted(to_iso(added_at))},{further}\n      "chunks": {listed}\n    }}'
    )


def _names(key: str, texts: Sequence[str]) -> str:
    """A list of texts in an entry, if there are any."""
    lines = ",".join(f"\n        {_quoted(text)}" for text in texts)
    return f'\n      "{key}": [{lines}\n      ],' if lines else ""


def _laid_out(entry: Any) -> str:
    """Any entry, laid out likewise."""
    text = json.dumps(entry, ensure_ascii=False, indent=2)
    text = _LONE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)
    return "    " + text.replace("\n", "\n    ")


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _whole(text: str) -> str:
    """A text that can be stored: halves of characters become U+FFFD."""
    return _LONE.sub("\ufffd", text)


def _moment(value: object) -> datetime | None:
    try:
        return from_iso(value) if isinstance(value, str) else None
    except (ValueError, OverflowError):
        return None
