from __future__ import annotations

import json
from pathlib import Path

import pytest

from geekagent_tui.rag import interchange, queries
from geekagent_tui.rag.chunk import windows
from geekagent_tui.rag.store import Span
from support.bases import exchange, new_document, open_store, reference_doc, reference_json


def _stored_and_written(workspace: Path, data: bytes) -> str:
    """What is written after an import."""
    store = open_store(workspace)
    files = exchange(workspace)
    files.file.write_bytes(data)
    assert files.take_in(store) != []
    files.write(store)
    store.close()
    return files.file.read_text("utf-8")


def test_an_entry_of_the_reference_becomes_text_and_passages() -> None:
    text = "".join(chr(0x4E00 + at) for at in range(1042))
    data = reference_json(reference_doc("a.md", (0, text[:800]), (720, text[720:])))

    [entry], unusable = interchange.parse(data)

    assert unusable == 0
    assert entry.text == text
    assert entry.spans == (Span(0, 800), Span(720, 322))
    assert entry.original("a.md") is None


def test_starts_count_utf16_units() -> None:
    text = "😀" * 3 + "结束"
    data = reference_json(reference_doc("a.md", (0, "😀" * 3), (4, "😀结束")))

    [entry], _ = interchange.parse(data)

    assert entry.text == text
    assert entry.spans == (Span(0, 3), Span(2, 3))
    assert entry.original("a.md") is None


@pytest.mark.parametrize(
    "doc",
    [
        reference_doc("http://x/a", (0, "甲乙丙丁"), (2, "丙丁戊")),
        reference_doc("./doc/../a.md", (0, "同一个文件的另一种写法")),
        reference_doc("http://x/a#top", (0, "带片段")),
        reference_doc("cut.md", (0, "a\ud83d"), (1, "\ud83d\ude00b")),
        reference_doc("gap.md", (0, "eins"), (100, "zwei")),
        reference_doc("contradiction.md", (0, "eins"), (2, "zwei")),
        reference_doc("empty.md"),
        reference_doc("control.md", (0, 'tab\t nul\x00 esc\x1b del\x7f ls\u2028 "quoted" \\back')),
        {"title": "没有来源", "chunks": [{"start": 0, "text": "old"}]},
        {"title": "t", "source": "s", "addedAt": "gestern", "chunks": [{"text": "no start"}], "more": [1]},
        {"title": "half \ud83d", "source": "s", "addedAt": "2026-01-01T00:00:00.000Z", "chunks": []},
    ],
    ids=lambda doc: str(doc["title"]).encode("ascii", "replace").decode(),
)
def test_what_the_reference_wrote_is_written_back(tmp_path: Path, doc: dict[str, object]) -> None:
    data = json.dumps({"docs": [doc]}, indent=2).encode()

    written = _stored_and_written(tmp_path, data)

    assert json.loads(written) == json.loads(data)


def test_the_layout_is_that_of_javascript(tmp_path: Path) -> None:
    data = reference_json(
        reference_doc("http://x/a", (0, 'Zeile 1\nZeile "2"'), title="标题"),
        reference_doc("b.md", (0, "b")),
    )

    assert _stored_and_written(tmp_path, data) == data.decode()


def test_half_an_emoji_is_written_as_an_escape(tmp_path: Path) -> None:
    data = json.dumps({"docs": [reference_doc("a", (0, "x\ud83d"), (2, "\ude00y"))]}).encode()

    assert '"x\\ud83d"' in _stored_and_written(tmp_path, data)


def test_our_own_documents_are_written_in_its_terms(tmp_path: Path) -> None:
    text = "😀 anfang " + "wort " * 300
    spans = [Span(start, end - start) for start, end in windows(text)]
    store = open_store(tmp_path)
    store.put([new_document("a.md", text, spans, title="A")])

    files = exchange(tmp_path)
    files.write(store)
    store.close()

    [doc] = json.loads(files.file.read_bytes())["docs"]
    assert list(doc) == ["title", "source", "addedAt", "chunks"]
    units = text.encode("utf-16-le")
    for index, chunk in enumerate(doc["chunks"]):
        assert list(chunk) == ["entry", "index", "start", "text"]
        assert (chunk["entry"], chunk["index"]) == (0, index)
        assert units[chunk["start"] * 2 :].decode("utf-16-le").startswith(chunk["text"])


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b'{"docs": {}}', b"\xff\xfe", b"[" * 100_000, b"null"],
    ids=["empty", "cut", "list", "dict", "bytes", "deep", "null"],
)
def test_what_is_no_index_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        interchange.parse(data)


def test_entries_that_the_reference_would_drop_are_counted() -> None:
    data = json.dumps(
        {"docs": [reference_doc("a", (0, "a")), {"title": 5, "chunks": []}, {"title": "x"}, 7, None]}
    ).encode()

    entries, unusable = interchange.parse(data)

    assert [entry.source for entry in entries] == ["a"]
    assert unusable == 4


def test_an_entry_nested_too_deeply_is_only_counted() -> None:
    deep = json.dumps(reference_doc("a", (0, "a")))[:-1] + ', "more": ' + "[" * 900 + "]" * 900 + "}"

    entries, unusable = interchange.parse(f'{{"docs": [{deep}]}}'.encode())

    assert len(entries) + unusable == 1
    for entry in entries:
        assert entry.original("b") is not None


def test_a_byte_order_mark_does_no_harm() -> None:
    entries, _ = interchange.parse(b"\xef\xbb\xbf" + reference_json(reference_doc("a", (0, "a"))))

    assert len(entries) == 1


def test_an_empty_base_is_an_empty_list(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    assert "".join(interchange.render(queries.everything(store))) == '{\n  "docs": []\n}\n'
    store.close()
