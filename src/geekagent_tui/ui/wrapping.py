"""Breaking lines for reading: Chinese anywhere but before a closing mark, other scripts at spaces.

Textual and Rich take a run of Chinese for one word, so that a line ends early wherever such a run does not
fit whole. `teach_chinese` gives them our idea of a word; everything drawn then breaks alike.
"""

from __future__ import annotations

import re
from itertools import pairwise

import rich._wrap
import textual._wrap
from rich._wrap import divide_line

_OPENERS = "《「『（【〈〔“"
_CLOSERS = "，。、；：？！）》」』】〉〕”…"
_WIDE = "\u2e80-\u2fff\u3005-\u3007\u3021-\u30ff\u3400-\u9fff\uf900-\ufaff\uff10-\uff5a\U00020000-\U0003ffff"
_OTHER = rf"[^\s{_OPENERS}{_CLOSERS}{_WIDE}]"
# A Chinese character or a word of another script, with the marks that must not be torn from it.
_UNIT = rf"(?:[{_OPENERS}]*(?:[{_WIDE}]|{_OTHER}+)[{_CLOSERS}]*|[{_OPENERS}{_CLOSERS}]+)"


def teach_chinese() -> None:
    """Let Rich and Textual break Chinese lines where Chinese lines are broken; safe to call twice."""
    rich._wrap.re_word = re.compile(rf"\s*{_UNIT}\s*")
    textual._wrap.re_chunk = re.compile(rf"{_UNIT}\s*|\s+")


def wrap_spans(text: str, width: int) -> list[tuple[int, int]]:
    """Where each line of a wrapped text begins and ends, in characters.

    Takes seconds for millions of characters: call it off the event loop when a text may be long.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        breaks = [start + place for place in divide_line(line, width)] if len(line) * 2 > width else []
        edges = [start, *breaks, end]
        spans.extend(pairwise(edges))
        start = end + 1
    return spans


def wrap(text: str, width: int) -> list[str]:
    """Text in lines of at most `width` cells; its own line breaks and indents stay."""
    text = text.expandtabs(4)
    return [text[start:end].rstrip() for start, end in wrap_spans(text, width)]
