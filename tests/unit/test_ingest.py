from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from geekagent_tui.rag.lane import Lane
from geekagent_tui.rag.model import (
    BatchProgress,
    IngestEvent,
    IngestFinished,
    IngestPhase,
    IngestProgress,
    IngestResult,
    IngestState,
    NoHits,
    Source,
    SourceKind,
)
from geekagent_tui.rag.prepare import Prepared
from geekagent_tui.rag.raw import Raw
from geekagent_tui.rag.schedule import Place
from geekagent_tui.rag.service import RagService
from geekagent_tui.rag.shelf import Ready, Shelf
from geekagent_tui.rag.store import Span, Stored
from support.bases import PATIENCE, finished, open_store, write_files
from support.pages import PageServer, Reply, silence

PAGE = "<html><head><title>{title}</title></head><body><main><h1>{title}</h1>{body}</main></body></html>"


def page(title: str, sentence: str = "Wale sind große Tiere, die im Meer leben und singen. ") -> Reply:
    return Reply(PAGE.format(title=title, body=f"<p>{sentence * 10}</p>").encode())


@pytest.fixture
async def rag(tmp_path: Path) -> AsyncIterator[RagService]:
    service = await RagService.open(tmp_path)
    yield service
    await service.close()


def _states(results: list[IngestResult]) -> list[str]:
    return [result.state.value for result in results]


async def test_every_source_ends_in_one_state(rag: RagService, tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": "eins", "leer.md": " \n", "groß.txt": "字" * 3_000_000})
    (tmp_path / "bild.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    os.mkfifo(tmp_path / "pipe")
    events: list[IngestEvent] = []
    async with PageServer(
        {"/ok": page("Seite"), "/pdf": Reply(b"%PDF-1.7", content_type="application/pdf")}
    ) as web:
        typed = [
            "a.md",
            f"{web.url}/gone",
            f"{web.url}/ok",
            "leer.md",
            "groß.txt",
            "bild.png",
            "fehlt.md",
            "pipe",
            "http://127.0.0.1:1/",
            f"{web.url}/pdf",
            "ftp://x/y",
            "",
        ]
        results = await rag.add(typed, events.append)

    reasons = [result.reason for result in results]
    assert _states(results) == ["added", "failed", "added"] + ["failed"] * 9
    assert reasons[1] == "抓取失败：HTTP 404 Not Found"
    assert reasons[3] == "内容为空，未入库"
    assert reasons[4].startswith("内容过大（3000000 字符，上限 2MB），未入库")
    assert all(reason.startswith("采集失败：") for reason in reasons[5:11])
    assert "拒绝连接" in reasons[8]
    assert reasons[11] == "缺少要采集的来源"
    assert sorted(map(repr, finished(events))) == sorted(map(repr, results))
    assert (await rag.stats()).documents == 2


async def test_events_tell_where_each_source_stands(rag: RagService, tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": "eins", "b.md": "zwei"})
    events: list[IngestEvent] = []

    await rag.add(["a.md", "fehlt.md", "b.md"], events.append)

    assert {event.total for event in events} == {3}
    about = [event for event in events if not isinstance(event, BatchProgress)]
    for source, position in (("a.md", 1), ("b.md", 3)):
        mine = [event for event in about if event.position == position]
        assert [event.phase for event in mine if isinstance(event, IngestProgress)] == [
            IngestPhase.QUEUED,
            IngestPhase.FETCHING,
            IngestPhase.PARSING,
            IngestPhase.STORING,
        ]
        assert isinstance(mine[-1], IngestFinished)
        assert mine[-1].result.source == source


async def test_bytes_are_told_while_a_page_comes_in(rag: RagService) -> None:
    events: list[IngestEvent] = []
    async with PageServer({"/": page("Groß", "Ein Satz über Wale, der sich wiederholt. " * 100)}) as web:
        await rag.add([web.url], events.append)

    moved = [event for event in events if isinstance(event, IngestProgress) and event.done]
    assert moved
    assert all(event.phase is IngestPhase.FETCHING and event.size for event in moved)


async def test_the_same_source_spelled_differently_is_one(rag: RagService, tmp_path: Path) -> None:
    write_files(tmp_path, {"sub/a.md": "eins"})
    async with PageServer({"/x": page("X")}) as web:
        results = await rag.add(["sub/a.md", "./sub/a.md", "sub", f"{web.url}/x#oben", f"{web.url}/./x"])
        again = await rag.add([f"{web.url}/x#unten", str(tmp_path / "sub/a.md")])

    assert _states(results) == ["added", "added"]
    assert len(web.requests) == 2
    assert _states(again) == ["unchanged", "unchanged"]
    assert {result.reason for result in again} == {"已在知识库中，跳过（重复采集）"}
    assert [result.title for result in again] == ["X", "a.md"]


async def test_a_changed_source_is_updated(rag: RagService, tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": "Wale singen."})
    [first] = await rag.add(["a.md"])
    write_files(tmp_path, {"a.md": "Elefanten trompeten."})

    [second] = await rag.add(["a.md"])

    assert second.state is IngestState.UPDATED
    assert second.id == first.id
    assert (await rag.search("Wale")).none is NoHits.NO_MATCH
    assert [hit.text for hit in (await rag.search("Elefanten")).hits] == ["Elefanten trompeten."]


async def test_results_stand_in_the_order_of_the_sources(rag: RagService, tmp_path: Path) -> None:
    write_files(tmp_path, {f"{at:02}.md": f"Text {at} " * (1 + 2000 * (at % 3 == 0)) for at in range(30)})

    results = await rag.add([f"{at:02}.md" for at in range(30)])

    assert [result.source for result in results] == [f"{at:02}.md" for at in range(30)]


async def test_no_host_is_asked_for_more_than_two_pages_at_once(rag: RagService, tmp_path: Path) -> None:
    asked: Counter[str] = Counter()
    most = 0
    pages: dict[str, object] = {}

    def slow(title: str):  # type: ignore[no-untyped-def]
        async def answer(writer: asyncio.StreamWriter) -> None:
            nonlocal most
            asked["now"] += 1
            most = max(most, asked["now"])
            for _ in range(20):
                await asyncio.sleep(0)
            await page(title).send(writer)
            asked["now"] -= 1

        return answer

    for at in range(8):
        pages[f"/{at}"] = slow(f"S{at}")
    async with PageServer(pages) as web:  # type: ignore[arg-type]
        results = await rag.add([f"{web.url}/{at}" for at in range(8)])

    assert _states(results) == ["added"] * 8
    assert most == 2


async def test_one_silent_host_does_not_hold_up_the_others(rag: RagService, tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": "eins", "b.md": "zwei"})
    events: list[IngestEvent] = []
    async with PageServer({"/1": silence, "/2": silence, "/3": silence}) as web:
        typed = [f"{web.url}/1", f"{web.url}/2", f"{web.url}/3", "a.md", "b.md"]
        adding = asyncio.create_task(rag.add(typed, events.append))
        async with asyncio.timeout(PATIENCE):
            while len(finished(events)) < 2:
                await asyncio.sleep(0.01)
        adding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await adding

    ended = {result.source: result for result in finished(events)}
    assert ended["a.md"].state is ended["b.md"].state is IngestState.ADDED
    cancelled = [ended[url] for url in typed[:3]]
    assert _states(cancelled) == ["cancelled"] * 3
    assert {result.reason for result in cancelled} == {"已取消采集"}
    assert {document.source for document in await rag.documents()} == {"a.md", "b.md"}
    assert len((await rag.search("eins zwei")).hits) == 2


async def test_cancelling_at_any_moment_keeps_the_books(tmp_path: Path) -> None:
    names = [f"{at:02}.md" for at in range(12)]
    for moment in range(0, 40, 3):
        folder = tmp_path / str(moment)
        write_files(folder, {name: f"Wal {name} singt" for name in names})
        rag = await RagService.open(folder)
        events: list[IngestEvent] = []
        enough = asyncio.Event()

        def tell(
            event: IngestEvent,
            moment: int = moment,
            events: list[IngestEvent] = events,
            enough: asyncio.Event = enough,
        ) -> None:
            events.append(event)
            if len(events) == moment + 1:
                enough.set()

        adding = asyncio.create_task(rag.add(names, tell))
        await asyncio.wait([adding, asyncio.create_task(enough.wait())], return_when=asyncio.FIRST_COMPLETED)
        adding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await adding

        results = finished(events)
        assert sorted(result.source for result in results) == names
        added = {result.source for result in results if result.state is IngestState.ADDED}
        assert {document.source for document in await rag.documents()} == added
        await rag.close()


async def test_what_is_told_to_be_added_is_durable(rag: RagService, tmp_path: Path) -> None:
    write_files(tmp_path, {f"{at}.md": f"Text {at}" for at in range(5)})
    seen: list[bool] = []

    def look(event: IngestEvent) -> None:
        if isinstance(event, IngestFinished):
            store = open_store(tmp_path)  # another connection sees committed data only
            found = store.connection.execute(
                "SELECT 1 FROM documents WHERE id = ?", (event.result.id,)
            ).fetchone()
            seen.append(found is not None)
            store.close()

    await rag.add([f"{at}.md" for at in range(5)], look)

    assert seen == [True] * 5


async def test_a_page_can_be_found_while_the_batch_goes_on(rag: RagService, tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": "Wale singen."})
    events: list[IngestEvent] = []
    async with PageServer({"/": silence}) as web:
        adding = asyncio.create_task(rag.add(["a.md", web.url], events.append))
        async with asyncio.timeout(PATIENCE):
            while not finished(events):
                await asyncio.sleep(0.01)
        assert len((await rag.search("Wale")).hits) == 1
        adding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await adding


async def test_an_error_of_the_listener_is_its_own(rag: RagService, tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": "eins", "b.md": "zwei"})

    def broken(event: IngestEvent) -> None:
        if isinstance(event, IngestFinished):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await rag.add(["a.md", "b.md"], broken)

    assert _states(await rag.add(["a.md", "b.md"]))[0] in ("unchanged", "added")


async def test_a_folder_gives_one_result_for_each_file(rag: RagService, tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {"d/.gitignore": "*.log\n", "d/a.md": "eins", "d/x.log": "nein", "d/sub/b.py": "print('zwei')\n"},
    )

    results = await rag.add(["d"])

    assert [(result.source, result.state) for result in results] == [
        ("d/a.md", IngestState.ADDED),
        ("d/sub/b.py", IngestState.ADDED),
    ]


async def test_nothing_to_do_is_no_error(rag: RagService) -> None:
    assert await rag.add([]) == []


async def test_a_full_disk_is_told_and_loses_nothing(rag: RagService, tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": "eins", "big.md": "Ein Satz über Wale. " * 20_000, "b.md": "zwei"})
    [first] = await rag.add(["a.md"])
    pages = await rag._write.run(lambda store: store.connection.execute("PRAGMA page_count").fetchone()[0])
    await rag._write.run(
        lambda store: store.connection.execute(f"PRAGMA max_page_count = {pages}").fetchone()
    )

    [full] = await rag.add(["big.md"])

    assert full.state is IngestState.FAILED
    assert full.reason == "采集失败：磁盘已满，知识库没有写入"
    assert [document.id for document in await rag.documents()] == [first.id]
    await rag._write.run(lambda store: store.connection.execute("PRAGMA max_page_count = 100000").fetchone())
    assert _states(await rag.add(["big.md", "b.md"])) == ["added", "added"]


async def test_a_document_that_cannot_be_stored_takes_no_other_with_it(tmp_path: Path) -> None:
    stored: dict[str, bool] = {}
    lane = Lane("test", lambda: open_store(tmp_path))
    durable: list[str] = []
    shelf = Shelf(
        lane,
        lambda ready, outcome: stored.update({ready.prepared.title: isinstance(outcome, Stored)}),
        lambda portion: durable.extend(ready.prepared.title for ready in portion),
    )
    for at, title in enumerate(["gut", "halb \ud83d", "auch gut"], start=1):
        place = Place(Source(SourceKind.FILE, title, title), at)
        await shelf.put(
            Ready(place, Raw(b"", SourceKind.FILE, title), Prepared(title, "x", (Span(0, 1),), ()))
        )
    await shelf.end()

    await shelf.run()
    await lane.close()

    assert stored == {"gut": True, "halb \ud83d": False, "auch gut": True}
    assert durable == ["gut", "auch gut"]


async def test_thousands_are_cancelled_in_slices(rag: RagService, tmp_path: Path) -> None:
    turn, told = 0, Counter[tuple[str, int]]()
    started = asyncio.Event()

    async def count() -> None:
        nonlocal turn
        while True:
            turn += 1
            await asyncio.sleep(0)

    def tell(event: IngestEvent) -> None:
        if isinstance(event, IngestFinished):
            told[event.result.state.value, turn] += 1
            started.set()

    sources = [Source(SourceKind.FILE, f"{at}.md", str(tmp_path / f"{at}.md")) for at in range(20_000)]
    counting = asyncio.create_task(count())
    adding = asyncio.create_task(rag.add(sources, tell))
    await asyncio.wait_for(started.wait(), PATIENCE)
    adding.cancel()
    with pytest.raises(asyncio.CancelledError):
        await adding
    counting.cancel()

    cancelled = {at: times for (state, at), times in told.items() if state == "cancelled"}
    assert sum(told.values()) == 20_000
    assert sum(cancelled.values()) > 15_000
    assert max(cancelled.values()) <= 100


async def test_a_batch_tells_how_far_it_is(rag: RagService, tmp_path: Path) -> None:
    write_files(tmp_path, {f"{at}.md": f"# Wal {at}\n\nDer Wal singt." for at in range(30)})
    events: list[IngestEvent] = []
    results = await rag.add([*(f"{at}.md" for at in range(30)), "fehlt.md"], events.append)

    batch = [event for event in events if isinstance(event, BatchProgress)]
    last = batch[-1]
    assert events[-1] is last
    assert (last.done, last.total, last.failed) == (31, 31, 1)
    assert last.passages == sum(result.passages for result in results)
    assert last.bytes == sum((tmp_path / f"{at}.md").stat().st_size for at in range(30))
    assert last.seconds_left == 0
    assert [event.done for event in batch] == sorted(event.done for event in batch)
    assert len(batch) <= last.seconds / 0.2 + 1
