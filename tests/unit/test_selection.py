"""Which documents a selection means, and searching in them only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from geekagent_tui.rag import queries
from geekagent_tui.rag.kinds import ending, endings
from geekagent_tui.rag.model import NoHits, Selection, SourceKind
from geekagent_tui.rag.rows import to_iso
from geekagent_tui.rag.selecting import meant
from geekagent_tui.rag.selection import ids_of
from geekagent_tui.rag.service import RagService
from geekagent_tui.rag.store import NewDocument, Span, Store
from support.bases import open_store, write_files

SOURCES = (
    "https://example.org/",
    "https://docs.example.org/guide.pdf",
    "http://localhost:8000/a/b.md?x=1",
    "https://notexample.org/index.php",
    "notes/a.md",
    "notes/deep/b.py",
    "/elsewhere/c.PDF",
    "README",
    "https://xn--fsqu00a.org/x.md",
)
DAY = datetime(2026, 11, 30, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(tmp_path)
    for source in SOURCES:
        kind = SourceKind.URL if "://" in source else SourceKind.FILE
        opened.put([NewDocument(source, kind, source, "Text", (Span(0, 4),))])
    yield opened
    opened.close()


def _sources(store: Store, within: Selection, workspace: Path) -> list[str]:
    return [SOURCES[id_ - 1] for id_ in ids_of(store, within, workspace)]


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["example.org"], SOURCES[:2]),
        (["www.Example.org"], SOURCES[:2]),
        (["docs.example.org"], [SOURCES[1]]),
        (["https://docs.example.org"], [SOURCES[1]]),
        (["HTTPS://EXAMPLE.org"], [SOURCES[0]]),
        (["例子.org", "example.org/a"], [SOURCES[8]]),
        (["localhost:8000"], [SOURCES[2]]),
        (["localhost"], [SOURCES[2]]),
        (["http://localhost:8000/a"], [SOURCES[2]]),
        (["http://localhost:8000/*"], [SOURCES[2]]),
        (["notes"], SOURCES[4:6]),
        (["./notes/"], SOURCES[4:6]),
        (["notes/*"], [SOURCES[4]]),
        (["**/*.md", "README"], [SOURCES[4], SOURCES[7]]),
        (["."], [*SOURCES[4:6], SOURCES[7]]),
        (["/elsewhere"], [SOURCES[6]]),
        (["", " ", "none", "\udc80", "org", "xn--fsqu00a"], []),
    ],
)
def test_sources_in_any_spelling(
    store: Store, tmp_path: Path, words: Sequence[str], meant: Sequence[str]
) -> None:
    assert _sources(store, Selection(sources=tuple(words)), tmp_path) == list(meant)


@pytest.mark.parametrize(
    ("kinds", "meant"),
    [
        (["url"], [*SOURCES[:4], SOURCES[8]]),
        (["FILE"], SOURCES[4:8]),
        (["pdf"], [SOURCES[1], SOURCES[6]]),
        ([".PDF"], [SOURCES[1], SOURCES[6]]),
        (["md"], [SOURCES[2], SOURCES[4], SOURCES[8]]),
        (["markdown", "python"], [SOURCES[2], SOURCES[4], SOURCES[5], SOURCES[8]]),
        (["html"], [SOURCES[0], SOURCES[3]]),
        (["code"], [SOURCES[5]]),
        (["docx", ""], []),
    ],
)
def test_kinds_and_formats(store: Store, tmp_path: Path, kinds: Sequence[str], meant: Sequence[str]) -> None:
    assert _sources(store, Selection(kinds=tuple(kinds)), tmp_path) == list(meant)


def test_dates_and_all_parts_together(store: Store, tmp_path: Path) -> None:
    for id_, (added, updated) in enumerate(((0, 0), (0, 3), (2, 2), (5, 9)), start=1):
        times = [to_iso(DAY + timedelta(days=days)) for days in (added, updated)]
        store.connection.execute(
            "UPDATE documents SET added_at = ?, updated_at = ? WHERE id = ?", (*times, id_)
        )
    few = Selection(documents=(1, 2, 3, 4, 99))
    assert ids_of(store, few, tmp_path) == [1, 2, 3, 4]

    def dated(since: int | None, until: int | None) -> list[int]:
        first, last = (None if days is None else DAY + timedelta(days=days) for days in (since, until))
        return ids_of(store, Selection((1, 2, 3, 4), since=first, until=last), tmp_path)

    assert dated(2, None) == [2, 3, 4]
    assert dated(None, 2) == [1, 2]
    assert dated(3, 5) == [2]
    assert dated(10, None) == []
    assert dated(1, 2) == [], "added before and changed after is not in between"
    assert dated(6, 8) == []
    assert dated(0, 1) == [1, 2]
    within = Selection((1, 2, 3), sources=("example.org",), kinds=("url",), since=DAY + timedelta(days=1))
    assert ids_of(store, within, tmp_path) == [2]
    assert ids_of(store, Selection(), tmp_path) == list(range(1, 10))


def test_an_unknown_kind_is_an_ending() -> None:
    assert endings([" .XYZ "]) == (frozenset(), frozenset({"xyz"}))
    assert ending("a/b.XYZ", SourceKind.FILE) == "xyz"
    assert ending("http://x/a%20b.tar.gz", SourceKind.URL) == "gz"


async def test_searching_in_some_documents(tmp_path: Path) -> None:
    write_files(tmp_path, {f"{name}.md": f"# Wal\n\nDer Wal {name} singt.\n" for name in "abc"})
    long = "\n\n".join(f"## Wal {n}\n\nDer Wal Nummer {n} singt {'sehr ' * 200}laut." for n in range(8))
    write_files(tmp_path, {"many.md": long})
    async with await RagService.open(tmp_path) as rag:
        await rag.add(["a.md", "b.md", "c.md"], tags=["klein"])
        await rag.add(["many.md"])

        result = await rag.search("Wal singt", 10, within=Selection(tags=("KLEIN",)))
        assert {hit.source for hit in result.hits} == {"a.md", "b.md", "c.md"}
        assert [each.source for each in await rag.documents(Selection(sources=("many.md",)))] == ["many.md"]
        nothing = await rag.search("Wal", within=Selection(tags=("none",)))
        assert (nothing.hits, nothing.none) == ((), NoHits.NOT_SELECTED)
        assert len((await rag.search("Wal singt", 10, within=Selection())).hits) > 3

        only = await rag.search("Wal singt", 6, within=Selection(sources=("many.md",)))
        assert len(only.hits) == 6  # the usual bound could not fill the result
        one = await rag.search("Wal singt", 10, per_document=1)
        assert sorted(hit.source for hit in one.hits) == ["a.md", "b.md", "c.md", "many.md"]
        more = await rag.search("Wal singt", 10, per_document=5)
        assert sum(hit.source == "many.md" for hit in more.hits) == 5


def test_sources_are_read_once_however_many_words_there_are(store: Store, tmp_path: Path) -> None:
    asked: list[str] = []
    store.connection.set_trace_callback(asked.append)
    words: list[str | int] = [
        1,
        "notes",
        "notes/*",
        ".",
        "",
        " ",
        "/elsewhere",
        "README",
        *(f"none{n}" for n in range(50)),
    ]
    found = meant(store, words, tmp_path)
    store.connection.set_trace_callback(None)
    assert sum(" WHERE " not in each for each in asked) == 1
    assert [[each.source for each in documents] for documents in found] == [
        [SOURCES[0]],
        list(SOURCES[4:6]),
        [SOURCES[4]],
        [*SOURCES[4:6], SOURCES[7]],
        [],
        [],
        [SOURCES[6]],
        [SOURCES[7]],
        *[[] for _ in range(50)],
    ]


def test_known_sources_are_asked_for_together(store: Store) -> None:
    asked: list[str] = []
    store.connection.set_trace_callback(asked.append)
    assert queries.known(store, [*(f"none{n}" for n in range(1200)), *SOURCES[2:5]]) == set(SOURCES[2:5])
    assert len(asked) == 3
    assert queries.known(store, []) == set()
