"""The first and the last blocks of a text that was guessed out of a page, where guesses go wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence

from geekagent_tui.rag.extract.article import said

_FIRST = 6  # blocks that are looked at for the headline
_MUCH = 0.5  # of a title: the rest of it names the site
_ABOVE = 0.1  # of the text: more above the headline is text
_DATED = 3  # blocks, of which one may be the line that dates the text
_SHORT = 80  # characters of that line at most
_HEADING = re.compile(r"#{1,6} ")
_DATE = re.compile(
    r"\b(?:19|20)\d\d\s?[-/.年]\s?\d{1,2}\s?[-/.月]\s?\d{1,2}|\b\d{1,2}[-/.]\d{1,2}[-/.](?:19|20)\d\d\b"
    r"|\b\d{1,2} \w{3,10} (?:19|20)\d\d\b|\b\w{3,10} \d{1,2}, (?:19|20)\d\d\b"
)
_SENTENCE = re.compile(r"[.!?。！？…](?:\s|$)")


def trim(text: str, title: str, repeated: Sequence[str]) -> str:
    """A text without what stands above its headline, the line that dates it, and a heading of nothing.

    Args:
        text: Rendered blocks with empty lines between them.
        title: The document's.
        repeated: What its first headings only repeat, as `said`; those go too.
    """
    blocks = _below_headline(text.split("\n\n"), title)
    blocks[:_FIRST] = [block for block in blocks[:_FIRST] if not _repeats(block, repeated)]
    blocks[:_DATED] = [block for block in blocks[:_DATED] if not _is_dateline(block)]
    while blocks and _HEADING.match(blocks[-1]):
        del blocks[-1]
    return "\n\n".join(blocks) or text


def _below_headline(blocks: list[str], title: str) -> list[str]:
    """From the block that says the title on: navigation and breadcrumbs stand above it."""
    whole = said(title)
    if not whole:
        return blocks
    for at, block in enumerate(blocks[:_FIRST]):
        words = said(block)
        if words in whole and len(words) >= _MUCH * len(whole):
            above = sum(map(len, blocks[:at]))
            return blocks[at:] if above <= _ABOVE * sum(map(len, blocks)) else blocks
    return blocks


def _repeats(block: str, repeated: Sequence[str]) -> bool:
    if not _HEADING.match(block):
        return False
    words = said(block)
    return any(words in one and len(words) >= _MUCH * len(one) for one in repeated)


def _is_dateline(block: str) -> bool:
    return (
        len(block) <= _SHORT
        and "\n" not in block
        and not _HEADING.match(block)
        and _DATE.search(block) is not None
        and _SENTENCE.search(block) is None
    )
