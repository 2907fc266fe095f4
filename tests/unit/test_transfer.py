"""Export and import in the reference's format."""

from __future__ import annotations

import errno
import json
import sqlite3
from pathlib import Path

import pytest

from geekagent_tui.rag.errors import SourceError
from geekagent_tui.rag.model import IngestResult, IngestState
from geekagent_tui.rag.opening import DATABASE
from geekagent_tui.rag.service import RagService
from geekagent_tui.rag.settings import Settings
from geekagent_tui.rag.transfer import NotWrittenError
from support.bases import index_json, rag_folder, reference_doc, reference_json, write_files

FILES = {"a.md": "# 甲\n\nDer Wal singt. 🐳", "b.md": "Der Wal taucht."}


def _states(results: list[IngestResult]) -> list[str]:
    return [result.state.value for result in results]


async def _exported(rag: RagService) -> tuple[int, str]:
    pieces: list[str] = []
    return await rag.export(pieces.append), "".join(pieces)


async def test_an_export_is_what_index_json_is(tmp_path: Path) -> None:
    write_files(tmp_path, FILES)
    async with await RagService.open(tmp_path) as rag:
        assert await _exported(rag) == (0, '{\n  "docs": []\n}\n')
        await rag.add(["a.md", "b.md"])
        count, text = await _exported(rag)
    assert count == 2
    assert text == index_json(tmp_path).read_text("utf-8")


async def test_also_above_the_limit_and_back_again(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    write_files(here, FILES)
    async with await RagService.open(here, settings=Settings(interchange_limit=1)) as rag:
        await rag.add(["a.md", "b.md"])
        count, text = await _exported(rag)
        documents = await rag.documents()
    assert not index_json(here).exists()
    assert count == 2

    file = tmp_path / "all.json"
    file.write_text(text, "utf-8")
    async with await RagService.open(there) as rag:
        results = await rag.import_file(file)
        assert _states(results) == ["added"] * 2
        assert [(each.title, each.characters) for each in results] == [
            (each.title, each.characters) for each in documents
        ]
        assert {hit.source for hit in (await rag.search("Wal")).hits} == FILES.keys()
        assert await _exported(rag) == (2, text)
        again = await rag.import_file(file)
        assert _states(again) == ["unchanged"] * 2
        assert {result.reason for result in again} == {"已在知识库中，跳过（重复采集）"}


async def test_differing_documents_are_replaced_and_none_is_removed(tmp_path: Path) -> None:
    write_files(tmp_path, FILES)
    file = tmp_path / "other.json"
    file.write_bytes(
        reference_json(
            reference_doc("./a.md", (0, "Der Delfin springt.")), reference_doc("c.md", (0, "neu")), {"x": 1}
        )
    )
    async with await RagService.open(tmp_path) as rag:
        await rag.add(["a.md", "b.md"])
        results = await rag.import_file(file)
        assert _states(results) == ["updated", "added", "failed"]
        assert results[0].source == "a.md"
        assert results[2].reason == "other.json 里有 1 个条目无法识别，没有导入"
        assert {each.source for each in await rag.documents()} == {"a.md", "b.md", "c.md"}
        assert (await rag.search("Delfin")).hits[0].source == "a.md"


@pytest.mark.parametrize("content", [b"", b"[]", b'{"docs": 1}', b"\xff\xfe", b"[" * 100_000])
async def test_another_file_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "x.json"
    file.write_bytes(content)
    async with await RagService.open(tmp_path) as rag:
        with pytest.raises(SourceError, match="格式的文件，没有导入"):
            await rag.import_file(file)
        assert await rag.documents() == []


async def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    async with await RagService.open(tmp_path) as rag:
        with pytest.raises(SourceError, match="文件不存在"):
            await rag.import_file(tmp_path / "nowhere.json")
        with pytest.raises(SourceError, match="打不开"):
            await rag.import_file(tmp_path)


async def test_an_export_that_nobody_takes_to_its_end(tmp_path: Path) -> None:
    write_files(tmp_path, FILES)

    def full(_piece: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    async with await RagService.open(tmp_path) as rag:
        await rag.add(["a.md"])
        with pytest.raises(NotWrittenError, match="磁盘已满"):
            await rag.export(full)
        assert (await _exported(rag))[0] == 1


async def test_an_import_is_one_transaction(tmp_path: Path) -> None:
    docs = [reference_doc(f"{at}.md", (0, f"Text {at}")) for at in range(5)]
    file = tmp_path / "x.json"
    file.write_bytes(reference_json(*docs))
    async with await RagService.open(tmp_path) as rag:
        connection = sqlite3.connect(rag_folder(tmp_path) / DATABASE)
        connection.execute(
            "CREATE TRIGGER full BEFORE INSERT ON documents WHEN NEW.source = '3.md'"
            " BEGIN SELECT RAISE(ABORT, 'no room'); END"
        )
        connection.commit()
        with pytest.raises(Exception, match="no room"):
            await rag.import_file(file)
        assert await rag.documents() == []
        connection.execute("DROP TRIGGER full")
        connection.commit()
        connection.close()
        results = await rag.import_file(file)
        assert {result.state for result in results} == {IngestState.ADDED}
    assert len(json.loads(index_json(tmp_path).read_bytes())["docs"]) == 5
