"""Pages whose elements are nested too deeply: unclosed `<font>`s of old pages, chains of empty boxes.

libxml2, which main-text extraction parses with, silently leaves out whatever is deeper than 256 elements
(`xmlParserMaxDepth`); an HTML5 parser takes quadratic time for boxes in boxes. So what only wraps is taken
away beyond a depth that no page has that somebody wrote, and all its text stays.
"""

from __future__ import annotations

import html
import re
from collections import Counter

from selectolax.lexbor import LexborHTMLParser, LexborNode

_DEEPEST = 180
"""Elements inside each other; extraction wraps what it gets into some more."""
_WRAPPED = 100
"""Elements inside each other from which on those go that only wrap."""
_MOST_OPEN = 150
"""Elements of one name that are open at the same time."""
_TOKEN = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|<(?P<raw>script|style|textarea|title|xmp|iframe|noembed|noframes)\b.*?(?:</(?P=raw)\b|\Z)"
    r"|<(?P<end>/?)(?P<name>[a-z][^\s/>]*)[^>]*(?:>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track"}
    | {"wbr"}
)
_CLOSED_BY_OTHERS = frozenset(
    {"a", "body", "button", "colgroup", "dd", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "head", "html", "li"}
    | {"optgroup", "option", "p", "rp", "rt", "tbody", "td", "tfoot", "th", "thead", "tr"}
)
"""Elements whose end tag may be left out, or that never stand inside themselves: they don't add up."""
_INLINE = frozenset(
    {"a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "del", "dfn", "em", "font", "i", "ins", "kbd"}
    | {"label", "mark", "nobr", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "tt"}
    | {"u", "var"}
)
_WRAPPERS = (_INLINE - {"a", "code"}) | {"article", "center", "details", "div", "form", "main", "section"}
_BREAK = "<br>"


def parsed(markup: str) -> tuple[LexborHTMLParser, bool]:
    """A page as a tree that is not too deep, and whether elements were left out for that."""
    closed = fewer_open(markup)
    page = LexborHTMLParser(closed)
    if page.root is None or _depth(page.root) <= _DEEPEST:
        return page, closed != markup
    return LexborHTMLParser(_flattened(page.root)), True


def fewer_open(markup: str) -> str:
    """Markup, without the tags of elements that are inside too many of their own name."""
    opened: Counter[str] = Counter()

    def kept(match: re.Match[str]) -> str:
        name = (match["name"] or "").lower()
        if not name or name in _VOID or name in _CLOSED_BY_OTHERS:
            return match[0]
        if not match["end"]:
            opened[name] += 1
            too_many = opened[name] > _MOST_OPEN
        elif (too_many := opened[name] > _MOST_OPEN) or opened[name]:
            opened[name] -= 1
        return _instead(name) if too_many else match[0]

    return _TOKEN.sub(kept, markup)


def _depth(root: LexborNode) -> int:
    """How many elements are inside each other at most."""
    node: LexborNode | None = root
    depth = deepest = 1
    while node is not None:
        if node.child is not None:
            node, depth = node.child, depth + 1
            deepest = max(deepest, depth)
            continue
        while node.next is None:
            depth -= 1
            if depth < 1 or node.parent is None:
                return deepest
            node = node.parent
        node = node.next
    return deepest


def _flattened(root: LexborNode) -> str:
    """The markup of a tree, without what only wraps below a depth, and without any element below another."""
    pieces: list[str] = []
    depth = 0
    ends: list[tuple[LexborNode | None, str]] = [(root, "")]
    while ends:
        node, end = ends.pop()
        if node is None:
            pieces.append(end)
            depth -= end.startswith("</")
            continue
        if node.next is not None and node is not root:
            ends.append((node.next, ""))
        tag = node.tag or "-"
        if tag.startswith("-") or tag in _VOID:
            pieces.append(node.html or "")
            continue
        dropped = depth >= _DEEPEST or (depth >= _WRAPPED and tag in _WRAPPERS)
        pieces.append(_instead(tag) if dropped else _start(node, tag))
        depth += not dropped
        ends.append((None, _instead(tag) if dropped else f"</{tag}>"))
        if node.child is not None:
            ends.append((node.child, ""))
    return "".join(pieces)


def _start(node: LexborNode, tag: str) -> str:
    attributes = "".join(
        f' {name}="{html.escape(value or "")}"' for name, value in node.attributes.items() if "<" not in name
    )
    return f"<{tag}{attributes}>"


def _instead(name: str) -> str:
    """What keeps the words on both sides of a missing tag apart."""
    return "" if name in _INLINE else _BREAK
