"""Where the makers of tutorials, manuals and blogs put their text: nothing has to be guessed there."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser, LexborNode

from geekagent_tui.rag.extract.dom import drop, elements, outermost, prose_size, size_of
from geekagent_tui.rag.extract.page import APART

_KNOWN = (
    ".markdown-body, .theme-doc-markdown, .vp-doc, .theme-default-content, .theme-hope-content,"
    " .md-content__inner,"
    # Hexo's themes: NexT, landscape, Butterfly, Matery
    " .post-block .post-body, .article-entry, #article-container, #articleContent,"
    # Sphinx and Read the Docs, mdBook, rustdoc, GitBook
    " .rst-content [itemprop=articleBody], .bodywrapper .body, .bd-article, #furo-main-content,"
    " .page-wrapper .content > main, body.rustdoc #main-content, .book-body .markdown-section,"
    # CSDN, cnblogs, Juejin, SegmentFault, Runoob
    " #content_views, #cnblogs_post_body, .article-viewer, .article.fmt, .article-intro"
)
_GENERAL = ("main", "[role=main]", "article")
_PARTS = frozenset({"article", "center", "div", "form", "main", "section", "table", "tbody", "td", "tr"})
_NEARLY_ALL = 0.85
_ENOUGH = 50  # characters; a known place with less in it is not the page's text


def known_containers(page: LexborHTMLParser) -> list[LexborNode]:
    """The elements that a well-known generator or site keeps its text in, rid of buttons and the like.

    One on most pages, one a post on a page of questions and answers. Their asides stay: there they are
    admonitions, footnotes and what the author put beside the text.
    """
    found = [node for node in outermost(page.css(_KNOWN)) if size_of(node) >= _ENOUGH]
    for node in found:
        drop(node.css(APART))
    return [node for node in found if size_of(node) >= _ENOUGH]


def general_container(page: LexborHTMLParser) -> LexborNode | None:
    """The page's only `<main>`, else its only `<article>`."""
    for selector in _GENERAL:
        found = page.css(selector)
        if len(found) == 1:
            return found[0]
    return None


def dense_container(page: LexborHTMLParser) -> LexborNode | None:
    """The innermost part with nearly all of a page's words that are no links; None when that is the body."""
    if (body := page.body) is None:
        return None
    least = _NEARLY_ALL * prose_size(body)
    node = body
    while (inner := next((part for part in _parts(node) if prose_size(part) >= least), None)) is not None:
        node = inner
    return None if node.mem_id == body.mem_id else node


def _parts(node: LexborNode) -> list[LexborNode]:
    return [child for child in elements(node) if child.tag in _PARTS]
