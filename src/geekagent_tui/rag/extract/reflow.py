"""Printed lines into paragraphs: a word that a line break divides could not be found."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise

_ENDS = re.compile(r"[。！？!?….:：;；][”’」』）)\"'】》]*\Z")
_BEGINS = re.compile(
    r"[•·●○◦▪■□◆▶➢✓–—*\-]\s|[(（]?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5}|[一二三四五六七八九十]{1,3})[)）.、]\s*\S"
    r"|第[\d一二三四五六七八九十百]{1,5}[章节条篇]|\d{1,2}(?:\.\d{1,2}){1,4}\s"
)
_BULLET = re.compile(r"[•●○◦▪■□◆▶➢✓]\s*")
_FULL = 0.8  # a line below this share of the page's width ends its paragraph
_ALMOST = 0.95  # and so does a sentence's end below this one
_USUAL = 0.9  # the page's width is that of its lines, but for a few that stick out


def reflow(lines: Sequence[str]) -> list[str]:
    """The paragraphs that a page's lines make up; short lines that follow one another stay together.

    A paragraph ends at a short line, and before a bullet or a number. Between two Chinese or Japanese
    characters a line break is nothing, elsewhere it is a space.
    """
    blocks: list[str] = []
    after_line = False
    for paragraph, is_line in _paragraphs(lines):
        if is_line and after_line:
            blocks[-1] = f"{blocks[-1]}\n{paragraph}"
        else:
            blocks.append(paragraph)
        after_line = is_line
    return blocks


def _paragraphs(lines: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Paragraphs, and whether each is one line that does not end a sentence."""
    widths = sorted(map(_width, lines))
    width = widths[int(_USUAL * (len(widths) - 1))] if widths else 0
    held: list[str] = []
    for line in lines:
        if held and _BEGINS.match(line):
            yield _paragraph(held)
            held = []
        held.append(line)
        if _width(line) < (_ALMOST if _ENDS.search(line) else _FULL) * width:
            yield _paragraph(held)
            held = []
    if held:
        yield _paragraph(held)


def _paragraph(lines: Sequence[str]) -> tuple[str, bool]:
    parts = [lines[0]]
    for before, line in pairwise(lines):
        parts.append(line if _is_wide(before[-1]) and _is_wide(line[0]) else f" {line}")
    text = _BULLET.sub("- ", "".join(parts), count=1) if _BULLET.match(lines[0]) else "".join(parts)
    return text, len(lines) == 1 and _ENDS.search(text) is None


def _width(line: str) -> int:
    return len(line) if line.isascii() else sum(2 if _is_wide(character) else 1 for character in line)


def _is_wide(character: str) -> bool:
    """Whether a character needs no space beside it; Korean ones do."""
    return unicodedata.east_asian_width(character) in "WF" and not "\uac00" <= character <= "\ud7af"
