"""Hiding secrets in texts that go to a model or to the screen."""

from __future__ import annotations

import re
from collections.abc import Mapping

_SECRET_NAME = re.compile(r"(?:^|_)(?:api_?)?(?:key|token|secret|password)s?(?:_|$)", re.IGNORECASE)
_SHORTEST = 8
"""Characters below which a value is no secret but a word that occurs anywhere (`true`, `us`)."""


def find_secrets(*places: Mapping[str, str]) -> dict[str, str]:
    """Secret values and the names they are replaced by.

    A variable is secret when KEY, TOKEN, SECRET or PASSWORD is a part of its name between underscores, so
    that `TOKENIZERS_PARALLELISM` and `KEYBOARD_LAYOUT` are not, and when it has 8 characters or more.
    """
    return {
        value.strip(): name
        for place in reversed(places)
        for name, value in place.items()
        if len(value.strip()) >= _SHORTEST and _SECRET_NAME.search(name)
    }


def mask(text: str, secrets: Mapping[str, str]) -> str:
    """The text with every secret replaced by `[REDACTED:NAME]`."""
    # One secret may be a part of another: the longest go first, so that nothing is left of them.
    for value in sorted(secrets, key=len, reverse=True):
        text = text.replace(value, f"[REDACTED:{secrets[value]}]")
    return text
