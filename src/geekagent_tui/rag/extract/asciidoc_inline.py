"""Inline markup of AsciiDoc as plain words and Markdown code."""

from __future__ import annotations

import re
from collections.abc import Mapping

_LINK = re.compile(r"(?:link:)?((?:https?|ftp)://[^\s\[\]]{1,2000})\[([^\]\n]{0,1000})\]")
_MACRO = re.compile(
    r"(?<![A-Za-z0-9])(?:link|xref|mailto|kbd|btn|menu|footnote|pass|image|icon|stem|indexterm2?|anchor):([^\s\[\]]{0,500})\[([^\]\n]{0,1000})\]"
)
_CROSS_REFERENCE = re.compile(r"<<([^<>,\n]+)(?:,([^<>\n]+))?>>")
_ANCHOR = re.compile(r"\[\[[^\[\]\n]*\]\]|\[#[\w\-]+\](?=[*_`#])")
_CODE = re.compile(r"`\+([^`\n]+?)\+`|``([^`\n]+)``")
_ATTRIBUTE = re.compile(r"\{([\w\-]+)\}")
_INDEX = re.compile(r"\(\(\(?([^()\n]*)\)?\)\)")
_SIGNS = {
    "nbsp": " ",
    "empty": "",
    "sp": " ",
    "plus": "+",
    "vbar": "|",
    "lt": "<",
    "gt": ">",
    "amp": "&",
    "asterisk": "*",
    "backtick": "`",
    "startsb": "[",
    "endsb": "]",
    "tilde": "~",
    "caret": "^",
    "cpp": "C++",
}


def inline(text: str, attributes: Mapping[str, str]) -> str:
    """A paragraph's text: links and references are their words, attributes their values.

    Args:
        text: One block.
        attributes: Names in lower case; unknown ones stay as they are.
    """
    text = _ATTRIBUTE.sub(lambda match: _attribute(match, attributes), text)
    text = _ANCHOR.sub("", text)
    text = _CODE.sub(lambda match: f"`{match.group(1) or match.group(2)}`", text)
    text = _LINK.sub(lambda match: _words(match.group(2)) or match.group(1), text)
    text = _MACRO.sub(_macro, text)
    text = _INDEX.sub(lambda match: "" if match.group().startswith("(((") else match.group(1), text)
    return _CROSS_REFERENCE.sub(lambda match: (match.group(2) or match.group(1)).strip(), text)


def _attribute(match: re.Match[str], attributes: Mapping[str, str]) -> str:
    name = match.group(1).casefold()
    return attributes.get(name, _SIGNS.get(name, match.group()))


def _macro(match: re.Match[str]) -> str:
    target, words = match.groups()
    name = match.group().partition(":")[0]
    if name == "footnote":
        return f"({words})" if words else ""
    if name in {"anchor", "icon", "indexterm"}:
        return ""
    if name == "menu":
        return f"{target} > {words}" if words else target
    return _words(words) or ("" if name == "image" else target)


def _words(text: str) -> str:
    """The shown part of `text,window=_blank`."""
    text = text.strip().removesuffix("^")
    if text.startswith('"') and '"' in text[1:]:
        return text[1 : text.index('"', 1)]
    return re.sub(r",\s*\w+=.*\Z", "", text).strip()
