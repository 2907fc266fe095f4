"""The text of a code block with its real line breaks, whatever markup draws them."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborNode

_LINE = re.compile(
    r"(?:^|\s)(?:line|code-line|token-line|crayon-line|view-line|ec-line|hljs-ln-line|CodeMirror-line)(?:\s|$)"
)
_BLOCKS = frozenset({"div", "p", "li", "tr"})
_NO_TEXT = frozenset({"table", "thead", "tbody", "tr", "ul", "ol"})
_SKIPPED = frozenset({"-comment", "script", "style", "textarea"})


def code_text(node: LexborNode) -> str:
    """The code below a node, without empty lines around it.

    A line ends at a newline, a `<br>`, and around each element that stands for one line.
    """
    out = _Lines()
    stack: list[tuple[LexborNode, bool]] = [(node, True)]
    while stack:
        current, entering = stack.pop()
        tag = current.tag or ""
        if not entering:
            out.line_ends()
        elif tag == "-text":
            text = current.text_content or ""
            if text and not _is_layout(text, current):
                out.text(text)
        elif tag == "br":
            out.text("\n")
        elif tag not in _SKIPPED:
            if current is not node and _is_line(current, tag):
                out.line_begins()
                stack.append((current, False))
            stack.extend((child, True) for child in reversed(_children(current)))
    return _without_blank_edges("".join(out.parts))


def _is_layout(text: str, node: LexborNode) -> bool:
    """Whether white space only separates the tags of the page's source."""
    if not text.isspace():
        return False
    parent = node.parent
    if parent is not None and parent.tag in _NO_TEXT:
        return True
    while parent is not None and parent.tag not in {"pre", "code"}:
        parent = parent.parent
    return parent is None and "\n" in text


def _children(node: LexborNode) -> list[LexborNode]:
    found: list[LexborNode] = []
    child = node.child
    while child is not None:
        found.append(child)
        child = child.next
    return found


def _is_line(node: LexborNode, tag: str) -> bool:
    return tag in _BLOCKS or (
        tag in {"span", "code"} and bool(_LINE.search(node.attributes.get("class") or ""))
    )


def _without_blank_edges(text: str) -> str:
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").replace("\xa0", " ").split("\n")]
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    return "\n".join(lines)


class _Lines:
    """Collects text; the end of a line's element owes a newline, which one in the markup may pay."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self._owed = False
        self._begun: list[int] = []

    def text(self, text: str) -> None:
        if self._owed:
            self._owed = False
            if not text.lstrip(" \t").startswith("\n"):
                self.parts.append("\n")
        if text:
            self.parts.append(text)

    def line_begins(self) -> None:
        if self._owed or (self.parts and not self.parts[-1].endswith("\n")):
            self._owed = False
            self.parts.append("\n")
        self._begun.append(len(self.parts))

    def line_ends(self) -> None:
        empty = len(self.parts) == self._begun.pop()
        self._owed = self._owed or empty or not self.parts[-1].endswith("\n")
