"""Removing by pattern, and undoing the last removal."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from geekagent_tui.rag.model import IngestResult, IngestState
from geekagent_tui.rag.opening import DATABASE
from geekagent_tui.rag.schema import MIGRATIONS
from geekagent_tui.rag.service import RagService
from support.bases import (
    index_json,
    open_store,
    rag_folder,
    reference_doc,
    reference_json,
    start_program,
    write_files,
)

FILES = {"a.md": "Der Wal singt.", "notes/b.md": "Der Wal taucht.", "notes/deep/c.txt": "Der Wal schläft."}


@pytest.fixture
async def rag(tmp_path: Path) -> AsyncIterator[RagService]:
    write_files(tmp_path, FILES)
    service = await RagService.open(tmp_path)
    for name in FILES:  # one after another, so that their order is known
        await service.add([name])
    yield service
    await service.close()


def _states(results: list[IngestResult]) -> list[str]:
    return [result.state.value for result in results]


async def _found(rag: RagService) -> set[str]:
    return {hit.source for hit in (await rag.search("Wal", 10)).hits}


@pytest.mark.parametrize(
    ("pattern", "gone"),
    [
        ("notes/*", ["notes/b.md"]),
        ("./notes/**", ["notes/b.md", "notes/deep/c.txt"]),
        ("**/*.md", ["a.md", "notes/b.md"]),
        ("*.md", ["a.md"]),
        ("[ab].md", ["a.md"]),
        ("*", ["a.md"]),
    ],
)
async def test_a_pattern_removes_what_it_matches(rag: RagService, pattern: str, gone: list[str]) -> None:
    results = await rag.remove([pattern])
    assert [result.source for result in results] == gone
    assert _states(results) == ["removed"] * len(gone)
    assert await _found(rag) == FILES.keys() - set(gone)


async def test_an_absolute_pattern_and_one_without_a_match(rag: RagService, tmp_path: Path) -> None:
    for pattern in ("*.rst", "[z-a].md", "http://*", "note"):
        [result] = await rag.remove([pattern])
        assert result.state is IngestState.FAILED
        assert pattern in result.reason
    results = await rag.remove([f"{tmp_path}/notes/**", "notes/b.md"])
    assert _states(results) == ["removed"] * 3  # named twice, removed once, told twice


async def test_the_last_removal_comes_back_as_it_was(rag: RagService) -> None:
    before = await rag.documents()
    texts = [await rag.document(document.id) for document in before]
    await rag.remove(["a.md", "notes/**"])
    assert await _found(rag) == set()

    results = await rag.undo_remove()
    assert _states(results) == ["added"] * 3
    assert await rag.documents() == before
    assert [await rag.document(document.id) for document in before] == texts
    assert await _found(rag) == FILES.keys()
    assert await rag.undo_remove() == []

    await rag.remove(["a.md"])  # the same one again
    assert await _found(rag) == {"notes/b.md", "notes/deep/c.txt"}
    assert [result.source for result in await rag.undo_remove()] == ["a.md"]
    assert await _found(rag) == FILES.keys()


async def test_only_the_last_removal_is_kept(rag: RagService) -> None:
    await rag.remove(["a.md"])
    await rag.remove(["notes/b.md"])
    await rag.remove(["nowhere.md"])  # removes nothing, so there is nothing to forget for it
    assert [result.source for result in await rag.undo_remove()] == ["notes/b.md"]
    assert await rag.undo_remove() == []


async def test_a_source_that_was_added_again_stays_as_it_is(rag: RagService, tmp_path: Path) -> None:
    await rag.remove(["a.md", "notes/b.md"])
    write_files(tmp_path, {"a.md": "Der Wal ist neu."})
    [again] = await rag.add(["a.md"])

    skipped, restored = await rag.undo_remove()
    assert (skipped.state, skipped.reason) == (
        IngestState.SKIPPED,
        "a.md 已重新加入知识库，没有恢复旧的一份",
    )
    assert restored.state is IngestState.ADDED
    assert again.id is not None
    assert (await rag.document(again.id)).text == "Der Wal ist neu."


async def test_what_the_reference_wrote_comes_back_verbatim(tmp_path: Path) -> None:
    doc = reference_doc("a.md", (0, "Der Wal"), (3, " Wal singt")) | {"extra": [1]}
    index_json(tmp_path).write_bytes(reference_json(doc))
    async with await RagService.open(tmp_path) as rag:
        await rag.remove(["a.md"])
        await rag.undo_remove()
    assert index_json(tmp_path).read_bytes() == reference_json(doc)


async def test_it_is_kept_over_a_restart_and_forgotten_after_a_month(tmp_path: Path) -> None:
    write_files(tmp_path, FILES)
    async with await RagService.open(tmp_path) as rag:
        await rag.add(["a.md", "notes"])
        await rag.remove(["a.md"])
    async with await RagService.open(tmp_path) as rag:
        assert _states(await rag.undo_remove()) == ["added"]
        await rag.remove(["a.md"])
    store = open_store(tmp_path)
    store.connection.execute("UPDATE removed SET removed_at = '2020-01-01T00:00:00.000Z'")
    store.close()
    async with await RagService.open(tmp_path) as rag:
        assert await rag.undo_remove() == []
    store = open_store(tmp_path)
    for table in ("removed", "removed_texts", "removed_passages", "removed_originals"):
        assert store.connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
    store.close()


async def test_a_database_of_the_first_version_is_taken_over(tmp_path: Path) -> None:
    connection = sqlite3.connect(rag_folder(tmp_path) / DATABASE)
    for statement in MIGRATIONS[0]:
        connection.execute(statement)
    connection.execute("INSERT INTO meta VALUES ('store_id', 'old')")
    connection.execute("PRAGMA user_version = 1")
    connection.commit()
    connection.close()
    write_files(tmp_path, FILES)
    async with await RagService.open(tmp_path) as rag:
        await rag.add(["a.md"])
        await rag.remove(["a.md"])
        assert _states(await rag.undo_remove()) == ["added"]


_WORK = """
import asyncio, sys
from geekagent_tui.rag.service import RagService

async def main():
    async with await RagService.open(sys.argv[1]) as rag:
        print("ready", flush=True)
        while True:
            await rag.remove(["**"])
            print("removed", flush=True)
            await rag.undo_remove()
            print("back", flush=True)

asyncio.run(main())
"""


async def test_killed_between_removal_and_undo(tmp_path: Path) -> None:
    write_files(tmp_path, FILES)
    async with await RagService.open(tmp_path) as rag:
        await rag.add(["a.md", "notes"])
    for lines in (2, 3, 5, 8):
        process = await start_program(_WORK, str(tmp_path))
        assert process.stdout is not None
        for _ in range(lines):
            await process.stdout.readline()
        process.kill()
        await process.communicate()
        async with await RagService.open(tmp_path) as rag:
            assert rag.notices == ()
            there = len(await rag.documents())
            assert there in {0, 3}
            assert len(await rag.undo_remove()) == 3 - there
            assert await _found(rag) == FILES.keys()


def test_what_is_kept_has_every_column_of_what_is_removed(tmp_path: Path) -> None:
    store = open_store(tmp_path)

    def columns(table: str) -> list[str]:
        return [row[1] for row in store.connection.execute(f"PRAGMA table_info({table})")]

    assert {*columns("documents")} - {"revision"} == {*columns("removed")} - {"removed_at"}
    for table in ("texts", "passages", "originals"):
        assert columns(table) == columns(f"removed_{table}")
    store.close()
