"""Quoting foreign text in Markdown so that it shows as written: no link, image, heading or HTML."""

from __future__ import annotations

import re

from geekagent_tui.sanitize import clean, clean_line

# What Markdown would act on, and nothing more, so that the quote reads well unrendered too. GitHub's
# autolinks (`://`, `www.`, a dot before a top-level domain, `@`) are cut by the same backslash.
_ACTIVE = re.compile(
    r"""
    [\\`*\[\]~]               # escapes, code, emphasis, links, images, strikethrough
    | (?<![^\W_])_ | _(?![^\W_])  # emphasis; not inside a word: MAX_HISTORY_CHARS
    | <(?=[A-Za-z/!?])        # HTML, autolinks
    | &(?=\#?\w+;)            # entities
    | :(?=//)
    | @
    | (?<=\w)\.(?=[^\W\d_])
    """,
    re.VERBOSE,
)
# What begins a block: headings, quotes, lists, rules, underlines of headings, tables, definitions.
_OPENING = re.compile(r"(\d{1,9})([.)])|([#>+=|:-])")
# A whole code span shows its text to the letter as it is; one of blanks at an end would lose them.
_CODE_SPAN = re.compile(r"((?<!`)`(?![\s`])[^`]*(?<!\s)`(?!`))")
_BACKTICKS = re.compile(r"`+")
_LANGUAGE = re.compile(r"[\w+#-]*")


def literal(text: str) -> str:
    """Foreign text on one line, for use inside a Markdown paragraph."""
    return _opened(clean_line(text))


def quote(text: str) -> str:
    """Foreign text as a block quote of one paragraph; `code spans` stay code."""
    parts = _CODE_SPAN.split(clean_line(text))
    parts[::2] = [_opened(parts[0]), *map(_escape, parts[2::2])]
    return f"> {''.join(parts)}"


def quote_code(code: str, language: str = "") -> str:
    """Foreign code as a fence inside a block quote, to the letter."""
    code = clean(code)
    longest = max(map(len, _BACKTICKS.findall(code)), default=0)
    fence = "`" * max(3, longest + 1)
    known = _LANGUAGE.fullmatch(language)
    lines = [fence + (known.group() if known else ""), *code.split("\n"), fence]
    return "\n".join(f"> {line}".rstrip() for line in lines)


def _opened(line: str) -> str:
    """A line that begins no block."""
    opening = _OPENING.match(line)
    if opening is None:
        return _escape(line)
    number, behind, sign = opening.groups()
    return f"{number or ''}\\{sign or behind}{_escape(line[opening.end() :])}"


def _escape(line: str) -> str:
    return _ACTIVE.sub(r"\\\g<0>", line)
