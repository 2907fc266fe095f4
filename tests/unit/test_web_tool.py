"""`fetch`: one host at a time, Markdown in stretches, the reference's words for what goes wrong."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from geekagent_tui.agent.events import Scope
from geekagent_tui.agent.tools import web
from geekagent_tui.agent.tools.web import Fetch
from geekagent_tui.rag.service import RagService
from support.pages import PageServer, Reply, redirect
from support.tooling import SECRET, Workbench

PARAGRAPH = "<p>这一段讲的是历史压缩：超过阈值后，较早的消息会合并成一条摘要，最近的六条保留原样。</p>"
BODY = f"<h1>历史压缩</h1>{PARAGRAPH * 4}<pre>x = 1</pre>"
PAGE = f"<html><head><title>第五天</title></head><body>{BODY}</body></html>"


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Workbench]:
    bench = Workbench(tmp_path)
    async with await RagService.open(tmp_path / "base") as rag:
        bench.tools["fetch"] = Fetch(rag, bench.consent, bench.mask)
        yield bench


@pytest.fixture
async def server() -> AsyncIterator[PageServer]:
    async with PageServer({"/": Reply(PAGE.encode())}) as server:
        yield server


async def test_a_page_comes_as_markdown_after_a_question(bench: Workbench, server: PageServer) -> None:
    answer = await bench.call("fetch", url=server.url)
    lines = answer.split("\n")
    assert lines[0] == f"《第五天》 {server.url}/"
    assert lines[1].startswith("（网页共 ")
    assert "# 历史压缩" in lines
    assert "<p>" not in answer
    (review,) = bench.reviews
    assert review.question.split("\n") == ["即将访问网页：", f"{server.url}/", "确认抓取？"]
    assert review.target == f"127.0.0.1:{server.port}"


async def test_a_refusal_asks_no_server(bench: Workbench, server: PageServer) -> None:
    bench.refuse()
    assert await bench.call("fetch", url=server.url) == "已取消抓取"
    assert server.requests == []


async def test_a_long_page_is_read_on_without_asking_again(bench: Workbench, server: PageServer) -> None:
    text = "\n\n".join(f"第 {number} 段：{'知识库检索与引用。' * 20}" for number in range(100))
    server.pages["/long"] = Reply(text.encode(), content_type="text/plain; charset=utf-8")
    url, offset, seen = f"{server.url}/long", 0, ""
    while True:
        body = (await bench.call("fetch", url=url, offset=offset)).split("\n", 2)[2]
        piece, _mark, more = body.partition("\n...(已截断，续读可用 offset=")
        seen += piece
        if not more:
            break
        offset = int(more.rstrip(")"))
    assert seen.strip() == text
    assert len(bench.reviews) == len(server.requests) == 1
    assert await bench.call("fetch", url=url, offset=10**9) == "offset 已越过网页末尾"
    assert len(text) > web.CHARACTERS


@pytest.mark.parametrize(
    ("url", "answer"),
    [
        ("ftp://example.com/x", "只支持 http/https 链接"),
        ("file:///etc/passwd", "只支持 http/https 链接"),
        ("not a url", "URL 不合法：not a url"),
        ("http://", "URL 不合法：http://"),
        ("http://user:pw@example.com/", "链接里不能带用户名或密码，请去掉后再抓取"),
    ],
)
async def test_what_is_no_address_is_not_asked_about(bench: Workbench, url: str, answer: str) -> None:
    assert await bench.call("fetch", url=url) == answer
    assert bench.reviews == []


async def test_what_goes_wrong_is_said_in_the_references_words(bench: Workbench, server: PageServer) -> None:
    server.pages["/gone"] = Reply(b"", 404, "Not Found")
    server.pages["/png"] = Reply(b"\x89PNG\r\n", content_type="image/png")
    assert await bench.call("fetch", url=f"{server.url}/gone") == "请求失败：HTTP 404 Not Found"
    assert (await bench.call("fetch", url=f"{server.url}/png")).startswith("抓取失败：")
    assert (await bench.call("fetch", url="http://127.0.0.1:1/")).startswith("抓取失败：")


async def test_consent_is_for_one_host(bench: Workbench, server: PageServer) -> None:
    async with PageServer({"/": Reply(PAGE.encode())}) as other:
        server.pages["/away"] = redirect(f"{other.url}/")
        server.pages["/here"] = redirect("/")
        answer = await bench.call("fetch", url=f"{server.url}/away")
        assert f"没有跟随：{other.url}/" in answer
        assert other.requests == []
        assert "# 历史压缩" in await bench.call("fetch", url=f"{server.url}/here")


async def test_a_grant_for_a_host_holds_for_all_its_pages(bench: Workbench, server: PageServer) -> None:
    server.pages["/b"] = Reply(PAGE.encode())
    bench.allow(Scope.SESSION)
    await bench.call("fetch", url=server.url)
    await bench.call("fetch", url=f"{server.url}/b")
    assert len(bench.reviews) == 1
    assert server.requests == ["/", "/b"]


async def test_a_secret_on_a_page_is_hidden(bench: Workbench, server: PageServer) -> None:
    server.pages["/"] = Reply(f"KEY = {SECRET}\n".encode(), content_type="text/plain")
    assert "[REDACTED:THE_KEY]" in await bench.call("fetch", url=server.url)


async def test_a_public_name_that_leads_inside_is_a_question_of_its_own(
    bench: Workbench, server: PageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with DNS rebinding: what was allowed for a name is not allowed for where it leads now."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    real = socket.getaddrinfo
    looked_up: list[object] = []

    def look_up(host: str | bytes | None, *rest: Any, **more: Any) -> Any:
        looked_up.append(host)
        inside = host in ("docs.example.com", b"docs.example.com")
        return real("127.0.0.1" if inside else host, *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    url = f"http://docs.example.com:{server.port}/"
    bench.refuse()
    assert await bench.call("fetch", url=url) == "已取消抓取"
    assert looked_up == []
    bench.allow(Scope.SESSION)
    bench.before_answering = lambda: bench.refuse() if len(bench.reviews) == 3 else None
    assert await bench.call("fetch", url=url) == "已取消抓取"
    assert bench.reviews[-1].target == f"docs.example.com:{server.port}（本机或内网地址）"
    assert server.requests == []
    bench.allow()
    assert "# 历史压缩" in await bench.call("fetch", url=url)
    assert len(bench.reviews) == 4


@pytest.mark.parametrize(
    ("host", "inside"),
    [
        ("127.0.0.1:80", True),
        ("[::1]", True),
        ("nas:8080", True),
        ("a.local", True),
        ("example.com:8080", False),
        ("127.0.0.1.example.com", False),
    ],
)
def test_hosts_that_say_that_they_are_inside(host: str, inside: bool) -> None:
    assert web._is_inside(host) is inside
