from __future__ import annotations

import contextlib
import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from geekagent_tui.rag import interchange, queries, transfer
from geekagent_tui.rag.chunk import Chunking, chunk, windows
from geekagent_tui.rag.model import IngestState
from geekagent_tui.rag.store import Span
from support.bases import exchange, new_document, open_store

_TEXT = st.text(st.characters(), max_size=40)  # lone surrogates too
_CHUNK = st.fixed_dictionaries(
    {"text": _TEXT},
    optional={
        "entry": st.integers(0, 3),
        "index": st.integers(0, 3),
        "start": st.one_of(st.integers(-2, 90), st.none(), st.text(max_size=2)),
    },
)
_DOC = st.fixed_dictionaries(
    {"title": _TEXT, "chunks": st.lists(_CHUNK, max_size=4)},
    optional={
        "source": st.one_of(_TEXT, st.integers()),
        "addedAt": st.one_of(st.datetimes().map(lambda moment: moment.isoformat()), _TEXT),
        "tags": st.one_of(
            st.lists(st.sampled_from(["Wal", "wal", "读书", "a,b", " x"]), max_size=3),
            st.lists(st.one_of(_TEXT, st.integers()), max_size=2),
            _TEXT,
        ),
    },
)


@settings(max_examples=150, deadline=None)
@given(st.lists(_DOC, max_size=3, unique_by=lambda doc: str(doc.get("source") or doc["title"]).strip()))
def test_whatever_is_taken_in_is_written_back(docs: list[dict[str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Path(folder))
        files = exchange(Path(folder))
        files.file.write_bytes(json.dumps({"docs": docs}).encode())
        files.take_in(store)
        if queries.stats(store).documents == len(docs):  # else two sources mean the same file
            written = "".join(interchange.render(queries.everything(store))).encode()
            assert json.loads(written) == {"docs": docs}
        store.close()


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=3000))
def test_windows_of_a_text_are_put_together_again(text: str) -> None:
    spans = windows(text, 30, 8)
    chunks = [
        {"start": len(text[:start].encode("utf-16-le")) // 2, "text": text[start:end]} for start, end in spans
    ]
    data = json.dumps({"docs": [{"title": "t", "source": "s", "chunks": chunks}]}).encode()

    [entry], _ = interchange.parse(data)

    assert entry.text == text
    assert [(span.start, span.start + span.length) for span in entry.spans] == spans


@given(st.binary(max_size=200))
def test_no_bytes_break_the_parser(data: bytes) -> None:
    with contextlib.suppress(ValueError):
        interchange.parse(data)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
        | st.sampled_from(["\n", "\n\n", " \n", "🐳", "# Kopf\n", "wort " * 90]),
        max_size=30,
    ),
    st.sampled_from(list(Chunking)),
)
def test_texts_of_ours_come_back_exactly(parts: list[str], mode: Chunking) -> None:
    text = "".join(parts)
    spans = [Span(each.start, each.end - each.start) for each in chunk(text, mode)]
    assume(spans)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
        store, taken = open_store(Path(folder)), open_store(Path(other))
        store.put([new_document("a.md", text, spans)])
        data = "".join(interchange.render(queries.everything(store))).encode()
        transfer.take(taken, data, "all.json", Path(other))

        [kept] = queries.everything(taken)
        assert (kept.text, kept.original) == (text, None)
        assert list(kept.spans) == spans
        assert "".join(interchange.render([kept])).encode() == data
        [again] = transfer.take(taken, data, "all.json", Path(other))
        assert again.state is IngestState.UNCHANGED
        store.close()
        taken.close()
