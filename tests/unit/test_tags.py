"""Tags: what they may be called, giving and taking them, keeping them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geekagent_tui.agent.scope import selection_of
from geekagent_tui.rag import queries
from geekagent_tui.rag.errors import TagError
from geekagent_tui.rag.model import IngestState, Selection
from geekagent_tui.rag.service import RagService
from geekagent_tui.rag.tags import LONGEST, bare, clean_tag, clean_tags, split_tags
from geekagent_tui.sanitize import clean_line
from support.bases import (
    eventually,
    index_json,
    open_store,
    reference_doc,
    reference_json,
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


async def _tags(rag: RagService) -> dict[str, tuple[str, ...]]:
    return {document.source: document.tags for document in await rag.documents()}


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "标签是空的"),
        (" \u3000 ", "标签是空的"),
        (" #＃ ", "标签是空的"),
        ("a,b", "标签「a,b」里不能有逗号"),
        ("a，b", "标签「a，b」里不能有逗号"),
        ("读书、写作", "标签「读书、写作」里不能有逗号"),
        ("x" * (LONGEST + 1), "超过 64 个字符"),
        ("a\x1b[2Jb", "里有不能使用的字符"),
        ("a\nb", "里有不能使用的字符"),
        ("a\tb", "里有不能使用的字符"),
        ("a\u202eb", "里有不能使用的字符"),
        ("a\udc80", "里有不能使用的字符"),
    ],
)
def test_what_can_not_be_a_tag_is_told(typed: str, said: str) -> None:
    with pytest.raises(TagError, match=said) as told:
        clean_tag(typed)
    assert clean_line(told.value.message) == told.value.message


def test_tags_are_normalised_and_their_case_is_kept() -> None:
    assert clean_tag("  Cafe\u0301 du Nord ") == "Caf\u00e9 du Nord"
    assert clean_tags(["Rust", "rust", "读书", "RUST "]) == ("Rust", "读书")
    assert clean_tags(["#读书", "＃ 读书", "C#"]) == ("读书", "C#")


def test_tags_are_taken_apart_at_commas() -> None:
    assert split_tags("读书， #day  5 ,,读书、＃Day 5,") == ("读书", "day 5")
    assert split_tags(" , ，#、") == ()


@given(st.text())
def test_tags_that_are_typed_have_no_comma_and_come_once(text: str) -> None:
    tags = split_tags(text)
    assert split_tags("，".join(tags)) == tags
    assert all(bare(tag) == tag and tag and not set(tag) & set(",，、") for tag in tags)


@pytest.mark.parametrize("typed", ["读书", "#读书", "＃读书", " # 读书 "])
async def test_a_tag_is_meant_however_it_is_typed(rag: RagService, typed: str) -> None:
    await rag.tag(["a.md"], add=[typed])
    assert await rag.tags() == {"读书": 1}
    assert [document.source for document in await rag.documents(Selection(tags=(typed,)))] == ["a.md"]
    assert [document.source for document in await rag.documents(selection_of(["#" + typed]))] == ["a.md"]
    await rag.tag(["a.md"], remove=[typed])
    assert await rag.tags() == {}


async def test_giving_and_taking(rag: RagService) -> None:
    results = await rag.tag(["a.md", "notes", "nothing.md"], add=["Wale", "读书"])
    assert [(result.source, result.state.value) for result in results] == [
        ("a.md", "updated"),
        ("notes/b.md", "updated"),
        ("notes/deep/c.txt", "updated"),
        ("nothing.md", "failed"),
    ]
    assert await rag.tags() == {"Wale": 3, "读书": 3}

    [first, second] = await rag.tag([1, "notes/b.md"], add=["wale", "Meer"], remove=["读书"])
    assert (first.state, second.state) == (IngestState.UPDATED, IngestState.UPDATED)
    assert await _tags(rag) == {
        "a.md": ("Meer", "Wale"),
        "notes/b.md": ("Meer", "Wale"),
        "notes/deep/c.txt": ("Wale", "读书"),
    }

    [same] = await rag.tag([1], add=["WALE"], remove=["none"])
    assert (same.state, same.reason) == (IngestState.UNCHANGED, "标签没有变化")
    [renamed] = await rag.tag([1], add=["WALE"], remove=["wale"])
    assert renamed.state is IngestState.UPDATED
    assert (await _tags(rag))["a.md"] == ("Meer", "WALE")
    assert await rag.tags() == {"Meer": 2, "WALE": 3, "读书": 1}


async def test_a_wrong_name_changes_nothing(rag: RagService) -> None:
    with pytest.raises(TagError):
        await rag.tag(["a.md"], add=["gut", "nicht, gut"])
    with pytest.raises(TagError):
        await rag.add(["a.md"], tags=["nicht, gut"])
    assert await rag.tags() == {}


async def test_a_change_is_told_but_leaves_the_index_alone(rag: RagService, tmp_path: Path) -> None:
    await rag.search("Wal")
    store = open_store(tmp_path)
    documents = store.connection.execute("SELECT id, revision FROM documents").fetchall()
    changes = rag.watch()
    before = queries.revision(store)
    segments = sorted((tmp_path / ".geekagent/rag/index/segments").iterdir())

    await rag.tag(["notes"], add=["Meer"])

    assert (await anext(changes)).revision == before + 1 == queries.revision(store)
    assert store.connection.execute("SELECT id, revision FROM documents").fetchall() == documents
    store.close()
    assert len((await rag.search("Wal")).hits) == 3
    assert sorted((tmp_path / ".geekagent/rag/index/segments").iterdir()) == segments
    state = json.loads((tmp_path / ".geekagent/rag/index/state.json").read_bytes())
    assert state["revision"] == before + 1
    await changes.aclose()


async def test_undo_brings_tags_back(rag: RagService) -> None:
    await rag.tag(["notes"], add=["Meer"])
    before = await rag.documents()
    await rag.remove(["**/*"])
    assert await rag.tags() == {}
    await rag.undo_remove()
    assert await rag.documents() == before


async def test_adding_with_tags(rag: RagService, tmp_path: Path) -> None:
    await rag.tag(["a.md"], add=["Meer"])
    write_files(tmp_path, {"new.md": "Neu.", "notes/b.md": "Der Wal springt."})
    results = await rag.add(["a.md", "notes/b.md", "new.md"], tags=["meer", "Neues"])
    assert [result.state.value for result in results] == ["unchanged", "updated", "added"]
    assert results[0].reason == "已在知识库中，只加上了标签"
    assert await _tags(rag) == {
        "a.md": ("Meer", "Neues"),
        "notes/b.md": ("Meer", "Neues"),
        "notes/deep/c.txt": (),
        "new.md": ("Meer", "Neues"),
    }
    [again] = await rag.add(["a.md"], tags=["Neues"])
    assert again.reason == "已在知识库中，跳过（重复采集）"
    await rag.sync()
    assert (await _tags(rag))["a.md"] == ("Meer", "Neues")


async def test_index_json_has_them_and_takes_them(rag: RagService, tmp_path: Path) -> None:
    await rag.tag(["a.md"], add=["Meer", "Wale"])

    async def written() -> bool:
        docs = json.loads(index_json(tmp_path).read_bytes())["docs"]
        return [doc.get("tags") for doc in docs] == [["Meer", "Wale"], None, None]

    await eventually(written)
    exported: list[str] = []
    await rag.export(exported.append)
    text = "".join(exported)
    assert '"tags": [\n        "Meer",\n        "Wale"\n      ],\n      "chunks"' in text

    other = tmp_path / "other"
    other.mkdir()
    (tmp_path / "copy.json").write_text(text, "utf-8")
    async with await RagService.open(other) as copy:
        await copy.import_file(tmp_path / "copy.json")
        assert await _tags(copy) == {"a.md": ("Meer", "Wale"), "notes/b.md": (), "notes/deep/c.txt": ()}
        again: list[str] = []
        await copy.export(again.append)
        assert "".join(again) == text


async def test_an_import_adds_tags_and_takes_none(rag: RagService, tmp_path: Path) -> None:
    await rag.tag(["a.md"], add=["Meer"])
    doc = reference_doc("a.md", (0, FILES["a.md"]))
    (tmp_path / "in.json").write_bytes(reference_json(doc, {**reference_doc("x.md", (0, "x")), "tags": [1]}))
    results = await rag.import_file(tmp_path / "in.json")
    assert [result.state.value for result in results] == ["unchanged", "added"]

    (tmp_path / "in.json").write_bytes(reference_json({**doc, "tags": ["Wale"]}))
    assert [result.state.value for result in await rag.import_file(tmp_path / "in.json")] == ["updated"]
    assert (await _tags(rag))["a.md"] == ("Meer", "Wale")
    exported: list[str] = []
    await rag.export(exported.append)
    assert [doc.get("tags") for doc in json.loads("".join(exported))["docs"]] == [
        ["Meer", "Wale"],
        None,
        None,
        [1],
    ]


async def test_an_entry_kept_as_it_was_follows_its_documents_tags(tmp_path: Path) -> None:
    doc = {**reference_doc("x.md", (0, "x")), "tags": ["b", "a"], "more": 1}
    (tmp_path / "in.json").write_bytes(reference_json(doc))
    async with await RagService.open(tmp_path) as rag:
        await rag.import_file(tmp_path / "in.json")
        exported: list[str] = []
        await rag.export(exported.append)
        assert json.loads("".join(exported))["docs"] == [doc]

        await rag.tag(["x.md"], remove=["b"])
        exported.clear()
        await rag.export(exported.append)
        assert json.loads("".join(exported))["docs"] == [{**doc, "tags": ["a"]}]
        assert [each.tags for each in await rag.documents(Selection(tags=("A",)))] == [("a",)]
