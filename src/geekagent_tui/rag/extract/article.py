"""What stands in an article's markup and is not its text: headline, teasers, captions, pop-up cards.

Only for pages that say they are one article (news, reviews, blog posts). Manuals and tutorials say so
rarely, and keep theirs in known containers, which are read whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from geekagent_tui.rag.extract.dom import drop, element_after, elements, linked_size, size_of

_LINKED_DATA = "script[type='application/ld+json']"
_ARTICLE = re.compile(r'"@type"\s*:\s*\[?\s*"(?:\w*NewsArticle|Article|BlogPosting)"')
_METADATA = "meta[property='og:title'], meta[name=description], meta[property='og:description']"
_BLOCKS = frozenset(
    {"address", "article", "aside", "blockquote", "body", "center", "dd", "details", "div", "dl", "dt"}
    | {"figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "html"}
    | {"li", "main", "nav", "ol", "p", "pre", "section", "table", "tbody", "td", "th", "tr", "ul", "video"}
)
_LINES_OF = frozenset({"article", "center", "div", "main", "p", "section"})
"""Blocks whose lines are prose; a list, a table or a heading of links may be the text itself."""
_LINKED = 0.8  # of a line's characters: such a line leads away from the text
_TEASER = 12  # characters: a shorter one is a name, not the title of another page
_CAPTION = 200  # characters at most
_SMALL = frozenset({"em", "i", "small", "span", "font", "cite", "figcaption"})
_NOTHING = frozenset({"br", "noscript"})
_WORDS = re.compile(r"\w+")


def is_article(page: LexborHTMLParser) -> bool:
    """Whether a page says that it is one article, in Open Graph's words or in schema.org's."""
    for meta in page.css("meta[property='og:type']"):
        if (meta.attributes.get("content") or "").strip().casefold() == "article":
            return True
    return any(_ARTICLE.search(script.text()) for script in page.css(_LINKED_DATA))


def drop_beside_text(page: LexborHTMLParser) -> None:
    """Take out of an article's page what its reader does not read as its text."""
    drop(_cards(page))
    drop(_captions(page))
    drop(_teasers(page))


def headlines(page: LexborHTMLParser, title: str) -> list[str]:
    """What a heading of an article only repeats: the page's title and its description (the standfirst).

    The title is kept as the document's; sites differ in whether the headline stands inside the text, and
    stored text should not.
    """
    contents = [node.attributes.get("content") or "" for node in page.css(_METADATA)]
    return [words for words in map(said, [title, *contents]) if words]


def _cards(page: LexborHTMLParser) -> Iterator[LexborNode]:
    """Pop-ups inside a sentence: a picture and links, about a name that the sentence has."""
    for picture in page.css("p span img"):
        node = picture.parent
        while node is not None and node.tag not in _BLOCKS:
            if node.tag == "span" and len(node.css("a")) > 1 and linked_size(node) >= _LINKED * size_of(node):
                yield node
                break
            node = node.parent


def _captions(page: LexborHTMLParser) -> Iterator[LexborNode]:
    """What is said in small or slanted letters right below a picture."""
    for picture in page.css("img"):
        block = _block_of(picture)
        while block.tag != "body" and not block.text().strip() and block.parent is not None:
            if (caption := element_after(block, skipping=_NOTHING)) is not None:
                if caption.tag in _SMALL or (caption.tag == "p" and _is_all_small(caption)):
                    yield from _if_short(caption)
                break
            block = block.parent


def _if_short(caption: LexborNode) -> Iterator[LexborNode]:
    if 0 < len(caption.text().strip()) <= _CAPTION:
        yield caption


def _is_all_small(paragraph: LexborNode) -> bool:
    small = sum(size_of(part) for part in elements(paragraph) if part.tag in _SMALL)
    return small == size_of(paragraph)


def _teasers(page: LexborHTMLParser) -> Iterator[LexborNode]:
    """Lines of prose that are nothing but a link: to another article, to a shop, to a newsletter.

    A link that shows its own address is a reference and stays.
    """
    seen: set[int] = set()
    for link in page.css("a[href]"):
        text = link.text().strip()
        href = link.attributes.get("href") or ""
        if len(text) < _TEASER or href.startswith("#") or text in href or href in text:
            continue
        top = link
        while top.parent is not None and top.parent.tag not in _BLOCKS:
            top = top.parent
        if top.mem_id in seen or top.parent is None or top.parent.tag not in _LINES_OF:
            continue
        line = _line_around(top)
        seen.update(node.mem_id for node in line)
        if sum(map(linked_size, line)) >= _LINKED * sum(map(size_of, line)):
            yield from line


def _line_around(node: LexborNode) -> list[LexborNode]:
    """A node and its neighbours on the same line: up to a line break or a block."""
    line = [node]
    for step in ("prev", "next"):
        neighbour = getattr(node, step)
        while neighbour is not None and neighbour.tag != "br" and neighbour.tag not in _BLOCKS:
            line.append(neighbour)
            neighbour = getattr(neighbour, step)
    return line


def _block_of(node: LexborNode) -> LexborNode:
    """The outermost inline element around a picture, or the block when nothing else is in it."""
    while node.parent is not None and node.parent.tag not in _BLOCKS:
        node = node.parent
    return node


def said(text: str) -> str:
    """The words of a text in order, to compare what two places say."""
    return " ".join(_WORDS.findall(text.casefold()))
