"""Batches whose process is killed are told, and go on where they were."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import shutil
import signal
import tempfile
from collections import Counter
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from geekagent_tui import seals
from geekagent_tui.rag.model import (
    IngestEvent,
    IngestFinished,
    IngestResult,
    IngestState,
    Source,
    SourceKind,
)
from geekagent_tui.rag.queue_files import Queue
from geekagent_tui.rag.queue_format import Plan
from geekagent_tui.rag.service import RagService
from geekagent_tui.rag.settings import Settings
from support.bases import PATIENCE, eventually, finished, rag_folder, start_program, write_files
from support.pages import PageServer, Reply, silence

ADD = """
import asyncio, json, sys
from geekagent_tui.rag.model import GivenText, IngestFinished
from geekagent_tui.rag.service import RagService
from geekagent_tui.rag.settings import Settings

def tell(event):
    if isinstance(event, IngestFinished):
        print(event.result.state.value, event.result.source, flush=True)

async def main(workspace, order):
    async with await RagService.open(workspace, settings=Settings(pause=0)) as rag:
        if order.get("resume"):
            await rag.resume([each.batch for each in await rag.interrupted()], tell)
        elif order.get("sync"):
            await rag.sync(None, prune=True, on_event=tell)
        else:
            texts = [GivenText(text.encode()) for text in order.get("texts", ())]
            await rag.add(order["sources"], tell, crawl=order.get("crawl", 0), texts=texts)

asyncio.run(main(sys.argv[1], json.loads(sys.argv[2])))
"""


def page(title: str, *links: str) -> Reply:
    anchors = "".join(f'<a href="{link}">weiter</a> ' for link in links)
    text = f"<h1>{title}</h1><p>" + f"{title}: Wale sind große Tiere. " * 9
    return Reply(f"<title>{title}</title><nav>{anchors}</nav><main>{text}</main>".encode())


class Doomed:
    """A program that works on a batch until it is killed."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.told: list[str] = []

    @classmethod
    async def start(cls, workspace: Path, **order: object) -> Doomed:
        return cls(await start_program(ADD, str(workspace), json.dumps(order)))

    async def kill(self, after: int = 0) -> list[str]:
        """Kill it when it has told of so many ends; return the sources that it told of."""
        assert self._process.stdout is not None
        async with asyncio.timeout(PATIENCE):
            while len(self.told) < after and (line := await self._process.stdout.readline()):
                self.told.append(line.decode().rstrip("\n"))
            self._process.kill()
            rest, _ = await self._process.communicate()
        self.told += [line for line in rest.decode().splitlines(keepends=True) if line.endswith("\n")]
        assert self._process.returncode == -signal.SIGKILL
        return [line.split()[1] for line in self.told]


def queue(workspace: Path) -> Path:
    return rag_folder(workspace) / "queue"


def files(workspace: Path) -> list[str]:
    return sorted(path.name for path in queue(workspace).glob("*")) if queue(workspace).exists() else []


@pytest.fixture
async def web() -> AsyncIterator[PageServer]:
    async with PageServer() as running:
        yield running


async def open_base(workspace: Path) -> RagService:
    return await RagService.open(workspace, settings=Settings(pause=0))


async def test_the_file_is_there_while_the_batch_is_and_for_nobody_else(
    tmp_path: Path, web: PageServer
) -> None:
    seen: list[int] = []

    async def look(writer: asyncio.StreamWriter) -> None:
        seen.extend(path.stat().st_mode for path in queue(tmp_path).iterdir())
        await page("Wal").send(writer)

    web.pages["/a"] = look
    async with await open_base(tmp_path) as rag:
        await rag.add([f"{web.url}/a"])
        assert [oct(mode) for mode in seen] == ["0o100600"]
        assert oct(queue(tmp_path).stat().st_mode) == "0o40700"
        assert files(tmp_path) == []
        await rag.sync()
        assert len(seen) == 2
        assert files(tmp_path) == []


async def test_cancelling_empties_it(tmp_path: Path, web: PageServer) -> None:
    web.pages["/slow"] = silence
    async with await open_base(tmp_path) as rag:
        adding = asyncio.create_task(rag.add([f"{web.url}/slow"]))

        async def asked() -> bool:
            return "/slow" in web.requests

        await eventually(asked)
        assert await rag.interrupted() == []  # it lives
        adding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await adding
        assert files(tmp_path) == []


async def test_cancelling_a_resumption_lets_go_of_all_batches(tmp_path: Path, web: PageServer) -> None:
    web.pages |= {f"/slow{at}": silence for at in range(3)}
    for at in range(3):
        doomed = await Doomed.start(tmp_path, sources=[f"{web.url}/slow{at}"])

        async def asked(at: int = at) -> bool:
            return f"/slow{at}" in web.requests

        await eventually(asked)
        await doomed.kill()
    web.requests.clear()
    told: list[IngestEvent] = []
    async with await open_base(tmp_path) as rag:
        left = await rag.interrupted()
        resuming = asyncio.create_task(rag.resume([each.batch for each in left], told.append))

        async def begun() -> bool:
            return bool(web.requests)

        await eventually(begun)
        resuming.cancel()
        with pytest.raises(asyncio.CancelledError):
            await resuming
        assert await rag.interrupted() == []
        assert len(web.requests) == 1
    ends = [(each.source, each.state) for each in finished(told)]
    assert sorted(ends) == [(f"{web.url}/slow{at}", IngestState.CANCELLED) for at in range(3)]
    assert files(tmp_path) == []


@pytest.mark.parametrize("after", [1, 40, 200])
async def test_files_go_on_where_they_were(tmp_path: Path, after: int) -> None:
    names = [f"{at}.md" for at in range(300)]
    write_files(tmp_path, {name: f"# Wal {name}\n\nDer Wal {name} singt." for name in names})
    told = await (await Doomed.start(tmp_path, sources=names, texts=["Ein Text von Hand."])).kill(after)

    async with await open_base(tmp_path) as rag:
        there = {document.source for document in await rag.documents()}
        assert set(told) <= there
        [left] = await rag.interrupted()
        assert left.total == 301
        assert len(left.left) <= 301 - after
        assert not set(told) & set(left.left)
        assert left.left[-1].startswith("stdin:")
        events: list[IngestEvent] = []
        results = await rag.resume([left.batch], events.append)
        assert [result.source for result in results] == list(left.left)
        assert {result.state.value for result in results} <= {"added", "unchanged"}
        assert sorted(map(repr, finished(events))) == sorted(map(repr, results))
        assert (await rag.stats()).documents == 301
        assert await rag.interrupted() == []
        assert files(tmp_path) == []
        assert await rag.resume([left.batch]) == []


@pytest.mark.parametrize("after", [0, 1, 3, 6])
async def test_no_page_of_a_crawl_is_asked_for_twice(tmp_path: Path, web: PageServer, after: int) -> None:
    tree = {
        "/": ["/0", "/1", "/2"],
        **{f"/{at}": [f"/{at}/{deep}" for deep in range(3)] for at in range(3)},
        **{f"/{at}/{deep}": ["/"] for at in range(3) for deep in range(3)},
    }
    gate = asyncio.Event()

    def served(name: str) -> object:
        async def send(writer: asyncio.StreamWriter) -> None:
            if web.requests.index(name) > after + 1:
                await gate.wait()
            await page(f"Seite {name}", *tree[name]).send(writer)

        return send

    web.pages.update({name: served(name) for name in tree})  # type: ignore[misc]
    doomed = await Doomed.start(tmp_path, sources=[web.url], crawl=12)

    async def asked() -> bool:
        return len(web.requests) > after + 1

    await eventually(asked)
    before = set(await doomed.kill(after))
    gate.set()
    web.pages.update({name: page(f"Seite {name}", *links) for name, links in tree.items()})

    again = await (await Doomed.start(tmp_path, resume=True)).kill(after=2)
    async with await open_base(tmp_path) as rag:
        assert before | set(again) <= {document.source for document in await rag.documents()}
        batches = await rag.interrupted()
        results = await rag.resume([each.batch for each in batches])
        stored = {document.source.removeprefix(web.url) for document in await rag.documents()}

    assert {result.state.value for result in results} <= {"added", "unchanged"}
    assert len(stored) == 12
    assert stored >= set(list(tree)[:4])
    assert files(tmp_path) == []
    again_asked = {name for name, times in Counter(web.requests).items() if times > 1} - {"/robots.txt"}
    assert not again_asked & {name.removeprefix(web.url) or "/" for name in before}


async def test_two_processes_leave_each_other_alone(tmp_path: Path, web: PageServer) -> None:
    web.pages["/slow"] = silence
    doomed = await Doomed.start(tmp_path, sources=[f"{web.url}/slow"])

    async def asked() -> bool:
        return "/slow" in web.requests

    await eventually(asked)
    async with await open_base(tmp_path) as rag:
        [name] = files(tmp_path)
        assert await rag.interrupted() == []
        assert await rag.resume([name.removesuffix(".jsonl")]) == []
        await rag.forget_interrupted([name.removesuffix(".jsonl")])
        assert files(tmp_path) == [name]
        await doomed.kill()
        [left] = await rag.interrupted()
        assert left.left == (f"{web.url}/slow",)
        web.pages["/slow"] = page("Schnell")
        async with await open_base(tmp_path) as other:
            both = await asyncio.gather(rag.resume([left.batch]), other.resume([left.batch]))
    ended: list[IngestResult] = [result for results in both for result in results]
    assert [result.state.value for result in ended] == ["added"]


async def test_an_interrupted_batch_can_be_forgotten(tmp_path: Path, web: PageServer) -> None:
    web.pages["/slow"] = silence
    doomed = await Doomed.start(tmp_path, sources=[f"{web.url}/slow"])

    async def asked() -> bool:
        return "/slow" in web.requests

    await eventually(asked)
    await doomed.kill()
    async with await open_base(tmp_path) as rag:
        [left] = await rag.interrupted()
        found = await rag.checkup()
        assert (found.interrupted, found.problems) == ((left,), ())
        await rag.forget_interrupted([left.batch, "../../knowledge", "fehlt"])
        assert await rag.interrupted() == []
    assert files(tmp_path) == []


async def test_a_sync_goes_on_with_its_own_prune(tmp_path: Path, web: PageServer) -> None:
    names = [f"{at:03}.md" for at in range(60)]
    write_files(tmp_path, {name: f"# Wal {name}\n\nDer Wal {name} singt." for name in names})
    web.pages["/"] = page("Wal")
    async with await open_base(tmp_path) as rag:
        await rag.add([*names, web.url])
    (tmp_path / "007.md").unlink()
    web.pages["/"] = silence
    web.requests.clear()
    doomed = await Doomed.start(tmp_path, sync=True)

    async def asked() -> bool:
        return "/" in web.requests

    await eventually(asked)
    told = await doomed.kill(after=59)
    assert f"{web.url}/" not in told
    web.pages["/"] = page("Wal")

    async with await open_base(tmp_path) as rag:
        [left] = await rag.interrupted()
        assert {"007.md", f"{web.url}/"} <= set(left.left)
        await rag.remove([f"{web.url}/"])
        results = await rag.resume([left.batch])
        assert [result.state.value for result in results if result.source == "007.md"] == ["removed"]
        assert (await rag.stats()).documents == 59
    assert files(tmp_path) == []


async def _interrupted(workspace: Path, web: PageServer) -> Path:
    """The file of a batch that was killed."""
    web.pages["/slow"] = silence
    doomed = await Doomed.start(workspace, sources=[f"{web.url}/slow"])

    async def asked() -> bool:
        return "/slow" in web.requests

    await eventually(asked)
    await doomed.kill()
    web.requests.clear()
    [path] = queue(workspace).iterdir()
    return path


@pytest.mark.parametrize("trick", ["forged", "readable", "elsewhere", "pipe", "torn", "empty"])
async def test_what_nobody_agreed_to_is_never_read(tmp_path: Path, web: PageServer, trick: str) -> None:
    own, foreign = tmp_path / "own", tmp_path / "foreign"
    own.mkdir()
    foreign.mkdir()
    path = await _interrupted(own, web)
    data = path.read_bytes()
    folder = own
    match trick:
        case "forged":
            path.write_bytes(data.replace(b"/slow", b"/evil"))
        case "readable":
            path.chmod(0o644)
        case "elsewhere":
            queue(foreign).mkdir()
            shutil.copy2(path, queue(foreign) / path.name)
            folder = foreign
        case "pipe":
            path.unlink()
            os.mkfifo(path, 0o600)
        case "torn":
            path.write_bytes(data[: len(data) // 2])
        case "empty":
            path.write_bytes(b"")

    async with await open_base(folder) as rag:
        assert await rag.interrupted() == []
        assert await rag.resume([path.name.removesuffix(".jsonl")]) == []
        [notice] = rag.notices
    assert "没有继续采集" in notice
    assert path.name in notice
    [aside] = files(folder)
    assert ".broken-" in aside
    assert web.requests == []


async def test_a_link_in_the_queue_leads_nowhere(tmp_path: Path, web: PageServer) -> None:
    path = await _interrupted(tmp_path, web)
    async with await open_base(tmp_path) as rag:  # which would not be opened with the link
        path.rename(tmp_path / "anderswo")
        path.symlink_to(tmp_path / "anderswo")
        assert await rag.interrupted() == []
        assert await rag.resume([path.name.removesuffix(".jsonl")]) == []
    assert web.requests == []


async def test_a_torn_last_line_is_passed_over(tmp_path: Path, web: PageServer) -> None:
    path = await _interrupted(tmp_path, web)
    with path.open("ab") as file:
        file.write(b'["end","http://127')
    web.pages["/slow"] = page("Schnell")
    async with await open_base(tmp_path) as rag:
        [left] = await rag.interrupted()
        results = await rag.resume([left.batch])
    assert [result.state.value for result in results] == ["added"]


async def test_a_queue_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": "eins"})
    queue(tmp_path).write_bytes(b"in the way")
    async with await open_base(tmp_path) as rag:
        [result] = await rag.add(["a.md"])
        assert result.state.value == "added"
        assert await rag.interrupted() == []


async def test_a_batch_that_ended_but_for_its_file(tmp_path: Path, web: PageServer) -> None:
    path = await _interrupted(tmp_path, web)
    with path.open("ab") as file:
        file.write(json.dumps(["end", f"{web.url}/slow", f"{web.url}/slow"]).encode() + b"\n")
    async with await open_base(tmp_path) as rag:
        assert await rag.interrupted() == []
    assert files(tmp_path) == []


async def test_ends_are_told_once(tmp_path: Path) -> None:
    write_files(tmp_path, {f"{at}.md": f"Wal {at}" for at in range(50)})
    events: list[IngestEvent] = []
    async with await open_base(tmp_path) as rag:
        await rag.add(["."], events.append)
    positions = [event.position for event in events if isinstance(event, IngestFinished)]
    assert sorted(positions) == list(range(1, 51))


async def test_a_sitemap_goes_on_where_it_was(tmp_path: Path, web: PageServer) -> None:
    paths = [f"/{at}" for at in range(10)]
    listing = "".join(f"<url><loc>{web.url}{path}</loc></url>" for path in paths)
    web.pages["/sitemap.xml"] = Reply(f"<urlset>{listing}</urlset>".encode(), content_type="text/xml")
    web.pages |= {path: silence if path in ("/4", "/5") else page(f"Seite {path}") for path in paths}
    doomed = await Doomed.start(tmp_path, sources=[f"{web.url}/sitemap.xml"])

    async def stuck() -> bool:
        return {"/4", "/5"} <= set(web.requests)

    await eventually(stuck)
    before = {name.removeprefix(web.url) for name in await doomed.kill(after=5)}
    web.pages |= {path: page(f"Seite {path}") for path in paths}
    async with await open_base(tmp_path) as rag:
        [left] = await rag.interrupted()
        assert left.total == 11
        results = await rag.resume([left.batch])
        stored = {document.source.removeprefix(web.url) for document in await rag.documents()}

    assert before == {"/sitemap.xml", "/0", "/1", "/2", "/3"}
    assert {result.source.removeprefix(web.url) for result in results} == {f"/{at}" for at in range(4, 10)}
    assert stored == set(paths)
    asked = Counter(web.requests)
    assert {path for path in ("/sitemap.xml", *paths) if asked[path] > 1} == {"/4", "/5"}


async def test_no_place_for_the_secret_stops_nothing(
    tmp_path: Path, web: PageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = await _interrupted(tmp_path, web)
    write_files(tmp_path, {"a.md": "eins", "zustand": "eine Datei"})
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "zustand"))
    async with await open_base(tmp_path) as rag:
        assert await rag.interrupted() == []
        [result] = await rag.add(["a.md"])
        assert (result.state.value, rag.notices) == ("added", ())
    assert files(tmp_path) == [path.name]


async def test_a_folder_from_elsewhere_is_left_alone(tmp_path: Path, web: PageServer) -> None:
    path = await _interrupted(tmp_path, web)
    foreign = tmp_path / "fremd"
    write_files(tmp_path, {"a.md": "eins"})
    async with await open_base(tmp_path) as rag:  # which would not be opened with the link
        queue(tmp_path).rename(foreign)
        queue(tmp_path).symlink_to(foreign)
        (foreign / path.with_suffix(".new").name).write_text("fremd")
        before = sorted(each.name for each in foreign.iterdir())
        assert await rag.interrupted() == []
        [result] = await rag.add(["a.md"])
        assert result.state.value == "added"
    assert sorted(each.name for each in foreign.iterdir()) == before


async def test_what_was_never_begun_is_cleared_away(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": "eins"})
    queue(tmp_path).mkdir()
    names = ["20260101-000000-abcdefgh.new", "notizen.new", "notizen.jsonl"]
    for name in names:
        (queue(tmp_path) / name).write_text("angefangen")
    async with await open_base(tmp_path) as rag:
        assert await rag.interrupted() == []
        await rag.add(["a.md"])
        assert rag.notices == ()
    assert files(tmp_path) == sorted(names[1:])


@pytest.mark.parametrize("disturbed", [1, 100])
async def test_nobody_takes_over_a_batch_that_lives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, disturbed: int
) -> None:
    real = tempfile.mkstemp
    others: list[int] = []

    def seen_by_others(**options: Any) -> tuple[int, str]:
        descriptor, name = real(**options)
        if len(others) < disturbed:  # another process that clears the queue looks at it before we lock it
            others.append(os.open(name, os.O_RDWR))
            fcntl.flock(others[-1], fcntl.LOCK_EX)
        return descriptor, name

    notes: list[str] = []
    theirs = Queue(queue(tmp_path), tmp_path, tmp_path / "key", notes.extend)
    ours = Queue(queue(tmp_path), tmp_path, tmp_path / "key", notes.extend)
    monkeypatch.setattr(tempfile, "mkstemp", seen_by_others)
    monkeypatch.setattr(seals, "write_atomically", lambda path, data: path.write_bytes(data))
    source = Source(SourceKind.FILE, "a.md", str(tmp_path / "a.md"))
    live = ours.begin(Plan(datetime.now(UTC), (source,)))
    for descriptor in others:
        os.close(descriptor)
    assert theirs.interrupted() == []
    assert len(files(tmp_path)) == (1 if disturbed == 1 else 0), "or it runs without being written down"
    await live.remove()
    assert files(tmp_path) == []
