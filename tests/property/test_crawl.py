from __future__ import annotations

import gzip

from hypothesis import given
from hypothesis import strategies as st

from geekagent_tui.rag.addresses import normalise, site_of
from geekagent_tui.rag.errors import RagError
from geekagent_tui.rag.links import harvest
from geekagent_tui.rag.model import SourceKind
from geekagent_tui.rag.raw import Raw
from geekagent_tui.rag.robots import AGENT
from geekagent_tui.rag.sitemap import read_sitemap

_URL = "https://www.a.org/x/y?z=1"
_REFERENCES = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        ["/", "..", "//b.org/", "//a.org/ü", "http://a.org:80/", "https://[", "?q", "#f", "\x00", " a "]
    ),
)
_PIECES = st.sampled_from(
    [
        "<url>",
        "</url>",
        "<loc>",
        "</loc>",
        "<urlset>",
        "</urlset>",
        "<sitemapindex>",
        "https://a.org/1",
        "&amp;",
        "&x;",
    ]
)


@given(st.lists(_REFERENCES, max_size=8), _REFERENCES, _REFERENCES)
def test_links_are_addresses_of_the_site(references: list[str], base: str, canonical: str) -> None:
    def quoted(text: str) -> str:
        return text.replace("&", "&amp;").replace('"', "&quot;")

    head = f'<base href="{quoted(base)}"><link rel=canonical href="{quoted(canonical)}">'
    body = "".join(f'<a href="{quoted(each)}">x</a>' for each in references)
    markup = f"<html><head>{head}</head><body>{body}<p>text</p></body></html>".encode("utf-8", "replace")
    found = harvest(Raw(markup, SourceKind.URL, _URL, "text/html", final_url=_URL), "structure", True)

    assert len(set(found.links)) == len(found.links)
    for address in (*found.links, *filter(None, [found.canonical])):
        assert normalise(address) == address
        assert site_of(address) == "a.org"


@given(
    st.one_of(
        st.binary(max_size=200), st.lists(_PIECES, max_size=20).map(lambda all_: "".join(all_).encode())
    )
)
def test_no_sitemap_raises_anything_else(data: bytes) -> None:
    for packed in (data, gzip.compress(data), b"\x1f\x8b" + data):
        try:
            found = read_sitemap(Raw(packed, SourceKind.URL, "x"), "a.org")
        except RagError:
            continue
        assert all(site_of(url) == "a.org" for url in (*found.pages, *found.sitemaps))


@given(st.text(max_size=200), st.text(max_size=20))
def test_the_librarys_robots_parser_takes_anything(text: str, path: str) -> None:
    from urllib.robotparser import RobotFileParser

    rules = RobotFileParser()
    rules.parse(text.splitlines())
    assert rules.can_fetch(AGENT, normalise(f"http://a.org/{path.encode('ascii', 'ignore').hex()}")) in {
        True,
        False,
    }
    float(rules.crawl_delay(AGENT) or 0)
