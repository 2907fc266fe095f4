"""What is asked of the database."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from geekagent_tui.rag.model import Document, DocumentText, Hit, Passage, Stats
from geekagent_tui.rag.raw import Validators
from geekagent_tui.rag.rows import SELECT, document_of
from geekagent_tui.rag.store import PIECE, Span, Store

_IDS = 2**63  # what SQLite can hold
_AT_ONCE = 500
"""Values in one question to the database; old versions of it take 999."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A document that the index may not know in this form.

    Attributes:
        passages: Number, heading and text of each.
    """

    id: int
    revision: int
    title: str
    passages: tuple[tuple[int, str, str], ...]


@dataclass(frozen=True, slots=True)
class Changes:
    """What happened between two revisions, up to a bound on the amount of text.

    Attributes:
        revision: The state that is reached by applying this.
        deleted: Ids of documents that are gone.
        documents: Those that are new or changed, by revision.
    """

    revision: int
    deleted: tuple[int, ...]
    documents: tuple[Changed, ...]


@dataclass(frozen=True, slots=True)
class Kept:
    """A document as it is written to index.json."""

    document: Document
    text: str
    spans: tuple[Span, ...]
    original: str | None


def meta(store: Store, key: str) -> str | None:
    """The value kept under a name."""
    row = store.connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return None if row is None else str(row[0])


def revision(store: Store) -> int:
    """The number of the last change."""
    return int(meta(store, "revision") or 0)


def store_id(store: Store) -> str:
    """The database's own name, which no other one has."""
    return meta(store, "store_id") or ""


def is_empty(store: Store) -> bool:
    """Whether there is no document."""
    return store.connection.execute("SELECT 1 FROM documents LIMIT 1").fetchone() is None


def stats(store: Store) -> Stats:
    """How much there is."""
    row = store.connection.execute(
        "SELECT count(*), ifnull(sum(passages), 0), ifnull(sum(characters), 0) FROM documents"
    ).fetchone()
    return Stats(*row)


def documents(store: Store, ids: Sequence[int] | None = None) -> list[Document]:
    """All documents, or those with some ids, in the order in which they were added."""
    if ids is None:
        rows = store.connection.execute(SELECT + " ORDER BY id")
    else:
        among = " WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id"
        rows = store.connection.execute(SELECT + among, (json.dumps(ids),))
    return [document_of(row) for row in rows]


def document(store: Store, id_: int) -> Document | None:
    """The document with an id; None when there is none, whatever the number."""
    if not 0 < id_ < _IDS:
        return None
    row = store.connection.execute(SELECT + " WHERE id = ?", (id_,)).fetchone()
    return None if row is None else document_of(row)


def by_source(store: Store, spellings: Iterable[str]) -> Document | None:
    """The document with the first of some sources that is known."""
    for source in spellings:
        row = store.connection.execute(SELECT + " WHERE source = ?", (source,)).fetchone()
        if row is not None:
            return document_of(row)
    return None


def validators(store: Store, id_: int) -> Validators:
    """What a document's server said about its version; empty for a file and for an unknown document."""
    row = store.connection.execute(
        "SELECT final_url, etag, last_modified FROM documents WHERE id = ?", (id_,)
    ).fetchone()
    return Validators(*(row or ()))


def known(store: Store, sources: Sequence[str]) -> set[str]:
    """Those of some sources that are in the knowledge base."""
    found: set[str] = set()
    for at in range(0, len(sources), _AT_ONCE):
        some = sources[at : at + _AT_ONCE]
        among = ", ".join("?" * len(some))
        ask = f"SELECT source FROM documents WHERE source IN ({among})"  # noqa: S608  # question marks only
        found.update(source for (source,) in store.connection.execute(ask, some))
    return found


def document_text(store: Store, id_: int) -> DocumentText | None:
    """A document with its text and passages."""
    with store.reading():
        found = document(store, id_)
        if found is None:
            return None
        text = _text(store, id_)
        spans = _spans(store, id_)
    passages = tuple(
        Passage(number, span.start, text[span.start : span.start + span.length], span.heading, span.page)
        for number, span in enumerate(spans, start=1)
    )
    return DocumentText(found, text, passages)


def hit(store: Store, id_: int, number: int, score: float) -> Hit | None:
    """A passage as a search shows it; None when it is gone."""
    row = store.connection.execute(
        "SELECT title, source, start, length, heading, page FROM documents"
        " JOIN passages ON document_id = id WHERE id = ? AND number = ?",
        (id_, number),
    ).fetchone()
    if row is None:
        return None
    title, source, start, length, heading, page = row
    text = _part(store, id_, start, length)
    return Hit(id_, title, source, number, start, text, heading, score, page=page)


def changes(store: Store, since: int, most: int) -> Changes:
    """What happened after a revision, oldest first.

    Args:
        store: The store.
        since: A revision; 0 for everything.
        most: Characters after which it stops, at a document's end.
    """
    with store.reading():
        last = revision(store)
        found: list[Changed] = []
        taken = 0
        rows = store.connection.execute(
            "SELECT id, revision, title, characters FROM documents WHERE revision > ? ORDER BY revision",
            (since,),
        )
        for id_, at, title, characters in rows:
            if taken >= most:
                last = found[-1].revision
                break
            found.append(Changed(id_, at, title, _passages(store, id_)))
            taken += characters
        gone = store.connection.execute(
            "SELECT document_id FROM deletions WHERE revision > ? AND revision <= ?", (since, last)
        )
        return Changes(last, tuple(row[0] for row in gone), tuple(found))


def everything(store: Store) -> Iterator[Kept]:
    """All documents with their texts, one after another; inside `Store.reading` they fit together."""
    originals = dict(store.connection.execute("SELECT document_id, entry FROM originals").fetchall())
    for each in documents(store):
        yield Kept(each, _text(store, each.id), _spans(store, each.id), originals.get(each.id))


def _text(store: Store, id_: int) -> str:
    rows = store.connection.execute("SELECT text FROM texts WHERE document_id = ? ORDER BY start", (id_,))
    return "".join(row[0] for row in rows)


def _part(store: Store, id_: int, start: int, length: int) -> str:
    first = start - start % PIECE
    rows = store.connection.execute(
        "SELECT text FROM texts WHERE document_id = ? AND start BETWEEN ? AND ? ORDER BY start",
        (id_, first, start + length),
    )
    return "".join(row[0] for row in rows)[start - first : start - first + length]


def _spans(store: Store, id_: int) -> tuple[Span, ...]:
    rows = store.connection.execute(
        "SELECT start, length, heading, page FROM passages WHERE document_id = ? ORDER BY number", (id_,)
    )
    return tuple(Span(*row) for row in rows)


def _passages(store: Store, id_: int) -> tuple[tuple[int, str, str], ...]:
    text = _text(store, id_)
    return tuple(
        (number, heading, text[start : start + length])
        for number, (start, length, heading, _page) in enumerate(_spans(store, id_), start=1)
    )
