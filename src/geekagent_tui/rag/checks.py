"""When a source was last compared with what is known of it, and what went wrong since."""

from __future__ import annotations

import sqlite3
from datetime import timedelta

from geekagent_tui.rag.rows import now, to_iso

EXACT = timedelta(days=1)
"""How far the recorded time may lie behind: what has not changed costs no more than one write a day."""
STALE = timedelta(days=30)
"""How long a web page counts as looked at."""


def passed(connection: sqlite3.Connection, document_id: int) -> bool:
    """A document's source could be read; inside a transaction.

    Returns:
        Whether lists show the document otherwise now: it had a problem, or was not looked at for a long time.
    """
    checked_at, problem = _known(connection, document_id)
    moment = now()
    if problem or checked_at < to_iso(moment - EXACT):
        _write(connection, document_id, to_iso(moment), "")
    return bool(problem) or checked_at < to_iso(moment - STALE)


def failed(connection: sqlite3.Connection, document_id: int, problem: str) -> bool:
    """A document's source could not be read; inside a transaction.

    Args:
        connection: The database.
        document_id: The document.
        problem: Why, as a sentence.

    Returns:
        Whether that was not known.
    """
    checked_at, known = _known(connection, document_id)
    if known != problem:
        _write(connection, document_id, checked_at, problem)
    return known != problem


def _known(connection: sqlite3.Connection, document_id: int) -> tuple[str, str]:
    row = connection.execute(
        "SELECT checked_at, problem FROM checks WHERE document_id = ?", (document_id,)
    ).fetchone()
    return row or ("", "")


def _write(connection: sqlite3.Connection, document_id: int, checked_at: str, problem: str) -> None:
    connection.execute("INSERT OR REPLACE INTO checks VALUES (?, ?, ?)", (document_id, checked_at, problem))
