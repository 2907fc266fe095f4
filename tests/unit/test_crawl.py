"""A crawl through a real local site."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from geekagent_tui.rag.model import (
    BatchProgress,
    Growth,
    IngestEvent,
    IngestFinished,
    IngestResult,
    IngestState,
)
from geekagent_tui.rag.service import RagService
from geekagent_tui.rag.settings import Settings
from support.bases import PATIENCE, finished
from support.pages import PageServer, Reply, redirect, silence

SENTENCE = "Wale sind große Tiere, die im Meer leben und singen. "


def page(title: str, *links: str, head: str = "") -> Reply:
    anchors = "".join(f'<a href="{link}">weiter</a> ' for link in links)
    text = f"<h1>{title}</h1><p>{title}: {SENTENCE * 8}</p>"
    return Reply(
        f"<html><head><title>{title}</title>{head}</head>"
        f"<body><nav>{anchors}</nav><main>{text}</main></body></html>".encode()
    )


def rules(text: str) -> Reply:
    return Reply(text.encode(), content_type="text/plain")


@pytest.fixture
async def rag(tmp_path: Path) -> AsyncIterator[RagService]:
    service = await RagService.open(tmp_path, settings=Settings(pause=0))
    yield service
    await service.close()


def ended(results: Sequence[IngestResult], web: PageServer) -> dict[str, str]:
    return {result.source.removeprefix(web.url): result.state.value for result in results}


async def sources(rag: RagService, web: PageServer) -> list[str]:
    return sorted(document.source.removeprefix(web.url) for document in await rag.documents())


async def test_a_site_is_read_breadth_first(rag: RagService) -> None:
    events: list[IngestEvent] = []
    async with PageServer(
        {
            "/": page(
                "Start", "a", "b/", "#top", "mailto:x@y.z", "javascript:void(0)", "bild.png", "data:,x"
            ),
            "/a": page("A", "/b/", "/a/1", "http://[bad"),
            "/b/": page("B", "../b/2"),
            "/a/1": page("A1", "/deep"),
            "/b/2": page("B2", "/"),
            "/deep": page("Tief", "/deeper"),
            "/deeper": page("Tiefer", "/deepest"),
            "/deepest": page("Am tiefsten"),
        }
    ) as web:
        results = await rag.add([web.url], events.append, crawl=100)
        asked = [target for target in web.requests if target != "/robots.txt"]

    assert set(ended(results, web).values()) == {"added"}
    assert asked == ["/", "/a", "/b/", "/a/1", "/b/2", "/deep", "/deeper", "/deepest"]
    assert await sources(rag, web) == ["/", "/a", "/a/1", "/b/", "/b/2", "/deep", "/deeper", "/deepest"]
    totals = [event.total for event in events]
    assert totals == sorted(totals)
    assert (totals[0], totals[-1]) == (1, 8)
    assert sorted(map(repr, finished(events))) == sorted(map(repr, results))


async def test_no_more_pages_than_agreed(rag: RagService) -> None:
    links = [f"/{at}" for at in range(50)]
    async with PageServer({"/": page("Start", *links), **{link: page(link) for link in links}}) as web:
        results = await rag.add([web.url], crawl=5)

    assert list(ended(results, web)) == ["/", "/0", "/1", "/2", "/3"]
    assert len(web.requests) == 6


async def test_other_sites_are_never_asked(rag: RagService) -> None:
    async with PageServer({"/": page("Fremd")}) as other:
        outside = f"http://localhost:{other.port}/"
        async with PageServer(
            {
                "/": page("Start", outside, other.url, "/out", "/in"),
                "/out": redirect(outside),
                "/in": page("Innen", head=f'<base href="{outside}"><link rel="canonical" href="{outside}">'),
            }
        ) as web:
            results = await rag.add([web.url], crawl=10)

    assert ended(results, web) == {"/": "added", "/out": "skipped", "/in": "added"}
    assert f"站外的 localhost:{other.port}" in results[1].reason
    assert other.requests == []
    assert await sources(rag, web) == ["/", "/in"]


async def test_the_start_may_move_to_its_real_site(rag: RagService) -> None:
    async with PageServer({"/docs/": page("Doku", "a"), "/docs/a": page("A")}) as web, PageServer() as old:
        old.pages["/"] = redirect(f"{web.url}/docs/")
        results = await rag.add([old.url], crawl=10)

    assert [result.state.value for result in results] == ["added", "added"]
    assert await sources(rag, web) == ["/docs/", "/docs/a"]
    assert old.requests == ["/robots.txt", "/"]


async def test_robots_txt_is_obeyed(rag: RagService) -> None:
    robots = "User-agent: *\nDisallow: /\n\nUser-agent: GeekAgent-TUI\nDisallow: /private\n"
    async with PageServer(
        {
            "/robots.txt": rules(robots),
            "/": page("Start", "/private/1", "/open", "/sly"),
            "/open": page("Offen"),
            "/sly": redirect("/private/2"),
        }
    ) as web:
        results = await rag.add([web.url], crawl=10)

    assert ended(results, web) == {"/": "added", "/private/1": "skipped", "/open": "added", "/sly": "skipped"}
    assert {result.reason for result in results if result.state is IngestState.SKIPPED} == {
        "网站的 robots.txt 不允许采集这个网页"
    }
    assert web.requests.count("/robots.txt") == 1
    assert not any(target.startswith("/private") for target in web.requests)


@pytest.mark.parametrize("status", [500, 503, 429])
async def test_robots_txt_that_cannot_be_read_forbids_everything(rag: RagService, status: int) -> None:
    async with PageServer({"/robots.txt": Reply(b"", status, "No"), "/": page("Start")}) as web:
        results = await rag.add([web.url], crawl=10)

    assert ended(results, web) == {"/": "skipped"}
    assert web.requests == ["/robots.txt"]


@pytest.mark.parametrize("status", [401, 403, 404, 410])
async def test_no_robots_txt_allows_everything(rag: RagService, status: int) -> None:
    async with PageServer({"/robots.txt": Reply(b"", status, "No"), "/": page("Start")}) as web:
        results = await rag.add([web.url], crawl=10)

    assert ended(results, web) == {"/": "added"}


async def test_one_document_has_one_identity(rag: RagService) -> None:
    canonical = '<link rel="Canonical" href="{}">'
    async with PageServer(
        {
            "/": page("Start", "/old", "/new", "/p?ref=1", "/p?ref=2", "/all-call-themselves-front"),
            "/old": redirect("/new", 301),
            "/new": page("Neu"),
            "/p?ref=1": page("P", head=canonical.format("/p")),
            "/p?ref=2": page("P", head=canonical.format("/p#x")),
            "/all-call-themselves-front": page("Irrtum", head=canonical.format("/")),
        }
    ) as web:
        results = await rag.add([web.url], crawl=10)
        states = ended(results, web)
        found = await rag.find(f"{web.url}/p")

    assert {states["/old"], states["/new"]} <= {"added", "skipped"}
    assert sorted([states["/p?ref=1"], states["/p?ref=2"]]) == ["added", "skipped"]
    assert await sources(rag, web) == ["/", "/all-call-themselves-front", "/new", "/p"]
    assert found is not None
    skipped = [result for result in results if result.state is IngestState.SKIPPED]
    assert all("是同一个网页，没有重复采集" in result.reason for result in skipped)


async def test_pages_that_point_at_each_other_are_not_lost(rag: RagService) -> None:
    canonical = '<link rel="canonical" href="{}">'
    async with PageServer(
        {
            "/": page("Start", "/a", "/b", "/c"),
            "/a": page("A", head=canonical.format("/b")),
            "/b": page("B", head=canonical.format("/a")),
            "/c": page("C", head=canonical.format("/gone")),
        }
    ) as web:
        results = await rag.add([web.url], crawl=10)

    states = ended(results, web)
    assert sorted([states["/a"], states["/b"]]) == ["added", "skipped"]
    assert states["/c"] == "added"
    assert len(await rag.documents()) == 3


async def test_duplicates_make_room_for_others(rag: RagService) -> None:
    canonical = '<link rel="canonical" href="/same">'
    async with PageServer(
        {
            "/": page("Start", "/1", "/2", "/3"),
            "/1": page("Gleich", head=canonical),
            "/2": page("Gleich", head=canonical),
            "/3": page("Drei"),
        }
    ) as web:
        await rag.add([web.url], crawl=3)

    assert await sources(rag, web) == ["/", "/3", "/same"]


async def test_a_page_without_text_leads_on(rag: RagService) -> None:
    hub = Reply(b'<html><body><a href="/a"></a><area href="/b"></body></html>')
    async with PageServer({"/": hub, "/a": page("A"), "/b": page("B")}) as web:
        results = await rag.add([web.url], crawl=10)

    assert ended(results, web) == {"/": "failed", "/a": "added", "/b": "added"}
    assert results[0].reason == "内容为空，未入库"


async def test_links_that_should_not_be_followed(rag: RagService) -> None:
    tag = '<meta name="ROBOTS" content="index, NoFollow">'
    async with PageServer(
        {
            "/": Reply(
                page("Start", "/a", "/c").body.replace(b"</nav>", b'<a rel="nofollow" href="/no">n</a></nav>')
            ),
            "/a": page("A", "/b", head=tag),
            "/b": page("B"),
            "/c": page("C", "/b", head='<meta name="robots" content="none">'),
            "/no": page("Nein"),
        }
    ) as web:
        results = await rag.add([web.url], crawl=10)

    assert ended(results, web) == {"/": "added", "/a": "added", "/c": "added"}


async def test_failures_are_told_and_do_not_stop_it(rag: RagService) -> None:
    async with PageServer(
        {
            "/": page("Start", "/gone", "/picture", "/inside", "/ok"),
            "/picture": Reply(b"\x89PNG", content_type="image/png"),
            "/inside": redirect("http://169.254.169.254/"),
            "/ok": page("Gut"),
        }
    ) as web:
        results = await rag.add([web.url], crawl=10)

    states = ended(results, web)
    assert states == {
        "/": "added",
        "/gone": "failed",
        "/picture": "failed",
        "/inside": "failed",
        "/ok": "added",
    }
    assert "169.254.169.254，已拒绝" in results[3].reason


async def test_feeds_and_data_are_no_pages(rag: RagService) -> None:
    atom = Reply(b"<feed>Wale</feed>", content_type="application/atom+xml")
    plain = Reply(b"Wale singen.", content_type="text/plain")
    async with PageServer(
        {"/": page("Start", "/feed.xml", "/style.css", "/feed", "/plain"), "/feed": atom, "/plain": plain}
    ) as web:
        results = await rag.add([web.url], crawl=10)

    assert ended(results, web) == {"/": "added", "/feed": "skipped", "/plain": "added"}
    assert results[1].reason == "是订阅源或数据文件，不是网页（application/atom+xml）"


async def test_two_crawls_of_one_site_read_each_page_once(rag: RagService) -> None:
    pages = {"/a": page("A", "/b", "/c"), "/b": page("B", "/a", "/c"), "/c": page("C")}
    async with PageServer({**pages}) as web:
        results = await rag.add([f"{web.url}/a", f"{web.url}/b", f"{web.url}/a#x"], crawl=10)

    assert ended(results, web) == {"/a": "added", "/b": "added", "/c": "added"}
    assert [target for target in web.requests if target != "/robots.txt"] == ["/a", "/b", "/c"]


async def test_cancelling_keeps_what_is_done(rag: RagService) -> None:
    events: list[IngestEvent] = []
    async with PageServer(
        {
            "/": page("Start", "/a", "/slow", "/slow2", "/b"),
            "/a": page("A"),
            "/slow": silence,
            "/slow2": silence,
        }
    ) as web:
        adding = asyncio.create_task(rag.add([web.url], events.append, crawl=10))
        async with asyncio.timeout(PATIENCE):
            while not {"/slow", "/slow2"} <= set(web.requests) or len(finished(events)) < 2:
                await asyncio.sleep(0.01)
            while not any(isinstance(event, BatchProgress) and event.done == 2 for event in events):
                await asyncio.sleep(0.01)  # told although nothing happens any more
        adding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await adding
        assert await sources(rag, web) == ["/", "/a"]
        states = ended(finished(events), web)

    assert states == {
        "/": "added",
        "/a": "added",
        "/slow": "cancelled",
        "/slow2": "cancelled",
        "/b": "cancelled",
    }
    assert len(finished(events)) == 5


async def test_a_preview_asks_nobody(rag: RagService) -> None:
    async with PageServer() as web:
        [crawl, plain, sitemap] = [
            *await rag.preview([web.url], crawl=20),
            *await rag.preview([web.url, f"{web.url}/sitemap.xml"]),
        ]
        assert web.requests == []

    assert (crawl.growth, crawl.pages, len(crawl.sources)) == (Growth.LINKS, 20, 1)
    assert (plain.growth, plain.pages) == (None, 1)
    assert (sitemap.growth, sitemap.pages) == (Growth.SITEMAP, 1000)


async def test_an_event_ends_each_page_once(rag: RagService) -> None:
    events: list[IngestEvent] = []
    async with PageServer({"/": page("S", "/a", "/b", "/x"), "/a": page("A", "/x"), "/b": page("B")}) as web:
        await rag.add([web.url], events.append, crawl=10)

    ends = [event.position for event in events if isinstance(event, IngestFinished)]
    assert sorted(ends) == [1, 2, 3, 4]


async def test_what_is_no_page_makes_room_for_others(rag: RagService) -> None:
    async with PageServer(
        {
            "/": page("Start", "/gone", "/feed", "/leer", "/bild", "/1", "/2", "/3"),
            "/feed": Reply(b"<feed>x</feed>", content_type="application/atom+xml"),
            "/leer": Reply(b"<html><body></body></html>"),
            "/bild": Reply(b"\x89PNG", content_type="image/png"),
            **{f"/{at}": page(f"Seite {at}") for at in (1, 2, 3)},
        }
    ) as web:
        results = await rag.add([web.url], crawl=4)

    assert await sources(rag, web) == ["/", "/1", "/2", "/3"]
    assert len(results) == 8


async def test_a_site_of_dead_links_is_given_up(rag: RagService) -> None:
    async with PageServer({"/": page("Start", *(f"/{at}" for at in range(100)))}) as web:
        results = await rag.add([web.url], crawl=5)
        asked = [target for target in web.requests if target != "/robots.txt"]

    assert len(results) == len(asked) == 10  # twice as many as agreed
    assert await sources(rag, web) == ["/"]
