"""The source of truth: documents and their passages in an SQLite database.

Every change is one transaction, on the disk when the call returns, and gives each changed document a
revision of its own, so that the index can follow step by step. A `Store` is one connection and belongs to
one thread; a program has several, and so have several programs.
"""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from geekagent_tui.rag import undo
from geekagent_tui.rag.model import Document, IngestState, SourceKind
from geekagent_tui.rag.schema import migrate

PIECE = 16_384
"""Characters of a text that are stored, and read, together."""

_BUSY_SECONDS = 30.0
"""How long to wait for another process's transaction; ours last milliseconds."""

SELECT = "SELECT id, title, source, kind, passages, characters, added_at, updated_at FROM documents"
"""Reads what `document_of` takes."""


class Span(NamedTuple):
    """A passage as offsets into its document's text, in code points; its page from 1, 0 for none."""

    start: int
    length: int
    heading: str = ""
    page: int = 0


@dataclass(frozen=True, slots=True)
class NewDocument:
    """A document to be stored.

    Attributes:
        spans: Its passages, in order.
        added_at: When it was first added, if that was elsewhere.
        imported: Whether it comes from index.json, so that its passages replace those of the same text.
        original: Its entry in index.json when that can't be made from the rest, as JSON.
        again: Whether a known document was read again to bring it up to date: then other passages
            count as a change too, and a document that is gone meanwhile does not come back.
    """

    source: str
    kind: SourceKind
    title: str
    text: str
    spans: Sequence[Span]
    etag: str = ""
    last_modified: str = ""
    final_url: str = ""
    added_at: datetime | None = None
    imported: bool = False
    original: str | None = None
    again: bool = False


class RemovedMeanwhileError(LookupError):
    """A document that was read again has been removed in the meantime."""


class Stored(NamedTuple):
    """What became of a document: ADDED, UPDATED or UNCHANGED, and at which revision (an unchanged one's)."""

    document: Document
    state: IngestState
    revision: int


class Store:
    """An open database; the functions that only read it are in `queries`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self._last = contextlib.ExitStack()

    @classmethod
    def open(cls, path: Path) -> Store:
        """Connect to a database, and make its tables or bring them to the present version.

        Raises:
            StoreTooNewError: A newer program wrote it.
            sqlite3.Error: It is broken or can't be opened.
        """
        connection = sqlite3.connect(
            path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")  # NORMAL may lose the last commits at power-off
            connection.execute("PRAGMA foreign_keys = ON")
            migrate(connection)
        except BaseException:
            connection.close()
            raise
        return cls(connection)

    def when_closed(self, function: Callable[[], None]) -> None:
        """Call a function once the connection is closed."""
        self._last.callback(function)

    def close(self) -> None:
        """Disconnect; safe to call twice."""
        with self._last:
            self.connection.close()

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Several reads that see the same state."""
        with self._transaction("BEGIN"):
            yield self.connection

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it is stored, or nothing; none may be inside another."""
        with self._transaction("BEGIN IMMEDIATE"):
            yield self.connection

    @contextlib.contextmanager
    def _transaction(self, begin: str) -> Iterator[None]:
        self.connection.execute(begin)
        try:
            yield
            self.connection.execute("COMMIT")
        finally:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")

    def put(self, documents: Sequence[NewDocument]) -> list[Stored]:
        """Add new documents and replace those whose text has changed, in one transaction.

        Raises:
            sqlite3.Error: Nothing was stored.
        """
        with self.writing():
            return [self.put_one(document) for document in documents]

    def put_one(self, document: NewDocument) -> Stored:
        """Add or replace one document inside a transaction.

        Args:
            document: What to store. When its title and text are the known ones, nothing is written, unless
                it is imported, or read again and cut otherwise now.

        Raises:
            RemovedMeanwhileError: It was to be brought up to date, and is not there any more.
        """
        digest = hashlib.sha256(document.text.encode()).hexdigest()
        row = self.connection.execute(SELECT + " WHERE source = ?", (document.source,)).fetchone()
        if row is None:
            if document.again:
                raise RemovedMeanwhileError(document.source)
            return self._insert(document, digest)
        known = document_of(row)
        known_digest, revision = self.connection.execute(
            "SELECT content_hash, revision FROM documents WHERE id = ?", (known.id,)
        ).fetchone()
        same = (known_digest, known.title) == (digest, document.title) and not document.imported
        if same and not (document.again and self._is_cut_otherwise(known.id, document.spans)):
            return Stored(known, IngestState.UNCHANGED, revision)
        return self._replace(known, document, digest)

    def remove(self, ids: Sequence[int]) -> list[int]:
        """Remove documents in one transaction; return the ids of those that were there.

        They are kept until the next removal, see `undo`.
        """
        with self.writing():
            there = undo.keep(self.connection, ids, to_iso(_now()))
            for document_id in there:
                self._delete(document_id)
        return there

    def set_meta(self, **values: str | None) -> None:
        """Keep some values under their names; None forgets one. Inside a transaction or as one."""
        with contextlib.nullcontext() if self.connection.in_transaction else self.writing():
            for key, value in values.items():
                if value is None:
                    self.connection.execute("DELETE FROM meta WHERE key = ?", (key,))
                else:
                    self.connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def next_revision(self) -> int:
        """A new number for a change, inside its transaction."""
        found = self.connection.execute(
            "UPDATE meta SET value = value + 1 WHERE key = 'revision' RETURNING value"
        ).fetchall()
        return int(found[0][0])

    def _insert(self, new: NewDocument, digest: str) -> Stored:
        now = _now()
        revision = self.next_revision()
        added_at = new.added_at or now
        cursor = self.connection.execute(
            "INSERT INTO documents (source, kind, title, characters, passages, content_hash, etag,"
            " last_modified, final_url, added_at, updated_at, revision)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (new.source, *_columns(new, digest), to_iso(added_at), to_iso(now), revision),
        )
        document_id = int(cursor.lastrowid or 0)
        self._insert_content(document_id, new)
        return Stored(_document(document_id, new.source, new, added_at, now), IngestState.ADDED, revision)

    def _replace(self, old: Document, new: NewDocument, digest: str) -> Stored:
        now = _now()
        revision = self.next_revision()
        added_at = new.added_at or old.added_at
        self.connection.execute(
            "UPDATE documents SET kind = ?, title = ?, characters = ?, passages = ?, content_hash = ?,"
            " etag = ?, last_modified = ?, final_url = ?, added_at = ?, updated_at = ?, revision = ?"
            " WHERE id = ?",
            (*_columns(new, digest), to_iso(added_at), to_iso(now), revision, old.id),
        )
        self.connection.execute("DELETE FROM texts WHERE document_id = ?", (old.id,))
        self.connection.execute("DELETE FROM passages WHERE document_id = ?", (old.id,))
        self.connection.execute("DELETE FROM originals WHERE document_id = ?", (old.id,))
        self._insert_content(old.id, new)
        return Stored(_document(old.id, old.source, new, added_at, now), IngestState.UPDATED, revision)

    def _insert_content(self, document_id: int, new: NewDocument) -> None:
        self.connection.executemany(
            "INSERT INTO texts VALUES (?, ?, ?)",
            (
                (document_id, start, new.text[start : start + PIECE])
                for start in range(0, len(new.text), PIECE)
            ),
        )
        self.connection.executemany(
            "INSERT INTO passages VALUES (?, ?, ?, ?, ?, ?)",
            ((document_id, number, *span) for number, span in enumerate(new.spans, start=1)),
        )
        if new.original is not None:
            self.connection.execute("INSERT INTO originals VALUES (?, ?)", (document_id, new.original))

    def _delete(self, document_id: int) -> None:
        self.connection.execute("DELETE FROM documents WHERE id = ?", (document_id,))
        gone = (document_id, self.next_revision())
        self.connection.execute("INSERT INTO deletions VALUES (?, ?)", gone)

    def _is_cut_otherwise(self, document_id: int, spans: Sequence[Span]) -> bool:
        known = self.connection.execute(
            "SELECT start, length, heading, page FROM passages WHERE document_id = ? ORDER BY number",
            (document_id,),
        )
        return known.fetchall() != list(spans)


def document_of(row: Sequence[Any]) -> Document:
    """A document from a row of `SELECT`."""
    id_, title, source, kind, passages, characters, added_at, updated_at = row
    added, updated = from_iso(added_at), from_iso(updated_at)
    return Document(id_, title, source, SourceKind(kind), passages, characters, added, updated)


def to_iso(moment: datetime) -> str:
    """A time as JavaScript's `toISOString` writes it."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def from_iso(text: str) -> datetime:
    """The time that `to_iso` wrote.

    Raises:
        ValueError: It is not one.
    """
    moment = datetime.fromisoformat(text)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _now() -> datetime:
    """Now, in the milliseconds that are stored."""
    return from_iso(to_iso(datetime.now(UTC)))


def _columns(new: NewDocument, digest: str) -> tuple[object, ...]:
    return (
        new.kind.value,
        new.title,
        len(new.text),
        len(new.spans),
        digest,
        new.etag,
        new.last_modified,
        new.final_url,
    )


def _document(id_: int, source: str, new: NewDocument, added_at: datetime, updated_at: datetime) -> Document:
    return Document(id_, new.title, source, new.kind, len(new.spans), len(new.text), added_at, updated_at)
