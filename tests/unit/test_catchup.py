from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from geekagent_tui.rag import queries
from geekagent_tui.rag.follower import Follower
from geekagent_tui.rag.index import Index
from geekagent_tui.rag.prepare import all_terms
from geekagent_tui.rag.queries import Changes
from geekagent_tui.rag.service import RagService
from geekagent_tui.rag.store import Store
from support.bases import (
    PATIENCE,
    eventually,
    new_document,
    open_store,
    rag_folder,
    start_program,
    write_files,
)

HOLD = """
import fcntl, os, signal, sys
descriptor = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o600)
fcntl.flock(descriptor, fcntl.LOCK_EX)
print("held", flush=True)
signal.pause()
"""


def _index(workspace: Path) -> Path:
    return rag_folder(workspace) / "index"


def _terms(changes: Changes):  # type: ignore[no-untyped-def]
    documents = [(each.title, each.passages) for each in changes.documents]
    return dict(zip((each.id for each in changes.documents), all_terms(documents), strict=True))


def _follow(follower: Follower, store: Store) -> int:
    """Bring the index forward; how many steps it took."""
    steps = 0
    while changes := follower.next_step(store):
        follower.apply(store, changes, _terms(changes))
        steps += 1
    return steps


def _fill(workspace: Path, count: int = 10) -> None:
    store = open_store(workspace)
    store.put([new_document(f"{at}.md", f"Wal Nummer {at} singt") for at in range(count)])
    store.close()


async def _found(rag: RagService, query: str = "Wal singt") -> int:
    return len((await rag.search(query, 100)).hits)


def test_the_index_follows_step_by_step(tmp_path: Path) -> None:
    store, follower = open_store(tmp_path), Follower(_index(tmp_path))
    assert follower.seems_current(store)
    assert _follow(follower, store) == 0

    stored = store.put([new_document("a", "eins"), new_document("b", "zwei")])
    assert not follower.is_current(store)
    assert not follower.seems_current(store)
    assert _follow(follower, store) == 1
    assert follower.is_current(store)
    assert follower.seems_current(store)

    store.remove([stored[0].document.id])
    store.put([new_document("b", "")])  # a document without passages replaces one with some
    _follow(follower, store)

    assert follower.index is not None
    assert follower.index.count() == 0
    store.close()


def test_steps_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("geekagent_tui.rag.follower.STEP", 100)
    _fill(tmp_path, 30)
    store, follower = open_store(tmp_path), Follower(_index(tmp_path))

    assert _follow(follower, store) > 3

    assert follower.index is not None
    assert follower.index.count() == 30
    assert follower.index.revision == 30
    store.close()


def test_a_crash_between_two_commits_loses_nothing(tmp_path: Path) -> None:
    _fill(tmp_path)
    store, follower = open_store(tmp_path), Follower(_index(tmp_path))
    _follow(follower, store)
    state = (_index(tmp_path) / "state.json").read_bytes()
    store.put([new_document("new", "Wal")])
    _follow(follower, store)
    (_index(tmp_path) / "state.json").write_bytes(state)  # as if killed before it was written

    again = Follower(_index(tmp_path))
    assert _follow(again, store) == 1

    assert again.index is not None
    assert again.index.count() == 11
    store.close()


def test_an_older_copy_of_the_database_is_indexed_anew(tmp_path: Path) -> None:
    _fill(tmp_path)
    store, follower = open_store(tmp_path), Follower(_index(tmp_path))
    _follow(follower, store)
    store.connection.execute("UPDATE meta SET value = '5' WHERE key = 'revision'")
    store.connection.execute("DELETE FROM documents WHERE revision > 5")

    _follow(follower, store)

    assert follower.index is not None
    assert (follower.index.count(), follower.index.revision) == (5, 5)
    store.close()


def test_a_worn_index_is_renewed(tmp_path: Path) -> None:
    _fill(tmp_path, 40)
    store, follower = open_store(tmp_path), Follower(_index(tmp_path))
    _follow(follower, store)
    store.remove(range(1, 11))
    _follow(follower, store)
    assert follower.index is not None
    if follower.index.tombstones() == 0:
        pytest.skip("this Tantivy has merged the segment already")
    assert follower.is_worn(store)

    follower.renew(store, _terms)

    assert not follower.is_worn(store)
    assert follower.index.count() == 30
    assert follower.is_current(store)
    store.close()


async def test_removing_much_renews_the_index(tmp_path: Path) -> None:
    _fill(tmp_path, 40)
    async with await RagService.open(tmp_path) as rag:
        assert await _found(rag) == 40
        await rag.remove(list(range(1, 21)))
        assert await _found(rag) == 20

        async def renewed() -> bool:
            return Index.open(_index(tmp_path)).tombstones() == 0

        await eventually(renewed)
        assert await _found(rag) == 20


def _no_index(folder: Path) -> None:
    shutil.rmtree(folder)


def _empty_index(folder: Path) -> None:
    shutil.rmtree(folder / "segments")
    (folder / "segments").mkdir()


def _other_index(folder: Path) -> None:
    state = json.loads((folder / "state.json").read_bytes())
    (folder / "state.json").write_text(json.dumps({**state, "store_id": "another"}))


def _bad_state(folder: Path) -> None:
    (folder / "state.json").write_bytes(b"{")


def _bad_meta(folder: Path) -> None:
    (folder / "segments" / "meta.json").write_bytes(b"nothing")


def _bad_segments(folder: Path) -> None:
    for path in (folder / "segments").iterdir():
        if path.suffix in {".term", ".idx", ".store", ".fast"}:
            path.write_bytes(b"\x00" * path.stat().st_size)


@pytest.mark.parametrize(
    "damage", [_no_index, _empty_index, _other_index, _bad_state, _bad_meta, _bad_segments]
)
async def test_whatever_happens_to_the_index_it_comes_back(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    _fill(tmp_path)
    async with await RagService.open(tmp_path) as rag:
        assert await _found(rag) == 10
    damage(_index(tmp_path))

    async with await RagService.open(tmp_path) as rag:
        assert await _found(rag) == 10
        assert len(await rag.documents()) == 10


async def test_an_index_deleted_under_a_running_program_comes_back(tmp_path: Path) -> None:
    _fill(tmp_path)
    write_files(tmp_path, {"more.md": "Noch ein Wal singt"})
    async with await RagService.open(tmp_path) as rag:
        assert await _found(rag) == 10
        shutil.rmtree(_index(tmp_path))
        await rag.add(["more.md"])

        assert await _found(rag) == 11


async def test_opening_brings_the_index_forward(tmp_path: Path) -> None:
    _fill(tmp_path)
    async with await RagService.open(tmp_path):
        store = open_store(tmp_path)

        async def current() -> bool:
            return Follower(_index(tmp_path)).seems_current(store)

        await eventually(current)
        store.close()


async def test_a_search_waits_for_another_process(tmp_path: Path) -> None:
    _fill(tmp_path)
    holder = await start_program(HOLD, str(rag_folder(tmp_path) / "index.lock"))
    assert holder.stdout is not None
    assert await holder.stdout.readline() == b"held\n"

    async with await RagService.open(tmp_path) as rag:
        searching = asyncio.create_task(_found(rag))
        done, _ = await asyncio.wait([searching], timeout=0.3)
        assert not done
        holder.kill()  # whatever the other process was doing, its lock goes with it
        await holder.communicate()
        async with asyncio.timeout(PATIENCE):
            assert await searching == 10


async def test_closing_does_not_wait_for_another_process(tmp_path: Path) -> None:
    _fill(tmp_path)
    holder = await start_program(HOLD, str(rag_folder(tmp_path) / "index.lock"))
    assert holder.stdout is not None
    assert await holder.stdout.readline() == b"held\n"

    rag = await RagService.open(tmp_path)
    async with asyncio.timeout(PATIENCE / 3):
        await rag.close()

    holder.kill()
    await holder.communicate()


async def test_an_index_that_lags_a_little_is_searched_while_another_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("geekagent_tui.rag.service.PATIENCE", 0.1)
    _fill(tmp_path, 20)
    async with await RagService.open(tmp_path) as rag:
        assert await _found(rag) == 20
        holder = await start_program(HOLD, str(rag_folder(tmp_path) / "index.lock"))
        assert holder.stdout is not None
        assert await holder.stdout.readline() == b"held\n"
        store = open_store(tmp_path)
        store.put([new_document("late.md", "Wal singt spät")])
        store.close()

        assert await _found(rag) == 20

        holder.kill()
        await holder.communicate()

        async def caught_up() -> bool:
            return await _found(rag) == 21

        await eventually(caught_up)


async def test_terms_are_made_in_this_process_when_no_worker_can_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fill(tmp_path)
    monkeypatch.setattr("sys.executable", "/nonexistent/python")
    async with await RagService.open(tmp_path) as rag:
        assert await _found(rag) == 10


def test_the_revision_is_the_databases(tmp_path: Path) -> None:
    _fill(tmp_path, 3)
    store = open_store(tmp_path)
    assert queries.revision(store) == 3
    store.close()
