"""Keeping the base up to date: unchanged costs nothing, changed is replaced, gone is told."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from geekagent_tui.rag.model import GivenText, IngestEvent, IngestFinished, IngestResult, IngestState
from geekagent_tui.rag.opening import DATABASE
from geekagent_tui.rag.service import RagService
from geekagent_tui.rag.settings import Settings
from geekagent_tui.rag.sync import FEW
from support.bases import (
    eventually,
    finished,
    index_json,
    rag_folder,
    reference_doc,
    reference_json,
    start_program,
    write_files,
)
from support.pages import PageServer, Reply, redirect, silence
from support.versions import Versioned, page


@pytest.fixture
async def rag(tmp_path: Path) -> AsyncIterator[RagService]:
    service = await RagService.open(tmp_path)
    yield service
    await service.close()


@pytest.fixture
async def web() -> AsyncIterator[PageServer]:
    async with PageServer() as running:
        yield running


def _states(results: list[IngestResult]) -> list[str]:
    return [result.state.value for result in results]


class _Writes:
    """Tells whether anything was written to a database since the last look."""

    def __init__(self, workspace: Path) -> None:
        self._connection = sqlite3.connect(rag_folder(workspace) / DATABASE)
        self._last = self._look()

    def _look(self) -> tuple[int, str]:
        version = self._connection.execute("PRAGMA data_version").fetchone()[0]
        revision = self._connection.execute("SELECT value FROM meta WHERE key = 'revision'").fetchone()[0]
        return version, revision

    def __call__(self) -> bool:
        before, self._last = self._last, self._look()
        return before != self._last

    def close(self) -> None:
        self._connection.close()


async def test_unchanged_costs_no_write(rag: RagService, web: PageServer, tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": "# 甲\n\n第一篇。", "sub/b.md": "第二篇。"})
    web.pages["/etag"] = tagged = Versioned(web, page("Etag"), etag='W/"v1"')
    web.pages["/date"] = dated = Versioned(web, page("Datum"), modified="Wed, 26 Aug 2026 12:42:11 GMT")
    web.pages["/plain"] = plain = Versioned(web, page("Ohne"))
    sources = ["a.md", "sub", *(f"{web.url}{path}" for path in ("/etag", "/date", "/plain"))]
    assert _states(await rag.add(sources)) == ["added"] * 5
    documents = await rag.documents()

    writes = _Writes(tmp_path)
    events: list[IngestEvent] = []
    results = await rag.sync(on_event=events.append)
    written = writes()
    writes.close()

    assert not written
    assert _states(results) == ["unchanged"] * 5
    assert {result.reason for result in results} == {"没有变化"}
    assert [result.id for result in results] == [document.id for document in documents]
    assert finished(events) != []
    assert {event.position for event in events if isinstance(event, IngestFinished)} == {1, 2, 3, 4, 5}
    assert await rag.documents() == documents
    assert (tagged.answers, dated.answers, plain.answers) == ([200, 304], [200, 304], [200, 200])


async def test_changed_documents_are_replaced(rag: RagService, web: PageServer, tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": "Der Wal singt.", "b.md": "bleibt"})
    web.pages["/p"] = served = Versioned(web, page("Alt"), etag='"1"')
    added = await rag.add(["a.md", "b.md", f"{web.url}/p"])

    write_files(tmp_path, {"a.md": "Der Delfin springt."})
    served.body, served.etag = page("Neu", "Delfine springen sehr hoch. "), '"2"'
    results = await rag.sync()

    assert {result.source: result.state.value for result in results} == {
        "a.md": "updated",
        "b.md": "unchanged",
        f"{web.url}/p": "updated",
    }
    assert {result.id for result in results} == {result.id for result in added}
    assert {hit.source for hit in (await rag.search("Delfin")).hits} >= {"a.md"}
    assert (await rag.search("Wal")).hits == ()
    assert "Delfin" in index_json(tmp_path).read_text("utf-8")
    assert _states(await rag.sync()) == ["unchanged"] * 3
    assert served.answers == [200, 200, 304]


async def test_another_title_is_a_change(rag: RagService, web: PageServer) -> None:
    web.pages["/p"] = Reply(page("Gleich").replace(b"<title>Gleich", b"<title>Erster Titel"))
    await rag.add([f"{web.url}/p"])
    web.pages["/p"] = Reply(page("Gleich").replace(b"<title>Gleich", b"<title>Zweiter Titel"))

    [result] = await rag.sync()
    assert (result.state, result.title) == (IngestState.UPDATED, "Zweiter Titel")


async def test_what_is_gone_is_told_and_kept(rag: RagService, web: PageServer, tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": "eins", "sub/b.md": "zwei"})
    web.pages |= {f"/{name}": Reply(page(name)) for name in ("x", "y", "z")}
    urls = [f"{web.url}/{name}" for name in "xyz"]
    await rag.add(["a.md", "sub", *urls])
    (tmp_path / "a.md").unlink()
    (tmp_path / "sub" / "b.md").unlink()
    (tmp_path / "sub").rmdir()
    web.pages |= {"/x": Reply(status=410, reason="Gone"), "/z": Reply(status=503, reason="Busy")}
    del web.pages["/y"]

    results = {result.source: result for result in await rag.sync()}
    assert _states(list(results.values())) == ["failed"] * 5
    assert results["a.md"].reason == (
        "来源已不存在，文档仍保留，用 rag sync --prune 移除（采集失败：文件不存在：a.md）"
    )
    assert "HTTP 410 Gone" in results[urls[0]].reason
    assert results[urls[2]].reason == "抓取失败：HTTP 503 Busy"
    assert len(await rag.documents()) == 5

    events: list[IngestEvent] = []
    pruned = await rag.sync(prune=True, on_event=events.append)
    # A server in trouble is no reason to forget
    assert {each.source for each in pruned if each.state is IngestState.FAILED} == {urls[2]}
    assert [each.state for each in pruned].count(IngestState.REMOVED) == 4
    assert {result.source: result for result in finished(events)} == {each.source: each for each in pruned}
    assert [document.source for document in await rag.documents()] == [urls[2]]

    assert _states(await rag.undo_remove()) == ["added"] * 4
    assert len(await rag.documents()) == 5


async def test_only_some_documents(rag: RagService, web: PageServer, tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": "eins", "notes/b.md": "zwei", "notes/deep/c.md": "drei", "d.txt": "vier"})
    web.pages |= {"/p": Reply(page("P")), "/q": Reply(page("Q"))}
    await rag.add(["a.md", "notes", "d.txt", f"{web.url}/p", f"{web.url}/q"])

    async def synced(*names: str) -> set[str]:
        results = await rag.sync(names)
        sources = {result.source for result in results}
        assert len(sources) == len(results)
        return sources

    assert await synced("./notes/../a.md") == {"a.md"}
    assert await synced("notes/*.md") == {"notes/b.md"}
    assert await synced("notes/") == {"notes/b.md", "notes/deep/c.md"}
    assert await synced("**/*.md", "a.md") == {"a.md", "notes/b.md", "notes/deep/c.md"}
    assert await synced(".") == {"a.md", "notes/b.md", "notes/deep/c.md", "d.txt"}
    assert await synced(f"{web.url}/*") == {f"{web.url}/p", f"{web.url}/q"}
    write_files(tmp_path, {"new.md": "neu"})
    results = await rag.sync(["new.md", "*.rst", ""])
    assert _states(results) == ["failed"] * 3
    assert results[0].reason == "知识库里没有 new.md"
    assert results[1].reason == "知识库里没有匹配 *.rst 的文档"
    assert await rag.sync([]) == []


async def test_imported_documents_become_ours(tmp_path: Path) -> None:
    text = "# 标题\n\n" + "鲸鱼在夜里唱歌。" * 200
    write_files(tmp_path, {"a.md": text})
    windows = [(start, text[start : start + 800]) for start in range(0, len(text), 720)]
    index_json(tmp_path).write_bytes(reference_json(reference_doc("a.md", *windows, title="标题")))
    async with await RagService.open(tmp_path) as rag:
        [before] = await rag.documents()
        assert before.passages == len(windows)
        assert _states(await rag.add(["a.md"])) == ["unchanged"]

        [result] = await rag.sync()
        assert (result.state, result.id, result.title) == (IngestState.UPDATED, before.id, "标题")
        assert _states(await rag.sync()) == ["unchanged"]
        [after] = await rag.documents()
        assert after.added_at == before.added_at


async def test_the_version_is_told_only_to_who_gave_it(rag: RagService, web: PageServer) -> None:
    web.pages |= {"/old": redirect("/new"), "/new": Versioned(web, page("Umgezogen"), etag='"1"')}
    await rag.add([f"{web.url}/old"])
    assert _states(await rag.sync()) == ["unchanged"]
    asked = [(path, "If-None-Match" in sent) for path, sent in zip(web.requests, web.headers, strict=True)]
    assert asked == [("/old", False), ("/new", False), ("/old", False), ("/new", True)]

    web.pages["/old"] = redirect("/other")
    web.pages["/other"] = Reply(page("Woanders"))
    assert _states(await rag.sync()) == ["updated"]
    assert "If-None-Match" not in web.headers[-1]


async def test_strange_versions_are_not_sent(rag: RagService, web: PageServer) -> None:
    web.pages["/p"] = Versioned(web, page("P"), etag='"ü"')
    await rag.add([f"{web.url}/p"])
    assert _states(await rag.sync()) == ["unchanged"]
    assert "If-None-Match" not in web.headers[-1]


async def test_an_imported_address_does_not_lead_inside(web: PageServer, tmp_path: Path) -> None:
    web.pages["/p"] = Reply(page("Intern"))
    index_json(tmp_path).write_bytes(reference_json(reference_doc(f"{web.url}/p", (0, "Wal"))))
    async with await RagService.open(tmp_path) as rag:
        [result] = await rag.sync(prune=True)
        assert result.state is IngestState.FAILED
        assert "已拒绝" in result.reason
        assert web.requests == []

        assert _states(await rag.add([f"{web.url}/p"])) == ["updated"]  # now somebody has agreed to it
        assert _states(await rag.sync()) == ["unchanged"]


async def test_what_was_handed_over_stays(rag: RagService) -> None:
    await rag.add([], texts=[GivenText(b"Der Wal singt.", "Notiz")])
    [result] = await rag.sync(prune=True)
    assert (result.state, result.reason) == (IngestState.SKIPPED, "来自标准输入，不能重新读取")
    assert len(await rag.documents()) == 1


async def test_a_304_that_nobody_asked_for_is_an_error(rag: RagService, web: PageServer) -> None:
    web.pages["/p"] = Reply(page("P"))
    await rag.add([f"{web.url}/p"])
    web.pages["/p"] = Reply(status=304, reason="Not Modified", content_type="", length=None)
    [result] = await rag.sync()
    assert (result.state, result.reason) == (IngestState.FAILED, "抓取失败：HTTP 304 Not Modified")


async def test_removed_meanwhile_does_not_come_back(rag: RagService, web: PageServer) -> None:
    asked, go = asyncio.Event(), asyncio.Event()
    web.pages["/p"] = Reply(page("P"))
    await rag.add([f"{web.url}/p"])

    async def slow(writer: asyncio.StreamWriter) -> None:
        asked.set()
        await go.wait()
        await Reply(page("Anders", "Delfine springen hoch. ")).send(writer)

    web.pages["/p"] = slow
    syncing = asyncio.create_task(rag.sync())
    await asked.wait()
    await rag.remove([f"{web.url}/p"])
    go.set()
    [result] = await syncing
    assert (result.state, result.reason) == (IngestState.SKIPPED, "同步时已从知识库移除")
    assert await rag.documents() == []


async def test_a_cancelled_sync_removes_nothing_and_tells_every_end(
    rag: RagService, web: PageServer, tmp_path: Path
) -> None:
    write_files(tmp_path, {"a.md": "eins"})
    web.pages["/p"] = Reply(page("P"))
    await rag.add(["a.md", f"{web.url}/p"])
    (tmp_path / "a.md").unlink()
    web.pages["/p"] = silence
    asked = len(web.requests)
    events: list[IngestEvent] = []
    syncing = asyncio.create_task(rag.sync(prune=True, on_event=events.append))

    async def is_asked() -> bool:
        return len(web.requests) > asked

    await eventually(is_asked)
    syncing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await syncing
    assert _states(finished(events)) == ["cancelled"] * 2
    assert len(await rag.documents()) == 2


_SYNC = """
import asyncio, sys
from geekagent_tui.rag.model import IngestFinished
from geekagent_tui.rag.service import RagService
from geekagent_tui.rag.settings import Settings
from geekagent_tui.rag.sync import FEW

def tell(event):
    if isinstance(event, IngestFinished):
        print(event.result.state, event.result.source, flush=True)

async def main():
    async with await RagService.open(sys.argv[1]) as rag:
        await rag.sync(on_event=tell)

asyncio.run(main())
"""


async def test_a_killed_sync_loses_nothing(tmp_path: Path) -> None:
    names = [f"{number}.md" for number in range(40)]
    write_files(tmp_path, {name: f"alt {name}" for name in names})
    async with await RagService.open(tmp_path) as rag:
        await rag.add(names)
    write_files(tmp_path, {name: f"neu {name}" for name in names})

    process = await start_program(_SYNC, str(tmp_path))
    assert process.stdout is not None
    lines = [await process.stdout.readline() for _ in range(7)]
    process.kill()
    rest, _ = await process.communicate()
    lines += [line for line in rest.splitlines(keepends=True) if line.endswith(b"\n")]
    told = [line.decode().split()[1] for line in lines]

    async with await RagService.open(tmp_path) as rag:
        assert rag.notices == ()
        documents = {each.source: each.id for each in await rag.documents()}
        assert sorted(documents) == sorted(names)
        for source in told:
            assert (await rag.document(documents[source])).text == f"neu {source}"
        assert {result.state.value for result in await rag.sync()} <= {"updated", "unchanged"}
        assert _states(await rag.sync()) == ["unchanged"] * len(names)
        found = await rag.search("neu", 100)
        assert {hit.source for hit in found.hits} == set(names)


async def test_many_pages_of_a_host_are_read_again_like_a_crawl(tmp_path: Path, web: PageServer) -> None:
    paths = [f"/{at}" for at in range(FEW + 1)]
    web.pages |= {path: Reply(page(f"Seite {path}")) for path in paths}
    async with await RagService.open(tmp_path, settings=Settings(pause=0.02)) as rag:
        await rag.add([f"{web.url}{path}" for path in paths])
        assert "/robots.txt" not in web.requests  # each was typed

        web.pages["/robots.txt"] = Reply(b"User-agent: *\nDisallow: /3\n", content_type="text/plain")
        web.requests.clear()
        loop = asyncio.get_running_loop()
        began = loop.time()
        results = {result.source.removeprefix(web.url): result for result in await rag.sync()}
        assert loop.time() - began >= FEW * 0.02  # so many pauses at least, however fast the machine
        assert len(await rag.documents()) == FEW + 1

    assert results["/3"].state is IngestState.SKIPPED
    assert results["/3"].reason == "网站的 robots.txt 现在不允许采集这个网页，文档仍保留"
    assert {result.state.value for path, result in results.items() if path != "/3"} == {"unchanged"}
    assert sorted(web.requests) == sorted(["/robots.txt", *(path for path in paths if path != "/3")])


async def test_a_few_pages_of_a_host_are_read_again_at_once(rag: RagService, web: PageServer) -> None:
    paths = [f"/{at}" for at in range(FEW)]
    web.pages |= {path: Reply(page(f"Seite {path}")) for path in paths}
    await rag.add([f"{web.url}{path}" for path in paths])
    web.requests.clear()
    await rag.sync()
    assert sorted(web.requests) == sorted(paths)
