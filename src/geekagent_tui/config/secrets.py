"""Hiding secrets in texts that go to a model or to the screen."""

from __future__ import annotations

import re
from collections.abc import Mapping

_SECRET_NAME = re.compile(r"(?:^|_)(?:api_?)?(?:key|token|secret|password)s?(?:_|$)", re.IGNORECASE)
_SHORTEST = 8
"""Characters below which a value is no secret but a word that occurs anywhere (`true`, `us`)."""

_LONG = 20
"""Characters that an ordinary word does not have."""
_ONE_WORD = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9_+/=.~:-]*", re.ASCII)
_FILE_NAME = re.compile(r"\.[a-zA-Z][a-zA-Z0-9]{0,4}\Z|://")
"""What ends like a file's name, or is an address."""


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


def find_foreign_secrets(variables: Mapping[str, str]) -> dict[str, str]:
    """Secret values of a file that the user has not agreed to, and the names they are replaced by.

    Only what looks made by chance counts. Whoever wrote the file could else name a word, a command or a
    file's name a key, and so hide what a tool is going to do from the user who is asked about it.
    """
    return {value: name for value, name in find_secrets(variables).items() if _looks_random(value)}


def _looks_random(value: str) -> bool:
    if not _ONE_WORD.fullmatch(value) or _FILE_NAME.search(value):
        return False
    letters, digits = re.search("[a-zA-Z]", value), re.search("[0-9]", value)
    if "/" in value:  # base64, or a path
        return bool(len(value) >= _LONG and digits and letters and value.lower() != value != value.upper())
    return bool(letters and (digits or len(value) >= _LONG))


def mask(text: str, secrets: Mapping[str, str]) -> str:
    """The text with every secret replaced by `[REDACTED:NAME]`."""
    # One secret may be a part of another: the longest go first, so that nothing is left of them.
    for value in sorted(secrets, key=len, reverse=True):
        text = text.replace(value, f"[REDACTED:{secrets[value]}]")
    return text
