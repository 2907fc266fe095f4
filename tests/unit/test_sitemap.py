"""Sitemaps, as files and from a real local site."""

from __future__ import annotations

import gzip
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from geekagent_tui.rag import limits
from geekagent_tui.rag.errors import SourceError, TooLargeError
from geekagent_tui.rag.model import IngestEvent, SourceKind
from geekagent_tui.rag.raw import Raw
from geekagent_tui.rag.service import RagService
from geekagent_tui.rag.settings import Settings
from geekagent_tui.rag.sitemap import is_sitemap, read_sitemap
from support.bases import finished
from support.pages import PageServer, Reply, redirect

NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


def urlset(*urls: str, root: str = "urlset", item: str = "url") -> bytes:
    entries = "".join(f"<{item}><loc>\n {url}\n</loc><lastmod>2026-01-01</lastmod></{item}>" for url in urls)
    head = '<?xml version="1.0" encoding="UTF-8"?>'
    return f'{head}<{root} xmlns="{NAMESPACE}">{entries}</{root}>'.encode()


def index(*urls: str) -> bytes:
    return urlset(*urls, root="sitemapindex", item="sitemap")


def xml(data: bytes) -> Reply:
    return Reply(data, content_type="application/xml")


def page(title: str) -> Reply:
    return Reply(f"<title>{title}</title><main><h1>{title}</h1><p>{'Wale singen. ' * 20}</p></main>".encode())


def pages(data: bytes, site: str = "a.org") -> list[str]:
    return [*read_sitemap(Raw(data, SourceKind.URL, "x"), site).pages]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("sitemap.xml", True),
        ("Sitemap.XML", True),
        ("sitemap_index.xml", True),
        ("sitemap-index.xml.gz", True),
        ("wp-sitemap-posts-post-1.xml", True),
        ("post-sitemap2.xml", True),
        ("sitemap.txt", True),
        ("sitemap1.xml?page=2", True),
        ("sitemap", False),
        ("sitemap/", False),
        ("sitemap.html", False),
        ("mysitemap.xml", False),
        ("feed.xml", False),
        ("sitemap.xml/about", False),
    ],
)
def test_names_of_sitemaps(name: str, expected: bool) -> None:
    assert is_sitemap(f"https://a.org/x/{name}") is expected


def test_what_a_sitemap_lists() -> None:
    data = urlset(
        "https://a.org/1?x=1&amp;y=2",
        "http://www.a.org/%7Eb#top",
        "<![CDATA[https://a.org/c]]>",
        "https://a.org/1?x=1&amp;y=2",
        "https://b.org/",
        "ftp://a.org/",
        "",
    )
    found = read_sitemap(Raw(data, SourceKind.URL, "x"), "a.org")
    assert found.pages == ("https://a.org/1?x=1&y=2", "http://www.a.org/~b", "https://a.org/c")
    assert (found.sitemaps, found.offsite) == ((), 3)


def test_namespaces_may_be_anything() -> None:
    image = '<i:image xmlns:i="http://g.org/i"><i:loc>https://a.org/x.png</i:loc></i:image>'
    assert pages(f"<urlset><url><loc>https://a.org/1</loc>{image}</url></urlset>".encode()) == [
        "https://a.org/1"
    ]
    prefixed = f'<s:urlset xmlns:s="{NAMESPACE}"><s:url><s:loc>https://a.org/2</s:loc></s:url></s:urlset>'
    assert pages(prefixed.encode()) == ["https://a.org/2"]
    assert pages(b"\xef\xbb\xbf \n" + urlset("https://a.org/3")) == ["https://a.org/3"]


def test_an_index() -> None:
    found = read_sitemap(
        Raw(index("https://a.org/s1.xml", "https://b.org/s2.xml"), SourceKind.URL, "x"), "a.org"
    )
    assert (found.pages, found.sitemaps, found.offsite) == ((), ("https://a.org/s1.xml",), 1)


def test_text_and_packed() -> None:
    assert pages(b"\xef\xbb\xbfhttps://a.org/1\r\n\r\nhttps://a.org/2\r\n") == [
        "https://a.org/1",
        "https://a.org/2",
    ]
    assert pages(gzip.compress(urlset("https://a.org/1"))) == ["https://a.org/1"]


def test_what_comes_before_a_mistake_counts() -> None:
    assert pages(urlset("https://a.org/1", "https://a.org/2")[:-30]) == ["https://a.org/1", "https://a.org/2"]
    assert pages(gzip.compress(urlset("https://a.org/1"))[:-8]) == ["https://a.org/1"]


BOMB = b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><urlset><url><loc>&b;</loc></url></urlset>'


@pytest.mark.parametrize(
    "data",
    [b"", b"<html><body>Wale</body></html>", b"<rss><channel/></rss>", b"Wale singen", b"<", BOMB],
)
def test_what_is_no_sitemap(data: bytes) -> None:
    with pytest.raises(SourceError, match="采集失败：不是站点地图，请检查网址"):
        pages(data)


def test_damaged_and_too_large() -> None:
    with pytest.raises(SourceError, match="不完整或已损坏"):
        pages(b"\x1f\x8b\x08\x00rubbish!rubbish!")
    with pytest.raises(TooLargeError, match="50MB"):
        pages(gzip.compress(b"<" + bytes(limits.SITEMAP_BYTES)))


@pytest.fixture
async def rag(tmp_path: Path) -> AsyncIterator[RagService]:
    service = await RagService.open(tmp_path, settings=Settings(pause=0))
    yield service
    await service.close()


async def test_a_sitemap_becomes_its_pages(rag: RagService) -> None:
    events: list[IngestEvent] = []
    async with PageServer({f"/{at}": page(f"S{at}") for at in range(4)}) as web:
        urls = [f"{web.url}/{at}" for at in range(5)]
        web.pages["/sitemap.xml"] = xml(urlset(*urls, "http://elsewhere.invalid/"))
        results = await rag.add([f"{web.url}/sitemap.xml"], events.append)

    assert [result.source for result in results] == [f"{web.url}/sitemap.xml", *urls]
    assert [result.state.value for result in results] == ["skipped"] + ["added"] * 4 + ["failed"]
    assert results[0].reason == "站点地图，展开为 5 个网页，1 个不属于本站"
    assert web.requests[:2] == ["/sitemap.xml", "/robots.txt"]
    assert {event.total for event in events} == {1, 2, 3, 4, 5, 6}
    assert len(finished(events)) == 6


async def test_an_index_is_followed_once(rag: RagService) -> None:
    async with PageServer({"/1": page("Eins"), "/2": page("Zwei")}) as web:
        packed = gzip.compress(urlset(f"{web.url}/1", f"{web.url}/2"))
        web.pages |= {
            "/sitemap_index.xml": xml(
                index(
                    f"{web.url}/a.xml.gz",
                    f"{web.url}/gone.xml",
                    f"{web.url}/moved.xml",
                    f"{web.url}/nested.xml",
                    f"http://localhost:{web.port}/other.xml",
                )
            ),
            "/a.xml.gz": Reply(packed, content_type="application/x-gzip"),
            "/moved.xml": redirect(f"http://localhost:{web.port}/other.xml"),
            "/nested.xml": xml(index(f"{web.url}/never.xml")),
            "/robots.txt": Reply(b"User-agent: *\nDisallow: /2\n", content_type="text/plain"),
        }
        results = await rag.add([f"{web.url}/sitemap_index.xml"])

    assert [result.state.value for result in results] == ["skipped", "added", "skipped"]
    assert results[0].reason == "站点地图，展开为 2 个网页，1 个不属于本站，2 个子地图没有读"
    assert results[2].reason == "网站的 robots.txt 不允许采集这个网页"
    assert not {"/other.xml", "/never.xml", "/2"} & set(web.requests)


async def test_no_more_pages_than_wanted(rag: RagService) -> None:
    async with PageServer({f"/{at}": page(f"S{at}") for at in range(9)}) as web:
        web.pages["/sitemap.xml"] = xml(urlset(*(f"{web.url}/{at}" for at in range(9))))
        results = await rag.add([f"{web.url}/sitemap.xml"], crawl=3)

    assert [result.state.value for result in results] == ["skipped"] + ["added"] * 3
    assert results[0].reason == "站点地图，展开为 3 个网页，6 个超出上限"


async def test_a_sitemap_that_is_none(rag: RagService) -> None:
    async with PageServer({"/sitemap.xml": page("Nein")}) as web:
        results = await rag.add([f"{web.url}/sitemap.xml", f"{web.url}/x/sitemap.xml"])

    assert [result.reason for result in results] == [
        "采集失败：不是站点地图，请检查网址",
        "抓取失败：HTTP 404 Not Found",
    ]
