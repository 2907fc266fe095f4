from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from geekagent_tui.rag import queries
from geekagent_tui.rag.exchange import Exchange
from geekagent_tui.rag.store import Span, Store
from support.bases import exchange, new_document, open_store, reference_doc, reference_json


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def files(tmp_path: Path) -> Exchange:
    return exchange(tmp_path)


def _sources(files: Exchange) -> list[str]:
    return [doc["source"] for doc in json.loads(files.file.read_bytes())["docs"]]


def _known(store: Store) -> list[str]:
    return [document.source for document in queries.documents(store)]


def test_an_empty_base_writes_no_file(store: Store, files: Exchange) -> None:
    assert not files.is_behind(store)
    assert files.write(store) == []
    assert not files.file.exists()


def test_our_own_file_is_not_taken_in(store: Store, files: Exchange) -> None:
    [stored] = store.put([new_document("a", "eins")])
    files.write(store)
    store.remove([stored.document.id])

    assert files.take_in(store) == []  # the file still holds it
    assert _known(store) == []
    assert files.is_behind(store)
    files.write(store)
    assert _sources(files) == []


def test_a_crash_between_the_file_and_its_hash_brings_nothing_back(store: Store, files: Exchange) -> None:
    [first, _] = store.put([new_document("a", "eins"), new_document("b", "zwei")])
    files.write(store)
    hash_before = queries.meta(store, "json_hash")
    store.put([new_document("c", "drei")])
    files.write(store)
    # As if the program had died after the rename and before the hash was noted
    store.set_meta(json_pending=queries.meta(store, "json_hash"), json_hash=hash_before, json_seen=None)
    store.remove([first.document.id])

    assert files.take_in(store) == []
    assert _known(store) == ["b", "c"]


def test_a_crash_before_the_rename_brings_nothing_back(store: Store, files: Exchange) -> None:
    [first, _] = store.put([new_document("a", "eins"), new_document("b", "zwei")])
    files.write(store)
    store.remove([first.document.id])
    store.set_meta(json_pending="of a file that was never written", json_seen=None)

    assert files.take_in(store) == []
    assert _known(store) == ["b"]


def test_another_program_adds_and_changes_but_removes_nothing(store: Store, files: Exchange) -> None:
    store.put([new_document("ours.md", "bleibt"), new_document("both.md", "alt")])
    files.write(store)
    files.file.write_bytes(
        reference_json(reference_doc("both.md", (0, "neu")), reference_doc("theirs.md", (0, "dazu")))
    )

    [notice] = files.take_in(store)

    assert "新增 1 个文档，更新 1 个" in notice
    assert _known(store) == ["ours.md", "both.md", "theirs.md"]
    files.write(store)
    assert _sources(files) == ["ours.md", "both.md", "theirs.md"]
    assert files.take_in(store) == []


def test_the_same_content_in_another_layout_changes_nothing(store: Store, files: Exchange) -> None:
    store.put([new_document("a.md", "eins", title="A")])
    files.write(store)
    before = queries.revision(store)
    files.file.write_text(json.dumps(json.loads(files.file.read_bytes())))

    assert files.take_in(store) == []
    assert queries.revision(store) == before


def test_what_another_program_wrote_meanwhile_is_not_overwritten(store: Store, files: Exchange) -> None:
    store.put([new_document("a", "eins")])
    files.write(store)
    files.file.write_bytes(reference_json(reference_doc("theirs", (0, "x"))))
    store.put([new_document("b", "zwei")])

    files.write(store)

    assert _sources(files) == ["a", "b", "theirs"]


def test_an_import_keeps_passages_and_replaces_headings(store: Store, files: Exchange) -> None:
    store.put([new_document("a.md", "abcdefgh", [Span(0, 8, "Kopf")])])
    files.file.write_bytes(reference_json(reference_doc("a.md", (0, "abcdef"), (4, "efgh"))))

    files.take_in(store)

    [document] = queries.documents(store)
    text = queries.document_text(store, document.id)
    assert text is not None
    assert [(passage.start, passage.text) for passage in text.passages] == [(0, "abcdef"), (4, "efgh")]


def test_spellings_of_one_source_are_one_document(store: Store, files: Exchange, tmp_path: Path) -> None:
    files.file.write_bytes(
        reference_json(
            reference_doc("./x/../a.md", (0, "a")), reference_doc("HTTP://X.example/#top", (0, "b"))
        )
    )
    files.take_in(store)

    assert _known(store) == ["a.md", "http://x.example/"]
    files.write(store)
    assert _sources(files) == ["./x/../a.md", "HTTP://X.example/#top"]


def test_two_spellings_that_the_reference_kept_apart_stay_apart(store: Store, files: Exchange) -> None:
    data = reference_json(
        reference_doc("http://x/a#top", (0, "oben")),
        reference_doc("http://x/a", (0, "seite")),
        reference_doc("./a.md", (0, "datei")),
        reference_doc("a.md", (0, "selbe")),
    )
    files.file.write_bytes(data)

    files.take_in(store)
    files.write(store)

    assert queries.stats(store).documents == 4
    assert json.loads(files.file.read_bytes()) == json.loads(data)
    files.file.write_bytes(data + b" ")
    assert files.take_in(store) == []  # each is recognised


def test_a_broken_file_is_set_aside(store: Store, files: Exchange) -> None:
    store.put([new_document("a", "eins")])
    files.file.write_bytes(b'{"docs": [{"title": "hal')

    [notice] = files.take_in(store)

    assert "已损坏" in notice
    [aside] = files.folder.glob("index.json.broken-*")
    assert aside.name in notice
    assert aside.read_bytes() == b'{"docs": [{"title": "hal'
    files.write(store)
    assert _sources(files) == ["a"]


def test_entries_nobody_can_read_are_not_overwritten(store: Store, files: Exchange) -> None:
    data = json.dumps({"docs": [reference_doc("good", (0, "x")), {"title": None}]}).encode()
    files.file.write_bytes(data)

    notices = files.take_in(store)

    assert any("1 个条目无法识别" in notice for notice in notices)
    [aside] = files.folder.glob("index.json.broken-*")
    assert aside.read_bytes() == data
    assert _known(store) == ["good"]


def test_a_large_base_gives_the_file_up_and_says_so_once(store: Store, tmp_path: Path) -> None:
    files = exchange(tmp_path, limit=2)
    store.put([new_document("a", "eins"), new_document("b", "zwei")])
    files.write(store)
    store.put([new_document("c", "drei")])

    files.write(store)

    assert not files.file.exists()
    assert files.old_file.exists()
    [notice] = files.take_in(store)
    assert "index.old.json" in notice
    assert files.take_in(store) == []
    assert _known(store) == ["a", "b", "c"]


def test_a_base_that_shrinks_writes_the_file_again(store: Store, tmp_path: Path) -> None:
    files = exchange(tmp_path, limit=1)
    stored = store.put([new_document("a", "eins"), new_document("b", "zwei")])
    files.write(store)
    assert not files.file.exists()
    store.remove([stored[0].document.id])

    files.write(store)

    assert _sources(files) == ["b"]


def test_a_file_that_did_not_change_is_not_even_read(store: Store, files: Exchange) -> None:
    store.put([new_document("a", "eins")])
    files.write(store)
    status = files.file.stat()
    files.file.chmod(0)
    try:
        assert files.take_in(store) == []
    finally:
        files.file.chmod(status.st_mode)


def test_a_file_that_is_gone_or_was_set_aside_is_written_again(store: Store, files: Exchange) -> None:
    store.put([new_document("a", "eins")])
    files.write(store)
    files.file.unlink()
    assert files.is_behind(store)
    files.write(store)
    assert _sources(files) == ["a"]

    files.file.write_text("{broken")
    assert files.take_in(store)
    assert files.is_behind(store)
    files.write(store)
    assert _sources(files) == ["a"]
