"""The database's tables, as numbered migrations.

A migration is never changed once released: what comes later is a new one at the end.
"""

from __future__ import annotations

import sqlite3
import uuid

from geekagent_tui.i18n import _
from geekagent_tui.rag.errors import StoreTooNewError

_FIRST = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
    # AUTOINCREMENT: an id is never used again, so that an old citation can't open another document
    """CREATE TABLE documents (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        source TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL CHECK (kind IN ('url', 'file')),
        title TEXT NOT NULL,
        characters INTEGER NOT NULL,
        passages INTEGER NOT NULL,
        content_hash TEXT NOT NULL,
        etag TEXT NOT NULL DEFAULT '',
        last_modified TEXT NOT NULL DEFAULT '',
        final_url TEXT NOT NULL DEFAULT '',
        added_at TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        revision INTEGER NOT NULL UNIQUE
    ) STRICT""",
    # In pieces: showing one passage must not read a document of two million characters
    """CREATE TABLE texts (
        document_id INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
        start INTEGER NOT NULL,
        text TEXT NOT NULL,
        PRIMARY KEY (document_id, start)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE passages (
        document_id INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
        number INTEGER NOT NULL,
        start INTEGER NOT NULL,
        length INTEGER NOT NULL,
        heading TEXT NOT NULL DEFAULT '',
        PRIMARY KEY (document_id, number)
    ) STRICT, WITHOUT ROWID""",
    # Entries of index.json that can't be written back from the tables without loss
    """CREATE TABLE originals (
        document_id INTEGER PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
        entry TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE deletions (
        document_id INTEGER PRIMARY KEY,
        revision INTEGER NOT NULL UNIQUE
    ) STRICT""",
    "INSERT INTO meta VALUES ('revision', '0')",
)

_PAGES = ("ALTER TABLE passages ADD COLUMN page INTEGER NOT NULL DEFAULT 0",)

# The documents of the last removal, to undo it; `undo` moves them
_REMOVED = (
    """CREATE TABLE removed (
        id INTEGER PRIMARY KEY,
        removed_at TEXT NOT NULL,
        source TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL,
        title TEXT NOT NULL,
        characters INTEGER NOT NULL,
        passages INTEGER NOT NULL,
        content_hash TEXT NOT NULL,
        etag TEXT NOT NULL,
        last_modified TEXT NOT NULL,
        final_url TEXT NOT NULL,
        added_at TEXT NOT NULL,
        updated_at TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE removed_texts (
        document_id INTEGER NOT NULL REFERENCES removed (id) ON DELETE CASCADE,
        start INTEGER NOT NULL,
        text TEXT NOT NULL,
        PRIMARY KEY (document_id, start)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE removed_passages (
        document_id INTEGER NOT NULL REFERENCES removed (id) ON DELETE CASCADE,
        number INTEGER NOT NULL,
        start INTEGER NOT NULL,
        length INTEGER NOT NULL,
        heading TEXT NOT NULL,
        page INTEGER NOT NULL,
        PRIMARY KEY (document_id, number)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE removed_originals (
        document_id INTEGER PRIMARY KEY REFERENCES removed (id) ON DELETE CASCADE,
        entry TEXT NOT NULL
    ) STRICT""",
)

# What is known about a document besides its text. A change of these gives the base a new revision, but not
# the document: its terms stay as they are.
_ABOUT = (
    """CREATE TABLE tags (
        document_id INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
        tag TEXT NOT NULL,
        PRIMARY KEY (document_id, tag)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE removed_tags (
        document_id INTEGER NOT NULL REFERENCES removed (id) ON DELETE CASCADE,
        tag TEXT NOT NULL,
        PRIMARY KEY (document_id, tag)
    ) STRICT, WITHOUT ROWID""",
    # At most one write a day for a document that has not changed
    """CREATE TABLE checks (
        document_id INTEGER PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
        checked_at TEXT NOT NULL DEFAULT '',
        problem TEXT NOT NULL DEFAULT ''
    ) STRICT""",
    """CREATE TABLE removed_checks (
        document_id INTEGER PRIMARY KEY REFERENCES removed (id) ON DELETE CASCADE,
        checked_at TEXT NOT NULL,
        problem TEXT NOT NULL
    ) STRICT""",
)

# One row a document: its passages' vectors, one after another, of the text at that revision
_VECTORS = (
    """CREATE TABLE vectors (
        document_id INTEGER PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
        revision INTEGER NOT NULL,
        model TEXT NOT NULL,
        data BLOB NOT NULL
    ) STRICT""",
)

MIGRATIONS: tuple[tuple[str, ...], ...] = (_FIRST, _PAGES, _REMOVED, _ABOUT, _VECTORS)
"""Statements that lead from version n to version n + 1, by n."""


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a database, which may be empty, to the present version, in one transaction.

    Raises:
        StoreTooNewError: A newer program wrote it.
        sqlite3.Error: It is broken or can't be written.
    """
    if _version(connection) == len(MIGRATIONS):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = _version(connection)  # another process may have been faster
        if version > len(MIGRATIONS):
            raise StoreTooNewError(
                _("知识库由更新版本的程序写入（版本 {found}，本程序支持到 {known}），请升级后再打开").format(
                    found=version, known=len(MIGRATIONS)
                )
            )
        for statements in MIGRATIONS[version:]:
            for statement in statements:
                connection.execute(statement)
        connection.execute("INSERT OR IGNORE INTO meta VALUES ('store_id', ?)", (str(uuid.uuid4()),))
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
