"""The pages that one source leads to: which may be requested, and which is next."""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

from geekagent_tui.i18n import _, ngettext
from geekagent_tui.rag import limits
from geekagent_tui.rag.addresses import host_of, site_of
from geekagent_tui.rag.errors import SkippedError
from geekagent_tui.rag.fetch import Fetcher, Leash, OnBytes
from geekagent_tui.rag.model import Growth, Source, SourceKind
from geekagent_tui.rag.network import Zone
from geekagent_tui.rag.raw import Raw
from geekagent_tui.rag.robots import Pace, Robots


@dataclass(frozen=True, slots=True)
class Link:
    """A page that waits for its turn.

    Attributes:
        depth: How many links away from the start it is.
    """

    url: str
    depth: int


class Crawl:
    """Breadth first through one site; nothing outside of it is ever requested.

    The user agreed to the start, wherever it leads; it decides which site that is, and how close to this
    machine the rest may be.

    Args:
        source: The start, with a `growth`.
        fetcher: What requests are made with.
        pace: Shared by all that ask the same hosts.

    Attributes:
        start: The identity of its source.
        site: What `site_of` all pages is; empty until the start was read.
        zone: The closest that its pages may be to this machine; None until the start was read.
        beyond: How many pages were found that had no room.
    """

    def __init__(self, source: Source, fetcher: Fetcher, pace: Pace) -> None:
        self.start = source.identity
        self._first = source.location
        self.site = ""
        self.zone: Zone | None = None
        self.beyond = 0
        self._is_sitemap = source.growth is Growth.SITEMAP
        self._fetcher = fetcher
        self._pace = pace
        self._robots = Robots(fetcher, pace)
        # The start of a crawl is one of its pages, a sitemap is none
        self._left = source.pages - (not self._is_sitemap)
        self._returns = source.pages
        self._waiting: deque[Link] = deque()
        self._seen: set[str] = {source.identity}

    async def fetch(self, url: str, depth: int, on_bytes: OnBytes) -> Raw:
        """Get one page; the start, with depth 0, comes first.

        Raises:
            SkippedError: Its robots.txt forbids it, or it was redirected to another site.
            SourceError: It can't be read.
        """
        listing = self._is_sitemap and depth == 0
        before = self._before_sitemap if listing else self._before_page
        raw = await self._fetcher.fetch(url, on_bytes, leash=Leash(self.zone, before, packed=listing))
        if not self.site:
            self.site, self.zone = site_of(raw.final_url), raw.zone
        self._seen.add(raw.final_url)
        return raw

    @property
    def wants_links(self) -> bool:
        """Whether the links of its pages count; a sitemap has named them all."""
        return not self._is_sitemap

    def found(self, urls: Iterable[str], depth: int) -> list[Link]:
        """Take note of links, and tell which of them are new.

        Args:
            urls: Normalised addresses.
            depth: Of the page that they stand on.
        """
        new = []
        for url in urls:
            if url in self._seen or site_of(url) != self.site:
                continue
            self._seen.add(url)
            if len(self._waiting) < limits.FRONTIER:
                new.append(Link(url, depth + 1))
                self._waiting.append(new[-1])
            else:
                self.beyond += 1
        return new

    def next(self, taken: Container[str]) -> Link | None:
        """The page whose turn it is; None when there is none, or no room for it.

        Args:
            taken: Pages that the batch has already.
        """
        while self._left and self._waiting:
            link = self._waiting.popleft()
            if link.url not in taken:
                self._left -= 1
                return link
        return None

    def give_back(self) -> None:
        """One page became no document of its own: another may take its place.

        That happens as often as pages were agreed to, so that no more than twice as many are requested.
        """
        if self._returns:
            self._returns -= 1
            self._left += 1

    def go_on(
        self, site: str, zone: Zone, found: Sequence[Link], pages: Iterable[str], given_back: int
    ) -> None:
        """Go on where an earlier run of the same crawl was interrupted.

        Args:
            site: What `site` was.
            zone: What `zone` was.
            found: The links that it took note of.
            pages: Those that had their turn.
            given_back: How many of these became no document.
        """
        had = set(pages)
        self.site, self.zone = site, zone
        self._seen |= had
        self._seen.update(link.url for link in found)
        self._waiting.extend(link for link in found if link.url not in had)
        returned = min(given_back, self._returns)
        self._returns -= returned
        self._left = max(0, self._left - len(had) + returned)

    def waiting(self) -> int:
        """How many pages found no room so far."""
        return self.beyond + len(self._waiting)

    async def may_fetch(self, link: Link) -> bool:
        """Whether the site's robots.txt allows a page."""
        return await self._robots.allow(link.url, self.zone)

    async def _before_page(self, url: str, closest: Zone | None) -> None:
        self._stay_on_site(url)
        if not await self._robots.allow(url, closest):
            raise forbidden()
        await self._pace.turn(host_of(url), self._robots.pause(url))

    async def _before_sitemap(self, url: str, _closest: Zone | None) -> None:
        self._stay_on_site(url)
        await self._pace.turn(host_of(url))

    def _stay_on_site(self, url: str) -> None:
        if self.site and url != self._first and site_of(url) != self.site:
            raise SkippedError(_("重定向到了站外的 {host}，没有采集").format(host=host_of(url)))


def forbidden() -> SkippedError:
    """The error for a page that robots.txt does not allow."""
    return SkippedError(_("网站的 robots.txt 不允许采集这个网页"))


def page_source(link: Link) -> Source:
    """A page as a source of its own."""
    return Source(SourceKind.URL, link.url, link.url)


def unfolded(crawl: Crawl, pages: int, offsite: int, unread: int) -> str:
    """What a sitemap led to, as a sentence.

    Args:
        crawl: Of the sitemap.
        pages: How many pages were added.
        offsite: How many addresses were left out.
        unread: How many further sitemaps could not be read, or were too many.
    """
    parts = [ngettext("站点地图，展开为 {n} 个网页", "站点地图，展开为 {n} 个网页", pages).format(n=pages)]
    if beyond := crawl.waiting():
        parts.append(ngettext("{n} 个超出上限", "{n} 个超出上限", beyond).format(n=beyond))
    if offsite:
        parts.append(ngettext("{n} 个不属于本站", "{n} 个不属于本站", offsite).format(n=offsite))
    if unread:
        parts.append(ngettext("{n} 个子地图没有读", "{n} 个子地图没有读", unread).format(n=unread))
    return _("，").join(parts)
