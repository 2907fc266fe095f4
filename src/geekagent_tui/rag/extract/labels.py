"""What a page's makers name as not its text: contents, sharing, donations, related posts and the like.

Names of classes and ids are read by whole words (`post-copyright`, `links-nextprev`), in the vocabulary that
themes of all languages share. A name alone never takes away much: see `_is_small_part`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from geekagent_tui.rag.extract.dom import drop, linked_size, prose_size, size_of

_NAMED = ", ".join(
    f"{tag}[{name}]"
    for tag in ("div", "section", "ul", "ol", "aside", "nav", "p", "dl", "details", "form", "footer", "table")
    for name in ("class", "id")
)
_WORDS = (
    # ways to other pages
    r"toc|table-?of-?contents|breadcrumbs?|pagination|paginator|paginav|pager|next-?prev|prev-?next|sidebar"
    r"|navbar|topbar|skip-?links?|widget-?area|aside-?content|site-?data"
    # what is asked of the reader
    r"|share|sharing|social|reward|donat(?:e|ion)|sponsors?|newsletter|subscri(?:be|ption)|sign-?up|cookies?"
    r"|promo(?:tion)?|ads|adsbygoogle|advert(?:isement)?|announcement|feedback"
    # other readers
    r"|comments|comment-?list|respond|disqus|gitalk|giscus|utterances|valine|waline|twikoo"
    # about the text
    r"|copyright|licen[cs]e|byline|post-?meta(?:data)?|entry-?meta|article-?meta|page-?meta|author-?(?:bio|box|card|info)"
    r"|visually-?hidden|sr-?only|screen-?reader-?text"
)
_LINKS = (
    r"tags?|tag-?list|categor(?:y|ies)|related|recommend(?:ed|ations?)?|recent|archives?|nav|navigation|menu"
    r"|popular"
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LABELLED = re.compile(rf"(?<![a-z])(?:{_WORDS})(?![a-z])")
_OF_LINKS = re.compile(rf"(?<![a-z])(?:{_LINKS})(?![a-z])")
_SECTION = re.compile(r"(?:^|\s)(?:section|level-?\d|sect\d)(?:\s|$)")
_LINKED = 0.5  # of a block's characters, for the names that are also used for content
_PART = 0.3  # of the page's prose: a larger block is not beside the text, whatever it is called
_LABEL = 20  # characters of the words above a table of contents at most
_WRAPPERS = frozenset({"aside", "details", "div", "nav", "section"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})


def drop_labelled(page: LexborHTMLParser) -> None:
    """Take out tables of contents and whatever is named as not the text."""
    drop(_contents(page))
    drop(_labelled(page))


def _labelled(page: LexborHTMLParser) -> Iterator[LexborNode]:
    most = _PART * prose_size(page.body) if page.body is not None else 0
    for node in page.css(_NAMED):
        names = _names(node)
        named = _LABELLED.search(names) is not None
        if (named or (_OF_LINKS.search(names) and _is_of_links(node))) and _is_small_part(node, most):
            yield node


def _names(node: LexborNode) -> str:
    """A block's classes and id; not the id of a section, which are its heading's words ("License")."""
    attributes = node.attributes
    names = attributes.get("class") or ""
    if node.tag != "section" and not _SECTION.search(names):
        names += f" {attributes.get('id') or ''}"
    return _CAMEL.sub("-", names).lower()


def _is_of_links(node: LexborNode) -> bool:
    return linked_size(node) >= _LINKED * size_of(node)


def _is_small_part(node: LexborNode, most: float) -> bool:
    """Whether a block may be taken for what its name says: little text, and no headline or code in it.

    Docutils calls an author's box beside the text a sidebar, with a title of that class.
    """
    return prose_size(node) <= most and node.css_first("h1, pre, article, .sidebar-title") is None


def _contents(page: LexborHTMLParser) -> Iterator[LexborNode]:
    """Lists of nothing but links into the page itself, with the words above them."""
    for whole in page.css("ul, ol"):
        links = whole.css("a")
        if len(links) < 2 or any(not (link.attributes.get("href") or "").startswith("#") for link in links):
            continue
        if not _is_of_links(whole) or whole.css_first("main, article, h1, pre") is not None:
            continue
        yield whole
        before, after = _sibling(whole, "prev"), _sibling(whole, "next")
        parent = whole.parent
        if parent is not None and parent.tag in _WRAPPERS and size_of(parent) - size_of(whole) <= _LABEL:
            yield parent
        elif before is not None and before.tag in _HEADINGS and (after is None or after.tag in _HEADINGS):
            yield before


def _sibling(node: LexborNode, step: str) -> LexborNode | None:
    """The next element before or after a node."""
    found = getattr(node, step)
    while found is not None and (found.tag or "-").startswith("-"):
        found = getattr(found, step)
    assert found is None or isinstance(found, LexborNode)
    return found
