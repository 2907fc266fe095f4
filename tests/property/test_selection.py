"""A selection means what a plain filter over all documents finds."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from geekagent_tui.rag import queries
from geekagent_tui.rag.errors import TagError
from geekagent_tui.rag.model import Document, Selection, SourceKind
from geekagent_tui.rag.rows import to_iso
from geekagent_tui.rag.selection import ids_of
from geekagent_tui.rag.store import NewDocument, Store
from geekagent_tui.rag.tags import LONGEST, clean_tag, clean_tags, in_order, same_as
from geekagent_tui.sanitize import clean_line
from support.bases import open_store

_START = datetime(2026, 1, 1, tzinfo=UTC)
_HOSTS = ("example.org", "www.example.org", "docs.example.org", "x.de")
_FOLDERS = ("", "notes/", "notes/deep/", "/abs/")
_NAMES = ("a.md", "b.pdf", "c", "d.PY")
_TAGS = ("Rust", "rust", "读书", "Straße", "STRASSE")
_MOMENTS = st.integers(0, 5).map(lambda days: _START + timedelta(days=days))
_DOCUMENTS = st.lists(
    st.tuples(
        st.one_of(
            st.tuples(st.sampled_from(_HOSTS), st.sampled_from(_NAMES)).map(
                lambda p: f"https://{p[0]}/{p[1]}"
            ),
            st.tuples(st.sampled_from(_FOLDERS), st.sampled_from(_NAMES)).map("".join),
        ),
        st.lists(st.sampled_from(_TAGS), max_size=3),
        _MOMENTS,
        _MOMENTS,
    ),
    max_size=8,
    unique_by=lambda each: each[0],
)
_SELECTIONS = st.builds(
    Selection,
    documents=st.lists(st.integers(1, 9), max_size=3).map(tuple),
    tags=st.lists(st.sampled_from((*_TAGS, "none")), max_size=2).map(tuple),
    sources=st.lists(
        st.sampled_from((*_HOSTS, "notes", "/abs/", "a.md", "notes/*", "https://x.de/*")), max_size=2
    ).map(tuple),
    kinds=st.lists(st.sampled_from(("url", "file", "md", "pdf", "python", "html")), max_size=2).map(tuple),
    since=st.none() | _MOMENTS,
    until=st.none() | _MOMENTS,
)


@contextmanager
def _base() -> Iterator[tuple[Store, Path]]:
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Path(folder))
        try:
            yield store, Path(folder)
        finally:
            store.close()


def _is_named(document: Document, word: str) -> bool:
    source = document.source
    if word in _HOSTS:
        host = source.removeprefix("https://").partition("/")[0].removeprefix("www.")
        wanted = word.removeprefix("www.")
        return document.kind is SourceKind.URL and (host == wanted or host.endswith("." + wanted))
    if word.endswith("*"):
        rest = source.removeprefix(word[:-1])
        return rest != source and (word.startswith("https") or "/" not in rest)
    return source == word or source.startswith(word.rstrip("/") + "/")


def _is_kind(document: Document, kind: str) -> bool:
    name = document.source.lower().rpartition("/")[2]
    match kind:
        case "url" | "file":
            return document.kind == kind
        case "html":
            return document.kind is SourceKind.URL and "." not in name
        case "python":
            return name.endswith(".py")
        case _:
            return name.endswith("." + kind)


def _holds(document: Document, within: Selection) -> bool:
    moments = (document.added_at, document.updated_at)
    tags = {tag.casefold() for tag in document.tags}
    return all(
        (
            not within.documents or document.id in within.documents,
            not within.tags or any(tag.casefold() in tags for tag in within.tags),
            not within.sources or any(_is_named(document, word) for word in within.sources),
            not within.kinds or any(_is_kind(document, kind) for kind in within.kinds),
            any(
                (within.since is None or moment >= within.since)
                and (within.until is None or moment < within.until)
                for moment in moments
            ),
        )
    )


@settings(max_examples=150, deadline=None)
@given(_DOCUMENTS, st.lists(_SELECTIONS, min_size=1, max_size=5))
def test_a_selection_is_a_filter(
    documents: list[tuple[str, list[str], datetime, datetime]], selections: list[Selection]
) -> None:
    with _base() as (store, folder):
        for source, tags, added, updated in documents:
            kind = SourceKind.URL if "://" in source else SourceKind.FILE
            [stored] = store.put([NewDocument(source, kind, source, "", (), tags=clean_tags(tags))])
            store.connection.execute(
                "UPDATE documents SET added_at = ?, updated_at = ? WHERE id = ?",
                (to_iso(added), to_iso(updated), stored.document.id),
            )
        for within in selections:
            meant = [each.id for each in queries.documents(store) if _holds(each, within)]
            assert ids_of(store, within, folder) == meant


@given(st.text(st.characters(), max_size=LONGEST + 6))
def test_a_tag_is_clean_or_refused_with_a_sentence(typed: str) -> None:
    try:
        tag = clean_tag(typed)
    except TagError as refused:
        said = refused.message
        tag = "refused"
    else:
        said = ""
    assert clean_line(said) == said
    assert clean_tag(tag) == tag
    assert 0 < len(tag) <= LONGEST
    assert "," not in tag
    assert clean_line(tag).split() == tag.split()
    assert same_as(same_as(tag)) == same_as(tag)


@settings(deadline=None)
@given(st.lists(st.text(st.characters(), max_size=5), max_size=6))
def test_whatever_tags_are_given_can_be_read_and_found(typed: list[str]) -> None:
    try:
        tags = clean_tags(typed)
    except TagError:
        return
    with _base() as (store, folder):
        [stored] = store.put([NewDocument("s", SourceKind.FILE, "t", "", (), tags=tags)])
        assert stored.document.tags == in_order(tags)
        for tag in tags:
            assert ids_of(store, Selection(tags=(tag.swapcase(),)), folder) in ([], [1])
            assert ids_of(store, Selection(tags=(tag,)), folder) == [1]
