from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from geekagent_tui.rag import queries
from geekagent_tui.rag.errors import StoreTooNewError
from geekagent_tui.rag.model import IngestState, Stats
from geekagent_tui.rag.opening import DATABASE
from geekagent_tui.rag.rows import from_iso, to_iso
from geekagent_tui.rag.schema import MIGRATIONS
from geekagent_tui.rag.store import PIECE, Span, Store
from support.bases import new_document, open_store, rag_folder


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(tmp_path)
    yield opened
    opened.close()


def test_a_document_is_added_then_unchanged_then_updated(store: Store) -> None:
    [first] = store.put([new_document("a.md", "第一版")])
    [second] = store.put([new_document("a.md", "第一版")])
    [third] = store.put([new_document("a.md", "第二版，更长")])

    assert [each.state for each in (first, second, third)] == [
        IngestState.ADDED,
        IngestState.UNCHANGED,
        IngestState.UPDATED,
    ]
    assert first.document == second.document
    assert third.document.id == first.document.id
    assert third.document.added_at == first.document.added_at
    assert queries.documents(store) == [third.document]
    text = queries.document_text(store, third.document.id)
    assert text is not None
    assert text.text == "第二版，更长"
    assert queries.revision(store) == 2


def test_another_title_is_a_change(store: Store) -> None:
    store.put([new_document("a.md", "第一版")])
    [renamed] = store.put([new_document("a.md", "第一版", title="别的标题")])
    assert renamed.state is IngestState.UPDATED
    assert [document.title for document in queries.documents(store)] == ["别的标题"]


def test_every_change_has_a_revision_of_its_own(store: Store) -> None:
    stored = store.put([new_document(name, name) for name in "abc"])
    store.remove([stored[1].document.id])

    assert [each.revision for each in stored] == [1, 2, 3]
    changes = queries.changes(store, 0, 1_000)
    assert changes.revision == 4
    assert [each.revision for each in changes.documents] == [1, 3]
    assert changes.deleted == (stored[1].document.id,)
    assert queries.changes(store, 4, 1_000).documents == ()


def test_changes_stop_at_a_document_when_there_is_much(store: Store) -> None:
    store.put([new_document(name, name * 100) for name in "abcd"])

    steps, since = [], 0
    while since < queries.revision(store):
        changes = queries.changes(store, since, 150)
        steps.append([each.title for each in changes.documents])
        since = changes.revision

    assert steps == [["a", "b"], ["c", "d"]]


def test_an_id_is_never_used_again(store: Store) -> None:
    [first] = store.put([new_document("a", "eins")])
    assert store.remove([first.document.id, 99]) == [first.document.id]
    [again] = store.put([new_document("a", "eins")])

    assert again.state is IngestState.ADDED
    assert again.document.id > first.document.id
    assert queries.document(store, first.document.id) is None


def test_nothing_of_a_removed_document_stays(store: Store) -> None:
    [stored] = store.put([new_document("a", "x" * (2 * PIECE))])
    store.remove([stored.document.id])

    for table in ("documents", "texts", "passages", "originals"):
        assert store.connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
    assert queries.stats(store) == Stats(0, 0, 0)


def test_a_passage_is_read_from_the_pieces_that_hold_it(store: Store) -> None:
    text = "".join(chr(0x4E00 + at % 5000) + ("😀" if at % 7 == 0 else "e") for at in range(3 * PIECE))
    spans = [
        Span(0, 10),
        Span(PIECE - 5, 10, "甲 › 乙", 7),
        Span(PIECE, PIECE),
        Span(PIECE - 1, PIECE + 2),
        Span(len(text) - 1, 1),
    ]
    [stored] = store.put([new_document("a", text, spans)])

    whole = queries.document_text(store, stored.document.id)
    assert whole is not None
    assert whole.text == text
    for number, span in enumerate(spans, start=1):
        hit = queries.hit(store, stored.document.id, number, 1.5)
        assert hit is not None
        assert hit.text == text[span.start : span.start + span.length]
        assert whole.passages[number - 1].text == hit.text
        assert (hit.start, hit.heading, hit.passage) == (span.start, span.heading, number)
        assert hit.page == whole.passages[number - 1].page == span.page
    assert queries.hit(store, stored.document.id, 6, 1.0) is None
    assert queries.hit(store, 77, 1, 1.0) is None


def test_text_with_nul_survives(store: Store) -> None:
    [stored] = store.put([new_document("a", "vor\x00nach")])

    hit = queries.hit(store, stored.document.id, 1, 0.0)
    assert hit is not None
    assert hit.text == "vor\x00nach"


def test_a_failed_transaction_leaves_nothing(store: Store) -> None:
    with pytest.raises(UnicodeEncodeError):
        store.put([new_document("a", "gut"), new_document("b", "halb \ud83d")])

    assert queries.is_empty(store)
    assert queries.revision(store) == 0
    assert not store.connection.in_transaction


def test_no_number_is_too_large_to_be_asked_for(store: Store) -> None:
    for id_ in (0, -1, 2**63, 10**30):
        assert queries.document(store, id_) is None


def test_two_connections_write_one_after_the_other(tmp_path: Path) -> None:
    def write(writer: int) -> None:
        store = open_store(tmp_path)
        for at in range(20):
            store.put([new_document(f"{writer}-{at}", "text")])
        store.close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))

    store = open_store(tmp_path)
    assert queries.stats(store).documents == 80
    assert queries.revision(store) == 80
    store.close()


@pytest.mark.parametrize("_time", range(5))
def test_many_connections_may_be_the_first(tmp_path: Path, _time: int) -> None:
    rag_folder(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        stores = list(pool.map(lambda _: open_store(tmp_path), range(8)))

    assert len({queries.store_id(store) for store in stores}) == 1
    for store in stores:
        store.close()


def test_a_database_from_before_there_were_pages(tmp_path: Path) -> None:
    path = rag_folder(tmp_path) / DATABASE
    connection = sqlite3.connect(path)
    for statement in MIGRATIONS[0]:
        connection.execute(statement)
    connection.execute(
        "INSERT INTO documents VALUES (1, 'a', 'file', 'a', 1, 1, 'x', '', '', '', ?, ?, 1)",
        ["2026-01-01T00:00:00.000Z"] * 2,
    )
    connection.execute("INSERT INTO passages VALUES (1, 1, 0, 1, '')")
    connection.execute("INSERT INTO texts VALUES (1, 0, '字')")
    connection.execute("PRAGMA user_version = 1")
    connection.commit()
    connection.close()

    store = open_store(tmp_path)
    hit = queries.hit(store, 1, 1, 0.0)
    store.close()
    assert hit is not None
    assert (hit.text, hit.page) == ("字", 0)


def test_a_newer_database_is_refused_and_untouched(tmp_path: Path) -> None:
    open_store(tmp_path).close()
    path = rag_folder(tmp_path) / DATABASE
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    connection.close()
    before = path.read_bytes()

    with pytest.raises(StoreTooNewError, match="更新版本"):
        open_store(tmp_path)

    assert path.read_bytes() == before


def test_what_is_reported_survives_a_power_cut(store: Store) -> None:
    assert store.connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert store.connection.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL


def test_times_are_written_like_javascript() -> None:
    moment = from_iso("2026-08-26T12:42:11.000Z")

    assert to_iso(moment) == "2026-08-26T12:42:11.000Z"
    assert from_iso("2026-08-26T20:42:11.000+08:00") == moment
