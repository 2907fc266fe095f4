"""Text inside one block."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from geekagent_tui.rag.extract.tree import Element

BREAK = "\x01"
"""A line break inside a block, until white space has been collapsed; taken out of the page beforehand."""
_WIDE = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef"
# A newline in a page's source between two wide characters is no space (CSS Text 3, §4.1.3)
_WIDE_NEWLINE = re.compile(rf"(?<=[{_WIDE}])[ \t]*\n\s*(?=[{_WIDE}])")
_SPACE = re.compile(r"\s+")
_AROUND_BREAK = re.compile(f" ?(?:{BREAK} ?)+")
_BACKTICKS = re.compile("`+")
_LOOKS_LIKE_MARKUP = re.compile(r"^(?=#{1,6}\s|```|~~~)", re.MULTILINE)
_SPACED = frozenset({"br", "lb", "p", "div", "li", "item", "dt", "dd", "tr", "row", "td", "th", "cell"})


def collapsed(text: str) -> str:
    r"""White space as a browser shows it: runs become one space, `BREAK` becomes `\n`."""
    text = _SPACE.sub(" ", _WIDE_NEWLINE.sub("", text))
    return _AROUND_BREAK.sub("\n", text).strip()


def plain(paragraph: str) -> str:
    """A paragraph whose lines don't begin like a heading or a fence, which it is not."""
    return _LOOKS_LIKE_MARKUP.sub(r"\\", paragraph)


def code_span(text: str) -> str:
    """Inline code, in backticks; longer ones when it holds some itself."""
    text = " ".join(text.split())
    if not text:
        return ""
    ticks = "`" * (max((len(run) for run in _BACKTICKS.findall(text)), default=0) + 1)
    return f"{ticks} {text} {ticks}" if "`" in text else f"{ticks}{text}{ticks}"


def struck(text: str) -> str:
    """Deleted text, still told from the rest."""
    return f"~~{text.strip()}~~" if text.strip() else text


def one_line(element: Element) -> str:
    """All text of an element on one line."""
    return collapsed("".join(_parts(element)).replace(BREAK, " "))


def _parts(element: Element) -> list[str]:
    parts = [element.text or ""]
    for child in element:
        if isinstance(child.tag, str):
            text = "".join(_parts(child))
            parts.append(code_span(text) if child.tag == "code" else text)
            if child.tag in _SPACED:
                parts.append(" ")
        parts.append(child.tail or "")
    return parts
