"""The options in a command's arguments: `--name value`, `--name=value` and `--flag`, anywhere in the line."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from geekagent_tui.i18n import _
from geekagent_tui.rag.words import split_words

_DIGITS = 20
"""Digits of a number that are told."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a line says.

    Attributes:
        words: What is no option, in order.
        values: The values of each option, in order.
        flags: The flags that are there.
        incomplete: The option that has no value behind it; "" when all have theirs.
    """

    words: tuple[str, ...]
    values: dict[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    flags: frozenset[str] = frozenset()
    incomplete: str = ""

    def last(self, name: str) -> str | None:
        """The last value of an option; None when it is not there."""
        return self.values[name][-1] if name in self.values else None


def parse(line: str, *, values: Collection[str] = (), flags: Collection[str] = ()) -> Parsed:
    """Read a line.

    Args:
        line: As it was typed; quotes keep words together.
        values: The names of options with a value, such as `--tag`.
        flags: The names of options without one.
    """
    words: list[str] = []
    found: dict[str, tuple[str, ...]] = {}
    seen: set[str] = set()
    rest = iter(split_words(line))
    for word in rest:
        name, equals, value = word.partition("=")
        if word in flags:
            seen.add(word)
        elif name in values:
            given = value if equals else next(rest, "")
            if not given.strip():
                return Parsed(tuple(words), found, frozenset(seen), name)
            found[name] = (*found.get(name, ()), given)
        else:
            words.append(word)
    return Parsed(tuple(words), found, frozenset(seen))


def missing(words: Iterable[str], most: int) -> str:
    """A sentence about the first word that is a number but none from 1 to `most`; "" when there is none."""
    for word in words:
        if word.isascii() and word.isdecimal() and number(word, most) is None:
            return _("没有第 {n} 条").format(n=word.lstrip("0")[:_DIGITS] or "0")
    return ""


def number(word: str, most: int) -> int | None:
    """A number from 1 to `most`; None when the word is none."""
    if word.isascii() and word.isdecimal() and len(word) < 10 and 1 <= int(word) <= most:
        return int(word)
    return None
