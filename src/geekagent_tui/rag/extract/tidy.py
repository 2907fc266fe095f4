"""The last step of every extractor: text that is safe to store and to count."""

from __future__ import annotations

import re

from geekagent_tui.rag import limits

_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ufeff]")
_SURROGATES = re.compile("[\ud800-\udfff]")
_TRAILING = re.compile(r"[ \t]+$", re.MULTILINE)


def tidy(text: str) -> str:
    r"""Lines end in `\n`, no control characters but newline and tab, no empty lines around the whole."""
    text = _LINE_ENDS.sub("\n", text)
    text = _SURROGATES.sub("\ufffd", _CONTROLS.sub("", text))
    return text.strip("\n").rstrip() if text.strip() else ""


def tidy_title(title: str) -> str:
    """One line of at most `limits.TITLE` characters."""
    return " ".join(tidy(title).split())[: limits.TITLE].rstrip()
