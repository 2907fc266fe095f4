"""A web page's own facts, and what is taken out of it before its text is looked for."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from geekagent_tui.rag.extract.dom import drop, outermost

_PERMALINKS = (
    "a.headerlink, a.anchor, a.header-anchor, a.heading-anchor, a.heading-link, a.permalink, a.hash-link,"
    " a.anchorjs-link, a.anchor-link, h1 > a, h2 > a, h3 > a, h4 > a, h5 > a, h6 > a"
)
_WORD = re.compile(r"[^\W_]")
APART = (
    "head, script, style, noscript, template, svg, iframe, nav, footer, button, select, input, dialog,"
    " [role=navigation], [role=banner], [role=contentinfo], [role=search], [role=dialog],"
    " [aria-hidden=true],"
    " [itemtype$=WPHeader], [itemtype$=WPFooter], [itemtype$=WPSideBar], [itemtype$=SiteNavigationElement]"
)
"""Elements that are by their meaning never the content."""
_MOUNTS = "#root, #app, #__next, #__nuxt, [data-reactroot], app-root"


def title_of(page: LexborHTMLParser) -> str:
    """`<title>`, else Open Graph's, else the first heading, else an empty string; not tidied yet."""
    element = next((node for node in page.css("title") if _is_html(node)), None)
    meta = page.css_first("meta[property='og:title']")
    heading = page.css_first("h1") or page.css_first("h2") or page.css_first("h3")
    texts = (
        element.text() if element is not None else "",
        (meta.attributes.get("content") or "") if meta is not None else "",
        heading.text() if heading is not None else "",
    )
    return next((text for text in texts if text.strip()), "")


def drop_unseen(page: LexborHTMLParser) -> None:
    """Take out scripts, and the marks beside headings (¶, #): they are no text."""
    drop(page.css("script, style"))
    links = page.css(_PERMALINKS)
    drop(link for link in links if _is_sign(link.text()) and not link.css_first("img"))


def _is_sign(text: str) -> bool:
    """Whether a heading's link is a mark (#, ¶, a picture letter of an icon font) and no word."""
    return text.strip() == "Permalink" or not _WORD.search(text)


def drop_outside(page: LexborHTMLParser) -> None:
    """Take out navigation, footers and whatever else is by its element's meaning not the content."""
    drop(page.css(f"{APART}, aside"))
    drop(header for header in page.css("header") if not _is_in_article(header))


def unwrap_figures(page: LexborHTMLParser) -> None:
    """Make figures of code and tables plain blocks: extraction takes a figure for a picture and drops it."""
    for figure in outermost(page.css("figure:has(pre), figure:has(table)")):
        for caption in outermost(figure.css("figcaption")):
            _rename(caption, "div" if caption.css_first("p, div") is not None else "p")
        _rename(figure, "div")


def _rename(node: LexborNode, name: str) -> None:
    new = LexborHTMLParser(f"<{name}>{node.inner_html}</{name}>").css_first(name)
    assert new is not None
    node.replace_with(new)


def needs_javascript(page: LexborHTMLParser) -> bool:
    """Whether a page without text would have some in a browser."""
    if page.css_first("script") is None:
        return False
    said = " ".join(node.text() for node in page.css("noscript")).casefold()
    return "javascript" in said or page.css_first(_MOUNTS) is not None


def _is_html(title: LexborNode) -> bool:
    """False for the title of a drawing."""
    return title.parent is None or title.parent.tag in {"head", "body", "html"}


def _is_in_article(node: LexborNode) -> bool:
    parent = node.parent
    while parent is not None and parent.tag not in {"article", "main"}:
        parent = parent.parent
    return parent is not None
