"""The source of truth: documents and their passages in an SQLite database.

Every change is one transaction, on the disk when the call returns, and gives each changed document a
revision of its own, so that the index can follow step by step. A `Store` is one connection and belongs to
one thread; a program has several, and so have several programs.
"""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from geekagent_tui.rag import checks, tags, undo
from geekagent_tui.rag.model import Document, IngestState, SourceKind
from geekagent_tui.rag.rows import SELECT, document_of, now, to_iso
from geekagent_tui.rag.schema import migrate

PIECE = 16_384
"""Characters of a text that are stored, and read, together."""

_BUSY_SECONDS = 30.0
"""How long to wait for another process's transaction; ours last milliseconds."""
_TURN_SECONDS = 0.01
"""How long until something is tried again that SQLite does not wait for itself."""


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
        tags: What it is to have beside the tags that it has.
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
    tags: Sequence[str] = ()


class RemovedMeanwhileError(LookupError):
    """A document that was read again has been removed in the meantime."""


class Stored(NamedTuple):
    """What became of a document: ADDED, UPDATED or UNCHANGED, and at which revision (an unchanged one's).

    Attributes:
        tagged: Whether it was given tags that it did not have.
    """

    document: Document
    state: IngestState
    revision: int
    tagged: bool = False


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
            _write_ahead(connection)
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
            document: What to store. When its title and text are the known ones, nothing is written but new
                tags, and once a day that it was looked at, unless it is imported, or read again and cut
                otherwise now.

        Raises:
            RemovedMeanwhileError: It was to be brought up to date, and is not there any more.
        """
        digest = hashlib.sha256(document.text.encode()).hexdigest()
        row = self.connection.execute(
            "SELECT id, title, content_hash, added_at, revision FROM documents WHERE source = ?",
            (document.source,),
        ).fetchone()
        if row is None:
            if document.again:
                raise RemovedMeanwhileError(document.source)
            return self._completed(self._insert(document, digest), document, IngestState.ADDED)
        id_, title, known_digest, added_at, revision = row
        same = (known_digest, title) == (digest, document.title) and not document.imported
        if same and not (document.again and self._is_cut_otherwise(id_, document.spans)):
            return self._completed(id_, document, IngestState.UNCHANGED, revision)
        self._replace(id_, added_at, document, digest)
        return self._completed(id_, document, IngestState.UPDATED)

    def _completed(self, id_: int, new: NewDocument, state: IngestState, revision: int = 0) -> Stored:
        """Record what is known about a stored document besides its text.

        What it costs to find that there is nothing new is no write, or one a day.
        """
        tagged = tags.put(self.connection, id_, new.tags)
        news = not new.imported and checks.passed(self.connection, id_)
        if state is IngestState.UNCHANGED:
            news |= self._note_version(id_, new)
            if news or tagged:
                self.next_revision()
        else:
            revision = self.next_revision()
            self.connection.execute("UPDATE documents SET revision = ? WHERE id = ?", (revision, id_))
        row = self.connection.execute(SELECT + " WHERE id = ?", (id_,)).fetchone()
        return Stored(document_of(row), state, revision, tagged)

    def _note_version(self, id_: int, new: NewDocument) -> bool:
        """Keep which version of a file was found unchanged; pages may have another one at each request."""
        if new.kind is not SourceKind.FILE:
            return False
        cursor = self.connection.execute(
            "UPDATE documents SET etag = ? WHERE id = ? AND etag <> ?", (new.etag, id_, new.etag)
        )
        return cursor.rowcount > 0

    def remove(self, ids: Sequence[int]) -> list[int]:
        """Remove documents in one transaction; return the ids of those that were there.

        They are kept until the next removal, see `undo`.
        """
        with self.writing():
            there = undo.keep(self.connection, ids, to_iso(now()))
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

    def _insert(self, new: NewDocument, digest: str) -> int:
        moment = now()
        added_at = new.added_at or moment
        cursor = self.connection.execute(
            "INSERT INTO documents (source, kind, title, characters, passages, content_hash, etag,"
            " last_modified, final_url, added_at, updated_at, revision)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)",
            (new.source, *_columns(new, digest), to_iso(added_at), to_iso(min(added_at, moment))),
        )
        document_id = int(cursor.lastrowid or 0)
        self._insert_content(document_id, new)
        return document_id

    def _replace(self, id_: int, added_at: str, new: NewDocument, digest: str) -> None:
        added = to_iso(new.added_at) if new.added_at else added_at
        self.connection.execute(
            "UPDATE documents SET kind = ?, title = ?, characters = ?, passages = ?, content_hash = ?,"
            " etag = ?, last_modified = ?, final_url = ?, added_at = ?, updated_at = ? WHERE id = ?",
            (*_columns(new, digest), added, to_iso(now()), id_),
        )
        for table in ("texts", "passages", "originals"):
            self.connection.execute(f"DELETE FROM {table} WHERE document_id = ?", (id_,))  # noqa: S608
        self._insert_content(id_, new)

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


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Use a write-ahead log. SQLite does not wait when several connections turn it on at once: we do.

    Raises:
        sqlite3.OperationalError: Somebody held the database for `_BUSY_SECONDS`.
    """
    deadline = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(_TURN_SECONDS)
        else:
            return
