from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import sqlite3
import sys
from collections import Counter
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from geekagent_tui.paths import Workspace
from geekagent_tui.rag.errors import StoreError, StoreTooNewError, UnknownDocumentError
from geekagent_tui.rag.model import (
    Change,
    IngestEvent,
    IngestPhase,
    IngestProgress,
    IngestState,
    NoHits,
    Selection,
    Stats,
)
from geekagent_tui.rag.service import RagService
from geekagent_tui.rag.settings import Settings
from support.bases import (
    PATIENCE,
    eventually,
    index_json,
    rag_folder,
    reference_doc,
    reference_json,
    run_program,
    write_files,
)
from support.documents import archive, docx, epub, odt, paragraph, pdf, pptx, shape

NOTES = Path(__file__).parents[2] / "assets" / "notes"
QUESTION = "这套笔记里，历史压缩相关的触发阈值是多少？"


@pytest.fixture
async def rag(tmp_path: Path) -> AsyncIterator[RagService]:
    service = await RagService.open(tmp_path)
    yield service
    await service.close()


async def _titles(rag: RagService, query: str) -> list[str]:
    return [hit.title for hit in (await rag.search(query)).hits]


async def test_a_large_batch_leaves_the_event_loop_free(tmp_path: Path) -> None:
    write_files(tmp_path, {f"{number}.md": "文" for number in range(350)})
    told: list[int] = []
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    def on_event(event: IngestEvent) -> None:
        if isinstance(event, IngestProgress) and event.phase is IngestPhase.QUEUED:
            told.append(turns)
        else:
            adding.cancel()

    async with await RagService.open(tmp_path) as rag:
        counting = asyncio.create_task(count())
        adding = asyncio.create_task(rag.add(["."], on_event))
        await asyncio.wait([adding])
        counting.cancel()
    assert len(told) == 350
    assert max(Counter(told).values()) <= 100


async def test_previewed_sources_are_not_resolved_again(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("甲", encoding="utf-8")
    async with await RagService.open(tmp_path) as rag:
        (preview,) = await rag.preview(["notes"])
        (tmp_path / "notes" / "b.md").write_text("乙", encoding="utf-8")
        (tmp_path / "c.md").write_text("丙", encoding="utf-8")
        results = await rag.add([*preview.sources, "c.md"])
    assert [result.source for result in results] == ["notes/a.md", "c.md"]


async def test_documents_of_every_kind_and_their_pages(tmp_path: Path) -> None:
    files = {
        "a.pdf": pdf([["首页"], [], ["历史压缩的阈值是四千。"]]),
        "b.docx": docx(paragraph("文档里的苹果")),
        "c.pptx": pptx([shape(["封面"], "title"), shape(["幻灯片里的香蕉"], "title")]),
        "d.epub": epub({"a.xhtml": "<p>书里的葡萄</p>"}),
        "e.odt": odt("<text:p>文本里的西瓜</text:p>"),
        "f.csv": b"\xe6\xb0\xb4\xe6\x9e\x9c,\xe4\xbb\xb7\n\xe6\xa2\xa8,3\n",
        "g.zip": archive({"a.txt": "x"}),
        "h.pdf": b"%PDF-1.7 broken",
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    async with await RagService.open(tmp_path) as rag:
        results = await rag.add(["."])
        found = [
            (await rag.search(query)).hits[0] for query in ("历史压缩阈值", "香蕉", "苹果", "葡萄", "西瓜")
        ]
        shown = await rag.document(found[1].id)

    assert [each.source for each in results if each.state is IngestState.FAILED] == ["h.pdf"]
    assert {each.source for each in results} == {*files} - {"g.zip"}
    assert [(hit.source, hit.page) for hit in found] == [
        ("a.pdf", 1),
        ("c.pptx", 1),
        ("b.docx", 0),
        ("d.epub", 0),
        ("e.odt", 0),
    ]
    assert [passage.page for passage in shown.passages] == [1]


async def test_the_story(tmp_path: Path) -> None:
    shutil.copytree(NOTES, tmp_path / "notes")
    async with await RagService.open(tmp_path) as rag:
        results = await rag.add(["notes/day5.html", "notes/day9.html"])
        result = await rag.search(QUESTION)

    assert [(each.title, each.characters, each.passages) for each in results] == [
        ("Day 5 学习笔记", 1042, 2),
        ("Day 9 学习笔记", 886, 2),
    ]
    assert result.hits[0].title == "Day 5 学习笔记"
    assert "4000" in result.hits[0].text
    assert result.none is None

    async with await RagService.open(tmp_path) as rag:
        assert (await rag.search(QUESTION)).hits == result.hits
        assert await rag.stats() == Stats(2, 4, 1928)


async def test_a_hit_is_exactly_one_passage(rag: RagService, tmp_path: Path) -> None:
    shutil.copytree(NOTES, tmp_path / "notes")
    await rag.add(["notes"])

    for hit in (await rag.search(QUESTION)).hits:
        whole = await rag.document(hit.id)
        passage = whole.passages[hit.passage - 1]
        assert (passage.number, passage.start, passage.text) == (hit.passage, hit.start, hit.text)
        assert whole.text[hit.start : hit.start + len(hit.text)] == hit.text
        assert (hit.title, hit.source) == (whole.document.title, whole.document.source)


async def test_why_nothing_is_found(rag: RagService, tmp_path: Path) -> None:
    assert (await rag.search("你好")).none is NoHits.NO_TERMS
    assert (await rag.search("历史压缩")).none is NoHits.EMPTY_BASE
    shutil.copy(NOTES / "day5.html", tmp_path)
    await rag.add(["day5.html"])

    assert (await rag.search("你好")).none is NoHits.NO_TERMS
    assert (await rag.search("量子色动力学")).none is NoHits.NO_MATCH


async def test_a_search_may_be_kept_to_some_documents(rag: RagService, tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": "Ein Satz über Wale.", "b.md": "Noch ein Satz über Wale."})
    first, second = await rag.add(["a.md", "b.md"])

    assert await _titles(rag, "Wale") == ["a.md", "b.md"]
    found = await rag.search("Wale", within=Selection(documents=(second.id or 0,)))
    assert [hit.id for hit in found.hits] == [second.id]
    assert (await rag.search("Wale", within=Selection(tags=("none",)))).none is NoHits.NOT_SELECTED
    assert [hit.id for hit in (await rag.search("Wale", 1)).hits] == [first.id]


async def test_an_unknown_document_is_an_error(rag: RagService) -> None:
    with pytest.raises(UnknownDocumentError, match="7"):
        await rag.document(7)


async def test_a_document_is_found_and_removed_by_any_spelling(rag: RagService, tmp_path: Path) -> None:
    write_files(tmp_path, {"sub/a.md": "eins", "b.md": "zwei"})
    _, second = await rag.add(["sub", "b.md"])
    assert second.id is not None

    for spelling in ("sub/a.md", "./sub/../sub/a.md", str(tmp_path / "sub" / "a.md")):
        document = await rag.find(spelling)
        assert document is not None
        assert document.source == "sub/a.md"
    for unknown in ("c.md", "http://nowhere/", "http://[bad", "", "\ud800", "~nobody-here/x"):
        assert await rag.find(unknown) is None

    (tmp_path / "b.md").unlink()  # a source need not exist any more
    removed = await rag.remove(["./sub/a.md", "c.md", second.id, 99])

    assert [each.state for each in removed] == [
        IngestState.REMOVED,
        IngestState.FAILED,
        IngestState.REMOVED,
        IngestState.FAILED,
    ]
    assert removed[0].title == "a.md"
    assert removed[1].reason == "知识库里没有 c.md"
    assert await rag.documents() == []
    assert (await rag.search("eins")).none is NoHits.EMPTY_BASE


async def test_a_removed_document_is_not_found_any_more(rag: RagService, tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": "Wale sind groß.", "b.md": "Wale singen."})
    await rag.add(["a.md", "b.md"])
    await rag.remove(["a.md"])

    assert await _titles(rag, "Wale") == ["b.md"]
    assert [doc["source"] for doc in json.loads(index_json(tmp_path).read_bytes())["docs"]] == ["b.md"]


async def test_a_preview_tells_what_is_known(rag: RagService, tmp_path: Path) -> None:
    write_files(tmp_path, {"notes/a.md": "eins", "notes/b.md": "zwei"})
    await rag.add(["notes/a.md"])

    folder, known, missing, page = await rag.preview(
        ["notes", "./notes/a.md", "c.md", "http://127.0.0.1:1/x"]
    )

    assert (len(folder.sources), folder.known) == (2, 1)
    assert known.known == 1
    assert missing.problem
    assert (page.known, page.problem) == (0, "")


async def test_the_root_is_kept(tmp_path: Path) -> None:
    write_files(tmp_path, {"in/a.md": "drin", "out.md": "draußen"})
    async with await RagService.open(tmp_path / "in", root=tmp_path / "in") as rag:
        inside, outside = await rag.add(["a.md", "../out.md"])

    assert inside.state is IngestState.ADDED
    assert outside.state is IngestState.FAILED
    assert (
        outside.reason
        == "采集失败：路径越界：../out.md（只能采集 GeekAgent.json 里 root 指定的文件夹中的文件）"
    )


async def test_windows_are_the_references(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.txt": "字" * 1521})
    async with await RagService.open(tmp_path, settings=Settings(chunking="window")) as rag:
        [result] = await rag.add(["a.txt"])
        assert result.id is not None
        passages = (await rag.document(result.id)).passages

    assert [(passage.start, len(passage.text)) for passage in passages] == [(0, 800), (720, 800), (1440, 81)]


async def test_an_index_json_of_the_reference_opens(tmp_path: Path) -> None:
    data = reference_json(
        reference_doc("http://x/a", (0, "历史压缩的触发阈值默认 4000 字符"), title="第五天")
    )
    index_json(tmp_path).write_bytes(data)

    async with await RagService.open(tmp_path) as rag:
        assert any("新增 1 个文档" in notice for notice in rag.notices)
        assert await _titles(rag, "触发阈值") == ["第五天"]

    assert index_json(tmp_path).read_bytes() == data
    async with await RagService.open(tmp_path) as rag:
        assert rag.notices == ()


async def test_a_broken_base_never_stops_the_start(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": "Wale singen."})
    async with await RagService.open(tmp_path) as rag:
        await rag.add(["a.md"])
    (rag_folder(tmp_path) / "knowledge.db").write_bytes(b"garbage" * 1000)

    async with await RagService.open(tmp_path) as rag:
        assert len(rag.notices) == 2
        assert await _titles(rag, "Wale") == ["a.md"]


async def test_a_newer_base_is_refused(tmp_path: Path) -> None:
    await (await RagService.open(tmp_path)).close()
    connection = sqlite3.connect(rag_folder(tmp_path) / "knowledge.db")
    connection.execute("PRAGMA user_version = 99")
    connection.close()

    with pytest.raises(StoreTooNewError):
        await RagService.open(tmp_path)


async def test_its_folder_is_private_and_out_of_git(rag: RagService, tmp_path: Path) -> None:
    home = Workspace(tmp_path).home
    assert home.stat().st_mode & 0o077 == 0
    assert (home / ".gitignore").exists()


async def test_own_changes_are_told_at_once(rag: RagService, tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": "eins"})
    changes = rag.watch()
    await rag.add(["a.md"])
    first = await anext(changes)
    await rag.remove(["a.md"])

    second = await anext(changes)

    assert second.revision > first.revision
    await changes.aclose()


async def test_other_processes_changes_are_told(rag: RagService, tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": "Wale singen."})
    changes = rag.watch()
    await run_program(_ADD, str(tmp_path), "a.md")

    async with asyncio.timeout(PATIENCE):
        change = await anext(changes)

    assert change.revision == 1
    assert await _titles(rag, "Wale") == ["a.md"]
    await changes.aclose()


async def test_closing_ends_watching(tmp_path: Path) -> None:
    rag = await RagService.open(tmp_path)

    async def watch() -> list[Change]:
        return [change async for change in rag.watch()]

    task = asyncio.create_task(watch())
    await asyncio.sleep(0)
    await rag.close()

    assert await task == []
    assert [change async for change in rag.watch()] == []


async def test_a_closed_service_says_so(tmp_path: Path) -> None:
    rag = await RagService.open(tmp_path)
    await rag.close()
    await rag.close()

    with pytest.raises(StoreError, match="已关闭"):
        await rag.documents()


async def test_a_search_that_is_cancelled_does_no_harm(rag: RagService, tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": "Wale singen."})
    await rag.add(["a.md"])
    for _ in range(5):
        task = asyncio.create_task(rag.search("Wale"))
        await asyncio.sleep(0)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

    assert await _titles(rag, "Wale") == ["a.md"]


async def test_many_searches_at_once_make_the_index_once(tmp_path: Path) -> None:
    index_json(tmp_path).write_bytes(
        reference_json(*(reference_doc(f"{at}", (0, f"Wal {at}")) for at in range(50)))
    )
    async with await RagService.open(tmp_path) as rag:
        results = await asyncio.gather(*(rag.search("Wal", 50) for _ in range(20)))

    assert {len(result.hits) for result in results} == {50}


async def test_two_processes_add_and_both_find_everything(rag: RagService, tmp_path: Path) -> None:
    write_files(tmp_path, {f"{at:02}.md": f"Wal Nummer {at} singt" for at in range(40)})
    names = sorted(path.name for path in tmp_path.glob("*.md"))

    await asyncio.gather(
        rag.add(names[:20]),
        run_program(_ADD, str(tmp_path), *names[20:30]),
        run_program(_ADD, str(tmp_path), *names[30:]),
    )

    async def all_found() -> bool:
        return len((await rag.search("Wal singt", 40)).hits) == 40

    assert (await rag.stats()).documents == 40
    await eventually(all_found)
    assert len(json.loads(index_json(tmp_path).read_bytes())["docs"]) == 40


async def test_opening_loads_nothing_heavy(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": "Wale singen."})
    async with await RagService.open(tmp_path) as rag:
        await rag.add(["a.md"])

    loaded = json.loads(await run_program(_OPEN, str(tmp_path)))

    assert loaded == []


_ADD = """
import asyncio, sys
from geekagent_tui.rag.service import RagService

async def main():
    async with await RagService.open(sys.argv[1]) as rag:
        for result in await rag.add(sys.argv[2:]):
            assert result.state == "added", result

asyncio.run(main())
"""

_OPEN = """
import asyncio, json, sys
from geekagent_tui.rag.service import RagService

HEAVY = ("tantivy", "httpx", "lxml", "opencc", "trafilatura", "selectolax", "regex", "openai")

async def main():
    async with await RagService.open(sys.argv[1]) as rag:
        await rag.documents()
        await rag.stats()
        await rag.preview(["a.md"])
        print(json.dumps([name for name in HEAVY if name in sys.modules]))

asyncio.run(main())
"""


async def test_no_notice_of_several_threads_is_lost(tmp_path: Path) -> None:
    before = sys.getswitchinterval()
    async with await RagService.open(tmp_path) as rag:
        try:
            sys.setswitchinterval(1e-6)
            with ThreadPoolExecutor(8) as threads:
                list(threads.map(lambda n: rag._note([str(n)]), range(2000)))
        finally:
            sys.setswitchinterval(before)
        assert sorted(map(int, rag.notices)) == list(range(2000))
