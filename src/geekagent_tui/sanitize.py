"""One sanitiser for all foreign text on its way to a terminal.

Terminals obey control bytes wherever they come from: a page's title could write the clipboard (OSC 52), a
file's name could move the cursor, a bidi override could show a URL backwards (CVE-2021-42574). `clean`
makes any string harmless; `clean_value` does so for every string inside an event or result.
"""

from __future__ import annotations

import dataclasses
import re
from enum import Enum
from typing import TypeVar

_T = TypeVar("_T")

# Removed: what a reader never misses and a terminal may act on.
#   - bidi embeddings, overrides, isolates and marks (UAX #9): they reorder text that follows them
#   - interlinear annotation and object-replacement controls, byte-order marks, soft line controls
#   - tag characters (invisible text that models read and people do not)
_REMOVED = re.compile(
    "[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
# Shown as a symbol: C0 but for tab and newline, DEL, C1, lone surrogates, noncharacters.
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef"
    + "".join(f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0, 0x110000, 0x10000))
    + "]"
)
# What stands before the last `@` of a web address's host; in JSON its slashes may be escaped.
_CREDENTIALS = re.compile(r"(https?:(?:\\?/){2})[^\s/?#\"'<>\\]+@", re.IGNORECASE)
_LINE_ENDS = re.compile("\r\n?|[\u2028\u2029\x85]")


def _symbol(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)  # Control Pictures: ESC becomes ␛
    return "␡" if code == 0x7F else "\ufffd"


def clean(text: str) -> str:
    """Make text harmless to show: no byte of the result can steer a terminal or hide what it says.

    Line ends become newlines, control characters become visible symbols, invisible and bidi controls vanish,
    lone surrogates become U+FFFD, so the result always encodes. Idempotent. Zero-width joiners stay: emoji
    and Indic scripts need them.
    """
    if text.isascii() and text.isprintable():
        return text
    text = _LINE_ENDS.sub("\n", text)
    return _CONTROL.sub(_symbol, _REMOVED.sub("", text))


def clean_line(text: str) -> str:
    """`clean`, on one line: every run of white space becomes one space."""
    return " ".join(clean(text).split())


def hide_credentials(text: str) -> str:
    """The text without the user names and passwords of web addresses in it; idempotent."""
    return _CREDENTIALS.sub(r"\1***@", text)


def clean_value(value: _T) -> _T:
    """A copy of a value with every string in it cleaned: dataclasses, tuples, lists, dicts, to any depth."""
    cleaned: object = value
    if isinstance(value, Enum):
        return value
    if isinstance(value, str):
        cleaned = clean(value)
    elif isinstance(value, tuple | list):
        cleaned = type(value)(clean_value(item) for item in value)
    elif isinstance(value, dict):
        cleaned = {clean_value(key): clean_value(item) for key, item in value.items()}
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        cleaned = dataclasses.replace(
            value,
            **{f.name: clean_value(getattr(value, f.name)) for f in dataclasses.fields(value) if f.init},
        )
    return cleaned  # type: ignore[return-value]  # same type as `value` by construction
