"""Inline markup of reStructuredText as Markdown: what a reader of the manual sees."""

from __future__ import annotations

import re

_LITERAL = re.compile(r"``(.+?)``", re.DOTALL)
_ROLE = re.compile(r":([a-zA-Z][\w:+.\-]{0,60}):`([^`]{1,500})`")
_TITLED = re.compile(r"(.+?)\s*<[^<>]*>\Z", re.DOTALL)
_INTERPRETED = re.compile(r"`([^`\n]{1,500}(?:\n[^`\n]{1,500})?)`(_{0,2})")
_REFERENCE = re.compile(r"(?<![\w`])([A-Za-z][A-Za-z0-9]*(?:[-.+_][A-Za-z0-9]+){0,8})__?(?![\w`])")
_TARGET = re.compile(r"(?<!\w)_(?=`[^`\n])")
_FOOTNOTE = re.compile(r"(\[[^\]\s]{1,60}\])_(?!\w)")
_SUBSTITUTION = re.compile(r"\|([^|\n]{1,80})\|_{0,2}")
_ESCAPE = re.compile(r"\\(\s|.)", re.DOTALL)
_PROSE_ROLES = re.compile(
    r"(?:std:)?(?:ref|doc|term|numref|any|abbr|guilabel|menuselection|title|sub|sup|emphasis|strong"
    r"|t|pep|rfc|download|dfn|index|option|cite(?::\w+)?)\Z"
)
_CODE_MARK = "\x00"


class Inline:
    """Turns inline markup to Markdown; learns substitutions on the way."""

    def __init__(self) -> None:
        self._substitutions: dict[str, str] = {}

    def substitute(self, name: str, text: str) -> None:
        """Learn that `|name|` stands for a text."""
        self._substitutions[name.strip().casefold()] = text.strip()

    def text(self, text: str) -> str:
        """A paragraph's text: references are their words, literals and roles of names are code."""
        held: list[str] = []

        def hold(code: str) -> str:
            held.append(code)
            return f"{_CODE_MARK}{len(held) - 1}{_CODE_MARK}"

        text = _LITERAL.sub(lambda match: hold(f"`{match.group(1)}`"), text.replace(_CODE_MARK, ""))
        text = _ROLE.sub(lambda match: hold(_role(match.group(1), match.group(2))), text)
        text = _TARGET.sub("", text)
        text = _INTERPRETED.sub(lambda match: _interpreted(match.group(1)), text)
        text = _SUBSTITUTION.sub(self._substituted, text)
        text = _FOOTNOTE.sub(r"\1", _REFERENCE.sub(r"\1", text))
        text = _ESCAPE.sub(lambda match: match.group(1).strip(), text)
        return re.sub(f"{_CODE_MARK}(\\d+){_CODE_MARK}", lambda match: held[int(match.group(1))], text)

    def plain(self, text: str) -> str:
        """A title's text, without marks."""
        return re.sub(r"[`*]", "", self.text(text)).strip()

    def _substituted(self, match: re.Match[str]) -> str:
        return self._substitutions.get(match.group(1).strip().casefold(), match.group())


def _role(name: str, text: str) -> str:
    titled = _TITLED.match(text)
    shown = (titled.group(1) if titled else text).lstrip("~!")
    if text.startswith("~"):
        shown = shown.rpartition(".")[2]
    return shown if _PROSE_ROLES.match(name) else f"`{shown}`"


def _interpreted(text: str) -> str:
    titled = _TITLED.match(text)
    return titled.group(1) if titled else text
