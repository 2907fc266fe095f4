"""Finished Markdown as one piece of styled text: an old answer that costs a single widget."""

from __future__ import annotations

from collections.abc import Sequence

from markdown_it.token import Token
from textual.content import Content
from textual.style import Style

from geekagent_tui.ui.widgets.linked_markdown import Links

_STYLES = {"em_open": "italic", "strong_open": "bold", "s_open": "strike"}


def fold(links: Links, marked: str) -> Content:
    """Markdown, as `Links.mark` returns it, as styled text; its links call `open_link` of their widget."""
    return _Folder().run(links.parser().parse(marked))


class _Folder:
    def __init__(self) -> None:
        self._blocks: list[Content] = []
        self._lists: list[int | None] = []
        self._marker = ""
        self._quotes = 0
        self._heading = False
        self._table = False
        self._cells: list[Content] = []

    def run(self, tokens: Sequence[Token]) -> Content:
        for token in tokens:
            self._take(token)
        return Content("").join(self._blocks).rstrip()

    def _take(self, token: Token) -> None:
        match token.type:
            case "inline":
                content = _inline(token)
                if self._table:
                    self._cells.append(content)
                else:
                    self._add(content.stylize("bold") if self._heading else content)
            case "heading_open" | "heading_close":
                self._heading = token.nesting > 0
            case "bullet_list_open":
                self._lists.append(None)
            case "ordered_list_open":
                self._lists.append(int(token.attrs.get("start", 1)))
            case "bullet_list_close" | "ordered_list_close":
                self._lists.pop()
            case "list_item_open":
                self._marker = self._next_marker()
            case "blockquote_open" | "blockquote_close":
                self._quotes += token.nesting
            case "fence" | "code_block":
                self._add(Content.styled(token.content.rstrip("\n").expandtabs(4), "$muted"))
            case "hr":
                self._add(Content.styled("─" * 12, "$faint"))
            case "table_open" | "table_close":
                self._table = token.nesting > 0
            case "tr_close":
                self._add(Content.styled("  │  ", "$faint").join(self._cells))
                self._cells = []

    def _next_marker(self) -> str:
        number = self._lists[-1]
        if number is None:
            return "• "
        self._lists[-1] = number + 1
        return f"{number}. "

    def _add(self, content: Content) -> None:
        indent = "  " * (len(self._lists) - 1) if self._lists else ""
        quote = "│ " * self._quotes
        rest = indent + quote + " " * len(self._marker)
        first = indent + quote + self._marker
        lines = content.split("\n", allow_blank=True)
        end = "\n" if self._lists or self._table else "\n\n"
        pieces: list[Content] = []
        for index, line in enumerate(lines):
            prefix = Content.styled(first if index == 0 else rest, "$faint")
            pieces.append(Content.assemble(prefix, line))
        self._blocks.append(Content.assemble(Content("\n").join(pieces), end))
        self._marker = ""


def _inline(token: Token) -> Content:
    parts: list[Content] = []
    stack: list[Style | str] = []
    for child in token.children or ():
        if child.type in _STYLES:
            stack.append(_STYLES[child.type])
        elif child.type == "link_open":
            stack.append(Style.from_meta({"@click": f"open_link({child.attrs['href']!r})"}))
        elif child.nesting < 0 and stack:
            stack.pop()
        elif child.type == "softbreak":
            parts.append(Content(" "))
        elif child.type == "hardbreak":
            parts.append(Content("\n"))
        elif child.type == "code_inline":
            parts.append(_styled(child.content, [*stack, "$user"]))
        elif child.type == "image":
            parts.append(_styled("🖼 " + "".join(c.content for c in child.children or ()), stack))
        elif child.content:
            parts.append(_styled(child.content, stack))
    return Content.assemble(*parts)


def _styled(text: str, styles: Sequence[Style | str]) -> Content:
    content = Content(text)
    for style in styles:
        content = content.stylize(style)
    return content
