"""What the doctor finds, and that its advice helps."""

from __future__ import annotations

import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from geekagent_tui.rag.doctor import Checkup, Copy
from geekagent_tui.rag.opening import DATABASE
from geekagent_tui.rag.service import RagService
from geekagent_tui.rag.settings import Settings
from support.bases import index_json, rag_folder, write_files

FILES = {f"{number}.md": f"# Wal {number}\n\n" + "Der Wal singt im Meer. " * 60 for number in range(6)}


async def _filled(workspace: Path) -> None:
    write_files(workspace, FILES)
    async with await RagService.open(workspace) as rag:
        await rag.add(sorted(FILES))


async def _checkup(workspace: Path, settings: Settings | None = None) -> Checkup:
    async with await RagService.open(workspace, settings=settings) as rag:
        return await rag.checkup()


async def test_a_sound_base(tmp_path: Path) -> None:
    await _filled(tmp_path)
    async with await RagService.open(tmp_path) as rag:
        await rag.remove(["5.md"])
        found = await rag.checkup()
        stats = await rag.stats()
    assert found.problems == ()
    assert found.stats == stats
    assert found.indexed == stats.passages
    assert (found.copy, found.copied, found.undoable) == (Copy.CURRENT, 5, 1)
    assert found.copy_bytes == index_json(tmp_path).stat().st_size
    assert found.database_bytes > 0
    assert found.index_bytes > 0
    assert found.set_aside == ()


async def test_an_empty_base_is_sound(tmp_path: Path) -> None:
    found = await _checkup(tmp_path)
    assert found.problems == ()
    assert found.stats.documents == 0
    assert (await _checkup(tmp_path)).problems == ()


async def test_a_base_that_has_outgrown_its_copy(tmp_path: Path) -> None:
    await _filled(tmp_path)
    settings = Settings(interchange_limit=2)
    async with await RagService.open(tmp_path, settings=settings) as rag:
        await rag.remove(["0.md"])
        found = await rag.checkup()
    assert (found.copy, found.copied, found.limit) == (Copy.RETIRED, None, 2)
    assert found.problems == ()


async def test_lost_index_files_are_told_and_mended(tmp_path: Path) -> None:
    await _filled(tmp_path)
    segments = rag_folder(tmp_path) / "index" / "segments"
    assert segments.is_dir()
    shutil.rmtree(segments)

    found = await _checkup(tmp_path)
    [problem] = found.problems
    assert (problem.what, problem.advice) == ("索引的文件曾经缺失或损坏", "已经重建，不必处理")
    assert found.indexed == found.stats.passages
    assert (await _checkup(tmp_path)).problems == ()


async def test_a_copy_that_cannot_be_written(tmp_path: Path) -> None:
    await _filled(tmp_path)
    index_json(tmp_path).unlink()
    index_json(tmp_path).mkdir()
    found = await _checkup(tmp_path)
    [problem] = found.problems
    assert problem.what.startswith("index.json 不能读写：")
    assert problem.advice == f"检查磁盘空间和文件夹 {rag_folder(tmp_path)} 的权限"
    assert (found.copy, found.copied) == (Copy.BEHIND, None)

    index_json(tmp_path).rmdir()
    found = await _checkup(tmp_path)
    assert found.problems == ()
    assert (found.copy, found.copied) == (Copy.CURRENT, len(FILES))


async def test_rows_that_do_not_fit_together(tmp_path: Path) -> None:
    await _filled(tmp_path)
    connection = sqlite3.connect(rag_folder(tmp_path) / DATABASE)
    ids = dict(connection.execute("SELECT source, id FROM documents"))
    connection.execute("DELETE FROM texts WHERE document_id = ?", (ids["1.md"],))
    connection.execute("DELETE FROM passages WHERE document_id = ? AND number = 1", (ids["3.md"],))
    connection.commit()
    connection.close()
    [problem] = (await _checkup(tmp_path)).problems
    assert problem.what in {
        "这些文档的正文或段落不完整：1.md、3.md",
        "这些文档的正文或段落不完整：3.md、1.md",
    }
    async with await RagService.open(tmp_path) as rag:
        await rag.remove(["1.md", "3.md"])
        await rag.add(["1.md", "3.md"])
        assert (await rag.checkup()).problems == ()


async def test_a_damaged_database_is_told_and_set_aside_at_the_next_start(tmp_path: Path) -> None:
    await _filled(tmp_path)
    path = rag_folder(tmp_path) / DATABASE
    connection = sqlite3.connect(path)
    [[page]] = connection.execute(
        "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_documents_1'"
    )
    [[size]] = connection.execute("PRAGMA page_size")
    connection.close()
    data = bytearray(path.read_bytes())
    start = (page - 1) * size
    # An index says something else than its table: opening a database does not look that closely
    data[start : start + size] = data[start : start + size].replace(b"1.md", b"9.md")
    path.write_bytes(data)

    async with await RagService.open(tmp_path) as rag:
        assert rag.notices == ()
        [problem] = (await rag.checkup()).problems
    assert problem.what.startswith("数据库已损坏：")
    assert "missing from index" in problem.what
    assert problem.advice.startswith("先用 rag export 备份，再重新启动程序")

    async with await RagService.open(tmp_path) as rag:
        assert "已损坏" in rag.notices[0]
        found = await rag.checkup()
    assert found.problems == ()
    assert found.stats.documents == len(FILES)
    assert any(name.startswith("knowledge.db.broken-") for name, _ in found.set_aside)


async def test_what_was_set_aside(tmp_path: Path) -> None:
    await _filled(tmp_path)
    (rag_folder(tmp_path) / DATABASE).write_bytes(os.urandom(20_000))
    found = await _checkup(tmp_path)
    assert found.problems == ()
    assert found.stats.documents == len(FILES)
    assert any(name.startswith("knowledge.db.broken-") and size == 20_000 for name, size in found.set_aside)


@pytest.mark.parametrize("content", [b"nonsense", b"{}"])
async def test_a_broken_copy_is_set_aside_and_written_again(tmp_path: Path, content: bytes) -> None:
    await _filled(tmp_path)
    index_json(tmp_path).write_bytes(content)
    async with await RagService.open(tmp_path) as rag:
        found = await rag.checkup()
        assert any("index.json" in notice for notice in rag.notices)
    assert [name for name, _ in found.set_aside if name.startswith("index.json.broken-")]
