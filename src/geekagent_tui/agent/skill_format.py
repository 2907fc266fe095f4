"""What a `SKILL.md` says: an optional header between `---` lines, then the instructions."""

from __future__ import annotations

import re
from dataclasses import dataclass

from geekagent_tui.i18n import _
from geekagent_tui.sanitize import clean, clean_line

DESCRIPTION_LENGTH = 300
_FENCE = "---"
_ENTRY = re.compile(r"([\w-]+)\s*:\s*(.*)")
_LISTS = frozenset({"tools", "allowed-tools", "allowed_tools"})
_BLOCK = re.compile(r"[>|][+-]?")


class SkillError(Exception):
    """A skill can't be used; the text is a clause that says why."""


@dataclass(frozen=True, slots=True)
class SkillText:
    """A `SKILL.md`.

    Attributes:
        description: One line; may be empty.
        tools: The only tools it may use; None when it may use all.
        instructions: For the model.
    """

    description: str
    tools: tuple[str, ...] | None
    instructions: str


def parse(text: str) -> SkillText:
    """Read a `SKILL.md`.

    As in the reference, lines that begin with `-` name tools, whatever key they stand below. `tools` and
    `allowed-tools` may also hold them in one line.

    Raises:
        SkillError: The header has no end: it would swallow the instructions.
    """
    lines = clean(text.removeprefix("\ufeff")).split("\n")
    if lines[0].rstrip() != _FENCE:
        return SkillText("", None, "\n".join(lines).strip())
    end = next((place for place, line in enumerate(lines) if place and line.rstrip() == _FENCE), None)
    if end is None:
        raise SkillError(_("SKILL.md 的头部没有结束的 ---"))
    header = _Header()
    for line in lines[1:end]:
        header.take(line)
    return SkillText(header.described(), header.tools, "\n".join(lines[end + 1 :]).strip())


class _Header:
    """The header's lines, one after another."""

    def __init__(self) -> None:
        self.tools: tuple[str, ...] | None = None
        self._description: list[str] = []
        self._key = ""

    def take(self, line: str) -> None:
        stripped = line.strip()
        if stripped.startswith("-"):
            self._add(stripped[1:])
        elif line[:1].isspace():
            if self._key == "description":
                self._description.append(stripped)
        elif entry := _ENTRY.fullmatch(stripped):
            self._key, value = entry[1].casefold(), entry[2]
            if self._key == "description":
                self._description = [] if _BLOCK.fullmatch(value) else [_unquoted(value)]
            elif self._key in _LISTS:
                self._named(value)

    def described(self) -> str:
        return clean_line(" ".join(self._description))[:DESCRIPTION_LENGTH].strip()

    def _named(self, value: str) -> None:
        """Names in one line; an empty list means no tool, nothing at all means that the list follows."""
        if value.strip():
            self.tools = self.tools or ()
        for name in value.strip().strip("[]").split(","):
            self._add(name)

    def _add(self, name: str) -> None:
        if plain := _unquoted(name):
            self.tools = (*(self.tools or ()), plain)


def _unquoted(value: str) -> str:
    value = value.strip()
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value
