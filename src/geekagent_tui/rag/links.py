"""What a crawl needs of a page beside its text: where it leads and what it is called. For workers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import unquote, urljoin, urlsplit

from geekagent_tui.i18n import _
from geekagent_tui.rag import limits
from geekagent_tui.rag.addresses import normalise, site_of
from geekagent_tui.rag.errors import RagError, SkippedError, SourceError
from geekagent_tui.rag.prepare import Prepared, prepare
from geekagent_tui.rag.raw import Raw
from geekagent_tui.rag.sniff import binary_by_name

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_NO_PAGES = frozenset({".atom", ".css", ".js", ".json", ".mjs", ".rss", ".svg", ".xml"})
"""What names end in that browsers and feed readers want, and no reader."""
_NO_PAGE_TYPES = re.compile(r"(?:application|text)/(?:[\w.-]+\+)?(?:xml|json|javascript|css)\Z")
_FORBIDS = re.compile(r"\b(?:nofollow|none)\b", re.IGNORECASE)
_LONGEST = 2000  # characters of an address


@dataclass(frozen=True, slots=True)
class Harvest:
    """A page of a crawl.

    Attributes:
        prepared: The document; None when there is none.
        error: Why there is no document. A page without text may still lead to others.
        canonical: The address that the page gives itself, if it is of the same site; else empty.
        links: Addresses of the same site, each once, in the page's order.
    """

    prepared: Prepared | None
    error: RagError | None
    canonical: str
    links: tuple[str, ...]


def harvest(raw: Raw, chunking: str, follow: bool) -> Harvest:
    """Extract a page's document, its own address and its links.

    Args:
        raw: The page.
        chunking: One of `chunk.Chunking`.
        follow: Whether its links are wanted.
    """
    if _NO_PAGE_TYPES.match(raw.content_type) and raw.content_type not in _HTML_TYPES:
        reason = _("是订阅源或数据文件，不是网页（{type}）").format(type=raw.content_type)
        return Harvest(None, SkippedError(reason), "", ())
    canonical, links = _markup(raw, follow=follow)
    try:
        return Harvest(prepare(raw, chunking), None, canonical, links)
    except RagError as error:
        return Harvest(None, error, canonical, links)


def _markup(raw: Raw, *, follow: bool) -> tuple[str, tuple[str, ...]]:
    looks_like_html = not raw.content_type and raw.data.lstrip()[:1] == b"<"
    if raw.content_type not in _HTML_TYPES and not looks_like_html:
        return "", ()
    from selectolax.lexbor import LexborHTMLParser

    from geekagent_tui.rag.extract.charset import decode
    from geekagent_tui.rag.extract.nesting import fewer_open

    page = LexborHTMLParser(fewer_open(decode(raw.data, raw.charset, markup=True)))
    base = _base(page, raw.final_url)
    return _canonical(page, base, raw.final_url), _links(page, base, raw.final_url) if follow else ()


def _base(page: LexborHTMLParser, url: str) -> str:
    element = page.css_first("base[href]")
    address = _address(url, element.attributes.get("href")) if element is not None else ""
    return address or url


def _canonical(page: LexborHTMLParser, base: str, url: str) -> str:
    """Pages that all call themselves the site's front page are mistaken, and only one would be kept."""
    element = page.css_first('head link[rel~="canonical" i][href]')
    address = _address(base, element.attributes.get("href")) if element is not None else ""
    if not address or site_of(address) != site_of(url):
        return ""
    is_front, was_front = (_is_front(each) for each in (address, url))
    return "" if is_front and not was_front else address


def _is_front(url: str) -> bool:
    parts = urlsplit(url)
    return parts.path == "/" and not parts.query


def _links(page: LexborHTMLParser, base: str, url: str) -> tuple[str, ...]:
    robots = page.css_first('meta[name="robots" i]')
    if robots is not None and _FORBIDS.search(robots.attributes.get("content") or ""):
        return ()
    elements = page.css("a[href], area[href]")
    wanted = (node for node in elements if "nofollow" not in (node.attributes.get("rel") or "").lower())
    return tuple(same_site((node.attributes.get("href") for node in wanted), base, url))


def same_site(references: Iterable[str | None], base: str, url: str) -> list[str]:
    """The pages of a site among some references, each once, at most `limits.PAGE_LINKS`.

    Args:
        references: As they stand in the page.
        base: What relative ones start from.
        url: A page of the site.
    """
    site = site_of(url)
    found: dict[str, None] = {}
    for reference in references:
        address = _address(base, reference)
        if address and site_of(address) == site and not _is_no_page(address):
            found[address] = None
            if len(found) == limits.PAGE_LINKS:
                break
    return list(found)


def _address(base: str, reference: str | None) -> str:
    """The normalised address, or an empty string for what is no address of a web page."""
    reference = (reference or "").strip()
    if not reference or len(reference) > _LONGEST:
        return ""
    try:
        return normalise(urljoin(base, reference))
    except (SourceError, ValueError):
        return ""


def _is_no_page(url: str) -> bool:
    name = PurePosixPath(unquote(urlsplit(url).path))
    return name.suffix.lower() in _NO_PAGES or binary_by_name(name.name) is True
