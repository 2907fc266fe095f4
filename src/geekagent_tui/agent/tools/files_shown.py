"""How the file tools name things to the model."""

from __future__ import annotations

import difflib
import os

from geekagent_tui.agent.tools.base import Arguments
from geekagent_tui.i18n import _
from geekagent_tui.sanitize import clean

_DIFF_LINES = 2000
_DIFF_LINE = 500
_COMPARED_LINES = 4000


def shown(path: str) -> str:
    """A path on one line; bytes that are no UTF-8 in hexadecimal, line ends and controls as symbols."""
    text = os.fsencode(path).decode("utf-8", "backslashreplace")
    return clean(text.replace("\r", "␍").replace("\t", "␉")).replace("\n", "␊")


def offset_of(arguments: Arguments) -> int:
    """The argument `offset`: a whole number, at least 0; anything else counts as 0."""
    value = arguments.get("offset")
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 15:
        value = int(value)
    return max(0, value) if isinstance(value, int) and not isinstance(value, bool) else 0


def more(offset: int) -> str:
    """The line that says where to go on."""
    return _("...(续看可用 offset={offset})").format(offset=offset)


def stretch(text: str, start: int, most: int) -> tuple[str, int]:
    """At most so many characters of a text, with a line that says where to go on; and where they end."""
    end = min(len(text), start + most)
    piece = text[start:end]
    if end < len(text):
        piece += "\n" + _("...(已截断，续读可用 offset={offset})").format(offset=end)
    return piece, end


def unified_diff(before: str, after: str, path: str) -> str:
    """What changes between two texts; line ends do not show. Long ones are cut, and say so."""
    old, new = before.splitlines(), after.splitlines()
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    if max(len(old), len(new)) - start - end > _COMPARED_LINES:
        lines = [f"@@ -{start + 1} +{start + 1} @@"]
        lines += [f"-{line}" for line in old[start : len(old) - end]]
        lines += [f"+{line}" for line in new[start : len(new) - end]]
    else:
        lines = _hunks(old, new, start, end)
    name = shown(path)
    lines = [f"--- {name}", f"+++ {name}", *lines]
    shown_lines = [
        line if len(line) <= _DIFF_LINE else f"{line[:_DIFF_LINE]}…" for line in lines[:_DIFF_LINES]
    ]
    if len(lines) > _DIFF_LINES:
        shown_lines.append(_("...(diff 太长，仅展示前 {n} 行)").format(n=_DIFF_LINES))
    return "\n".join(shown_lines)


def _hunks(old: list[str], new: list[str], start: int, end: int) -> list[str]:
    """The hunks, comparing only what lies between the common beginning and end."""
    first, margin = max(0, start - 3), min(end, 3)
    compared = difflib.unified_diff(
        old[first : len(old) - end + margin], new[first : len(new) - end + margin], lineterm=""
    )
    return [_moved(line, first) if line.startswith("@@") else line for line in list(compared)[2:]]


def _moved(header: str, by: int) -> str:
    """A hunk's header with its line numbers raised."""
    words = header.split(" ")
    for place in (1, 2):
        sign, (number, *count) = words[place][0], words[place][1:].split(",")
        words[place] = sign + ",".join([str(int(number) + by), *count])
    return " ".join(words)


def _common(first: list[str], second: list[str]) -> int:
    """How many lines both begin with."""
    for number, (one, other) in enumerate(zip(first, second, strict=False)):
        if one != other:
            return number
    return min(len(first), len(second))
