"""The database's vectors: one row a document, valid for one revision of it and one model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from geekagent_tui.rag import queries
from geekagent_tui.rag.dense.centres import Centres
from geekagent_tui.rag.store import Store

_CENTRES = "dense_centres"
_MODEL = "dense_model"
NUMBER = 2
"""Bytes of one number of a vector."""


@dataclass(frozen=True, slots=True)
class Unembedded:
    """A document's passages.

    Attributes:
        passages: Heading and text of each, in order.
    """

    id: int
    revision: int
    title: str
    passages: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Embedded:
    """A document's vectors.

    Attributes:
        passages: How many it has.
        data: As it is stored, which may be by somebody else. Should be little-endian 16-bit floats: for each
            passage the same number of unit vectors.
    """

    id: int
    passages: int
    data: bytes


def centres(store: Store, name: str) -> Centres | None:
    """What was learned about a model; None when that is not known, or of another one."""
    text = queries.meta(store, _CENTRES)
    if text is None or queries.meta(store, _MODEL) != name:
        return None
    try:
        return Centres.loads(text)
    except ValueError:
        return None


def keep_centres(store: Store, name: str, found: Centres) -> None:
    """Remember what was learned about a model, instead of any other."""
    store.set_meta(**{_MODEL: name, _CENTRES: found.dumps()})


def lacking(store: Store, name: str) -> list[tuple[int, int]]:
    """The documents whose passages have no vectors of a model, and their revisions, oldest change first."""
    return store.connection.execute(
        "SELECT id, revision FROM documents d WHERE passages > 0 AND NOT EXISTS"
        " (SELECT 1 FROM vectors v WHERE v.document_id = d.id AND v.revision = d.revision AND v.model = ?)"
        " ORDER BY revision",
        (name,),
    ).fetchall()


def embedded(store: Store, name: str) -> int:
    """How many passages have vectors of a model."""
    row = store.connection.execute(
        "SELECT ifnull(sum(passages), 0) FROM documents d JOIN vectors v ON v.document_id = d.id"
        " WHERE v.revision = d.revision AND v.model = ?",
        (name,),
    ).fetchone()
    return int(row[0])


def unembedded(store: Store, id_: int) -> Unembedded | None:
    """A document's passages; None when it is gone."""
    # The revision first: what changes in between is not stored by `put`
    row = store.connection.execute("SELECT revision FROM documents WHERE id = ?", (id_,)).fetchone()
    found = queries.document_text(store, id_)
    if row is None or found is None:
        return None
    passages = tuple((passage.heading, passage.text) for passage in found.passages)
    return Unembedded(id_, row[0], found.document.title, passages)


def put(store: Store, document: Unembedded, name: str, data: bytes) -> None:
    """Store a document's vectors, unless it has changed meanwhile."""
    with store.writing() as connection:
        connection.execute(
            "INSERT OR REPLACE INTO vectors (document_id, revision, model, data)"
            " SELECT id, revision, ?, ? FROM documents WHERE id = ? AND revision = ?",
            (name, data, document.id, document.revision),
        )


def version(store: Store) -> int:
    """A number that changes when another connection has changed anything."""
    return int(store.connection.execute("PRAGMA data_version").fetchone()[0])


def valid(store: Store, name: str) -> dict[int, int]:
    """The documents that have vectors of a model, and their revisions."""
    rows = store.connection.execute(
        "SELECT id, d.revision FROM documents d JOIN vectors v ON v.document_id = d.id"
        " WHERE v.revision = d.revision AND v.model = ? ORDER BY id",
        (name,),
    )
    return dict(rows.fetchall())


def vectors(store: Store, ids: Iterable[int]) -> Iterator[Embedded]:
    """Some documents' vectors; inside `Store.reading`."""
    for id_ in ids:
        row = store.connection.execute(
            "SELECT id, passages, data FROM documents JOIN vectors ON document_id = id WHERE id = ?", (id_,)
        ).fetchone()
        if row is not None:
            yield Embedded(*row)
