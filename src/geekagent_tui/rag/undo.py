"""The last removal, kept for some time so that it can be undone.

A removed document comes back under its old id, so that old citations open it again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from geekagent_tui.i18n import _
from geekagent_tui.rag.model import IngestResult, IngestState

if TYPE_CHECKING:
    from geekagent_tui.rag.store import Store

KEPT = timedelta(days=30)
"""How long a removal can be undone, when no other one follows."""

_COLUMNS = (
    "id, source, kind, title, characters, passages, content_hash, etag, last_modified, final_url,"
    " added_at, updated_at"
)
_CONTENT = ("texts", "passages", "originals", "tags", "checks")
"""Tables whose rows belong to documents; what is removed goes to `removed_…` of the same shape."""


def keep(connection: sqlite3.Connection, ids: Sequence[int], now: str) -> list[int]:
    """Keep documents that are about to be removed, instead of those kept before; inside a transaction.

    Args:
        connection: The database.
        ids: Documents, of which those that are there are kept.
        now: The time, as `to_iso` writes it.

    Returns:
        The ids of those that are there. When none is, what was kept before stays.
    """
    ask = "SELECT 1 FROM documents WHERE id = ?"
    there = [id_ for id_ in dict.fromkeys(ids) if connection.execute(ask, (id_,)).fetchone()]
    if there:
        connection.execute("DELETE FROM removed")
    for id_ in there:
        connection.execute(
            f"INSERT INTO removed (removed_at, {_COLUMNS}) SELECT ?, {_COLUMNS} FROM documents"  # noqa: S608
            " WHERE id = ?",
            (now, id_),
        )
        for table in _CONTENT:
            connection.execute(
                f"INSERT INTO removed_{table} SELECT * FROM {table} WHERE document_id = ?",  # noqa: S608
                (id_,),
            )
    return there


def restore(store: Store) -> list[IngestResult]:
    """Undo the last removal in one transaction.

    Returns:
        A result for each document: ADDED, or SKIPPED when its source has been added again since. Empty when
        there is nothing to undo.
    """
    forget_old(store)
    with store.writing() as connection:
        rows = connection.execute(
            "SELECT id, source, title, characters, passages FROM removed ORDER BY id"
        ).fetchall()
        results = [_restored(store, *row) for row in rows]
        connection.execute("DELETE FROM removed")
    return results


def forget_old(store: Store) -> None:
    """Let go of a removal that is too old to be undone; writes nothing when there is none."""
    since = (datetime.now(UTC) - KEPT).isoformat()
    if store.connection.execute("SELECT 1 FROM removed WHERE removed_at < ? LIMIT 1", (since,)).fetchone():
        with store.writing() as connection:
            connection.execute("DELETE FROM removed WHERE removed_at < ?", (since,))


def _restored(
    store: Store, id_: int, source: str, title: str, characters: int, passages: int
) -> IngestResult:
    connection = store.connection
    if connection.execute("SELECT 1 FROM documents WHERE source = ?", (source,)).fetchone():
        reason = _("{source} 已重新加入知识库，没有恢复旧的一份").format(source=source)
        return IngestResult(source, IngestState.SKIPPED, None, title, characters, passages, reason)
    connection.execute(
        f"INSERT INTO documents ({_COLUMNS}, revision) SELECT {_COLUMNS}, ? FROM removed"  # noqa: S608
        " WHERE id = ?",
        (store.next_revision(), id_),
    )
    for table in _CONTENT:
        connection.execute(
            f"INSERT INTO {table} SELECT * FROM removed_{table} WHERE document_id = ?",  # noqa: S608
            (id_,),
        )
    connection.execute("DELETE FROM deletions WHERE document_id = ?", (id_,))
    return IngestResult(source, IngestState.ADDED, id_, title, characters, passages)
