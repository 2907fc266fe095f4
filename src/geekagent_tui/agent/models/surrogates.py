"""Halves of characters: JSON can write 😀 as two escapes of four digits, and servers cut between them."""

from __future__ import annotations

import re

_SURROGATE = re.compile("[\ud800-\udfff]")


def mend(text: str) -> str:
    """The text with halves that belong together joined, and lone ones replaced by U+FFFD.

    What comes out can be written as UTF-8.
    """
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def ends_in_half(text: str) -> bool:
    """Whether the other half of the last character may still come."""
    return "\ud800" <= text[-1:] <= "\udbff"
