from __future__ import annotations

import asyncio
import gzip
import socket
import zlib
from collections.abc import AsyncIterator

import pytest

from geekagent_tui.rag import limits
from geekagent_tui.rag.errors import SkippedError, SourceError, TooLargeError
from geekagent_tui.rag.fetch import Fetcher, Leash
from geekagent_tui.rag.model import SourceKind
from geekagent_tui.rag.network import Zone
from support.documents import docx, epub, odt, paragraph, xlsx
from support.pages import Drip, PageServer, Reply, redirect, silence

PAGE = "<html><title>题</title><p>正文</p></html>".encode()


@pytest.fixture
async def server() -> AsyncIterator[PageServer]:
    async with PageServer() as running:
        yield running


@pytest.fixture
async def fetcher() -> AsyncIterator[Fetcher]:
    async with Fetcher() as running:
        yield running


async def reason(fetcher: Fetcher, url: str) -> str:
    with pytest.raises(SourceError) as caught:
        await fetcher.fetch(url)
    return caught.value.message


async def test_a_page_with_what_its_headers_say(server: PageServer, fetcher: Fetcher) -> None:
    headers = {"ETag": '"v1"', "Last-Modified": "Wed, 26 Aug 2026 12:42:11 GMT"}
    server.pages["/a?b=1"] = Reply(PAGE, content_type='Text/HTML; Charset="GBK"', headers=headers)
    raw = await fetcher.fetch(f"{server.url}/a?b=1")
    assert raw.data == PAGE
    assert raw.kind is SourceKind.URL
    assert (raw.content_type, raw.charset) == ("text/html", "GBK")
    assert (raw.etag, raw.last_modified) == ('"v1"', "Wed, 26 Aug 2026 12:42:11 GMT")
    assert raw.name == raw.final_url == f"{server.url}/a?b=1"
    assert "GeekAgent" in server.headers[0]["User-Agent"]


async def test_progress(server: PageServer, fetcher: Fetcher) -> None:
    server.pages["/"] = Reply(b"x" * 300_000, content_type="text/plain")
    seen: list[tuple[int, int | None]] = []
    await fetcher.fetch(f"{server.url}/", lambda done, size: seen.append((done, size)))
    assert seen[-1] == (300_000, 300_000)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


@pytest.mark.parametrize(
    ("encoding", "compress"),
    [
        ("gzip", gzip.compress),
        ("GZip", lambda data: gzip.compress(data[:7]) + gzip.compress(data[7:])),
        ("deflate", zlib.compress),
        ("deflate", lambda data: zlib.compress(data, wbits=-15)),
        ("identity", bytes),
    ],
)
async def test_compressed_pages(
    server: PageServer, fetcher: Fetcher, encoding: str, compress: object
) -> None:
    data = PAGE * 50_000
    assert callable(compress)
    server.pages["/"] = Reply(compress(data), headers={"Content-Encoding": encoding})
    assert (await fetcher.fetch(f"{server.url}/")).data == data


async def test_a_compression_nobody_asked_for(server: PageServer, fetcher: Fetcher) -> None:
    server.pages["/"] = Reply(b"\x0b\x00\x80x\x03", headers={"Content-Encoding": "br"})
    assert await reason(fetcher, f"{server.url}/") == "采集失败：服务器用了不支持的压缩方式：br"


@pytest.mark.parametrize(
    "data",
    [gzip.compress(PAGE * 100)[:-20], b"\x1f\x8b\x08\x00garbage!garbage!garbage!"],
    ids=["cut", "garbage"],
)
async def test_damaged_compression(server: PageServer, fetcher: Fetcher, data: bytes) -> None:
    server.pages["/"] = Reply(data, headers={"Content-Encoding": "gzip"})
    assert await reason(fetcher, f"{server.url}/") == "采集失败：收到的内容不完整或已损坏，可稍后重试"


async def test_a_decompression_bomb_is_stopped_early(server: PageServer, fetcher: Fetcher) -> None:
    bomb = gzip.compress(b"a" * (4 * limits.BYTES))
    server.pages["/"] = Reply(bomb, headers={"Content-Encoding": "gzip"})
    received: list[int] = []
    with pytest.raises(TooLargeError, match="原始内容超过 32MB"):
        await fetcher.fetch(f"{server.url}/", lambda done, _size: received.append(done))
    assert max(received) <= limits.BYTES


async def test_too_many_bytes_announced(server: PageServer, fetcher: Fetcher) -> None:
    server.pages["/"] = Reply(b"a", length=limits.BYTES + 1)
    assert await reason(fetcher, f"{server.url}/") == "采集失败：原始内容超过 32MB，请拆成几份再采集"


@pytest.mark.parametrize(
    ("status", "phrase", "sentence"),
    [
        (404, "Not Found", "抓取失败：HTTP 404 Not Found"),
        (403, "Forbidden", "抓取失败：HTTP 403 Forbidden"),
        (500, "Oh\x1b[31m no", "抓取失败：HTTP 500 Oh␛[31m no"),
        (503, "", "抓取失败：HTTP 503 Service Unavailable"),
        (304, "Not Modified", "抓取失败：HTTP 304 Not Modified"),
        (302, "Found", "抓取失败：HTTP 302 Found"),
    ],
)
async def test_http_errors(
    server: PageServer, fetcher: Fetcher, status: int, phrase: str, sentence: str
) -> None:
    server.pages["/"] = Reply(b"", status, phrase)
    assert await reason(fetcher, f"{server.url}/") == sentence


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_redirects_are_followed(server: PageServer, fetcher: Fetcher, status: int) -> None:
    server.pages |= {"/old": redirect("new/./page#part", status), "/new/page": Reply(PAGE)}
    raw = await fetcher.fetch(f"{server.url}/old")
    assert raw.final_url == f"{server.url}/new/page"


async def test_endless_redirects(server: PageServer, fetcher: Fetcher) -> None:
    server.pages["/"] = redirect("/")
    assert await reason(fetcher, f"{server.url}/") == "采集失败：重定向超过 10 次"
    assert len(server.requests) == 11


@pytest.mark.parametrize("target", ["ftp://example.com/x", "file:///etc/passwd", "http://u:p@127.0.0.1/"])
async def test_redirects_to_what_is_no_web_page(server: PageServer, fetcher: Fetcher, target: str) -> None:
    server.pages["/"] = redirect(target)
    assert (await reason(fetcher, f"{server.url}/")).startswith("采集失败：被重定向到不能采集的地址（")


async def test_a_redirect_to_what_is_no_address(server: PageServer, fetcher: Fetcher) -> None:
    server.pages["/"] = redirect("http://[::1")
    assert (await reason(fetcher, f"{server.url}/")).startswith("采集失败：连接中断或回应不合规范")


async def test_a_redirect_from_here_into_the_metadata_service(server: PageServer, fetcher: Fetcher) -> None:
    server.pages["/"] = redirect("http://169.254.169.254/latest/meta-data/")
    assert "169.254.169.254，已拒绝" in await reason(fetcher, f"{server.url}/")


async def test_each_address_is_looked_at_before_it_is_asked(server: PageServer, fetcher: Fetcher) -> None:
    seen: list[tuple[str, Zone | None]] = []

    async def before(url: str, closest: Zone | None) -> None:
        seen.append((url.removeprefix(server.url), closest))
        if url.endswith("/no"):
            raise SkippedError("nein")

    server.pages |= {"/": redirect("/b"), "/b": redirect("/no"), "/in": redirect("http://169.254.169.254/")}
    for path, words in (("/", "nein"), ("/in", "169.254.169.254，已拒绝")):
        with pytest.raises(SourceError, match=words):
            await fetcher.fetch(server.url + path, leash=Leash(before=before))
    assert seen == [("/", None), ("/b", Zone.PRIVATE), ("/no", Zone.PRIVATE), ("/in", None)]
    assert server.requests == ["/", "/b", "/in"]


async def test_an_answer_tells_where_it_came_from(server: PageServer, fetcher: Fetcher) -> None:
    server.pages["/"] = Reply(PAGE)
    assert (await fetcher.fetch(f"{server.url}/")).zone is Zone.PRIVATE


async def test_a_packed_file_where_it_is_welcome(server: PageServer, fetcher: Fetcher) -> None:
    packed = gzip.compress(PAGE)
    server.pages["/"] = Reply(packed, content_type="application/gzip")
    assert (await fetcher.fetch(f"{server.url}/", leash=Leash(packed=True))).data == packed
    assert "压缩包（application/gzip）" in await reason(fetcher, f"{server.url}/")


@pytest.mark.parametrize(
    ("content_type", "body", "words"),
    [
        ("application/msword", b"\xd0\xcf\x11\xe0", "Office 文档（application/msword）"),
        ("image/png", b"\x89PNG", "图片（image/png）"),
        ("application/zip", b"PK\x03\x04", "压缩包（application/zip）"),
        ("video/mp4", b"", "视频（video/mp4）"),
        ("text/html", b"PK\x03\x04 lies", "不是文本，是 ZIP / Office"),
        ("text/plain", b"abc\x00def", "不是文本，是 二进制数据"),
        ("", b"\x89PNG\r\n", "不是文本，是 PNG"),
        ("application/octet-stream", b"GIF89a", "不是文本，是 GIF"),
    ],
)
async def test_what_is_no_text_is_refused_by_name(
    server: PageServer, fetcher: Fetcher, content_type: str, body: bytes, words: str
) -> None:
    server.pages["/"] = Reply(body, content_type=content_type)
    message = await reason(fetcher, f"{server.url}/")
    assert message.startswith("采集失败：")
    assert words in message


@pytest.mark.parametrize(
    ("path", "content_type", "body"),
    [
        ("/a", "application/pdf", b"%PDF-1.7"),
        ("/a", "text/html", b"%PDF-1.7 whatever the server says"),
        ("/a.docx", "application/zip", docx(paragraph("字"))),
        ("/a", "application/octet-stream", docx(paragraph("字"))),
        ("/a", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", docx("")),
        ("/a", "application/vnd.ms-excel.sheet.macroenabled.12", xlsx({})),
        ("/a", "application/epub+zip", epub({})),
        ("/a", "application/vnd.oasis.opendocument.text", odt("")),
    ],
    # The bytes hold the time at which they were made, and processes would not agree on names made of them.
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_documents_pass(
    server: PageServer, fetcher: Fetcher, path: str, content_type: str, body: bytes
) -> None:
    server.pages[path] = Reply(body, content_type=content_type)
    raw = await fetcher.fetch(f"{server.url}{path}")
    assert (raw.data, raw.content_type) == (body, content_type)


async def test_text_without_a_type(server: PageServer, fetcher: Fetcher) -> None:
    server.pages["/"] = Reply("文字".encode(), content_type="application/octet-stream")
    assert (await fetcher.fetch(f"{server.url}/")).data == "文字".encode()


async def test_silence(server: PageServer) -> None:
    server.pages["/"] = silence
    async with Fetcher(silence=0.2) as fetcher:
        assert await reason(fetcher, f"{server.url}/") == "采集失败：抓取超时（0.2s），可稍后重试"


async def test_the_real_limit_is_the_references() -> None:
    assert f"{limits.SILENCE:g}" == "15"


async def test_a_steady_drip(server: PageServer) -> None:
    server.pages["/"] = Drip()
    async with Fetcher(total=0.3) as fetcher:
        assert await reason(fetcher, f"{server.url}/") == "采集失败：抓取超时（0.3s），可稍后重试"


async def test_a_body_shorter_than_announced(server: PageServer, fetcher: Fetcher) -> None:
    server.pages["/"] = Reply(PAGE, length=len(PAGE) + 100)
    assert (await reason(fetcher, f"{server.url}/")).startswith("采集失败：连接中断或回应不合规范")


async def test_a_body_longer_than_announced(server: PageServer, fetcher: Fetcher) -> None:
    server.pages["/"] = Reply(PAGE, length=10)
    assert (await fetcher.fetch(f"{server.url}/")).data == PAGE[:10]


async def test_no_http_at_all(server: PageServer, fetcher: Fetcher) -> None:
    async def nonsense(writer: asyncio.StreamWriter) -> None:
        writer.write(b"SSH-2.0-OpenSSH_9.2\r\n\r\n")

    server.pages["/"] = nonsense
    assert (await reason(fetcher, f"{server.url}/")).startswith("采集失败：连接中断或回应不合规范")


async def test_refused_connection(fetcher: Fetcher) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    assert (
        await reason(fetcher, f"http://127.0.0.1:{port}/")
        == f"采集失败：127.0.0.1:{port} 拒绝连接，请确认服务已启动"
    )


async def test_unknown_host(fetcher: Fetcher) -> None:
    assert (
        await reason(fetcher, "http://no-such-host.invalid/")
        == "采集失败：找不到主机 no-such-host.invalid，请检查网址和网络"
    )


async def test_no_tls_there(fetcher: Fetcher) -> None:
    async def plain(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(plain, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        message = await reason(fetcher, f"https://127.0.0.1:{port}/")
    assert message.startswith(f"采集失败：与 127.0.0.1:{port} 的安全连接失败（TLS：")


async def test_cancelling_closes_the_connection(server: PageServer, fetcher: Fetcher) -> None:
    asked, gone = asyncio.Event(), asyncio.Event()

    async def handler(writer: asyncio.StreamWriter) -> None:
        asked.set()
        try:
            await Drip().send(writer)
        finally:
            gone.set()

    server.pages["/"] = handler
    task = asyncio.create_task(fetcher.fetch(f"{server.url}/"))
    await asked.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with asyncio.timeout(30):
        await gone.wait()


async def test_concurrent_first_fetches_share_one_client(server: PageServer, fetcher: Fetcher) -> None:
    server.pages["/"] = Reply(PAGE)
    pages = await asyncio.gather(*(fetcher.fetch(f"{server.url}/") for _ in range(4)))
    assert all(page.data == PAGE for page in pages)


async def test_a_fetcher_that_was_never_used_closes() -> None:
    async with Fetcher():
        pass
