"""A document's row in the database → the value that others see."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from geekagent_tui.rag.model import Badge, Document, SourceKind
from geekagent_tui.rag.tags import in_order

SELECT = (
    "SELECT id, title, source, kind, passages, characters, added_at, updated_at,"
    # No tag has a comma, which is what joins them
    " (SELECT group_concat(tag) FROM tags WHERE document_id = id), checked_at, problem"
    " FROM documents LEFT JOIN checks ON checks.document_id = id"
)
"""Reads what `document_of` takes."""

FRESH = timedelta(hours=24)
"""How long a document is called new or changed."""


def document_of(row: Sequence[Any]) -> Document:
    """A document from a row of `SELECT`; whether its source is stale, no row tells."""
    id_, title, source, kind, passages, characters, added_at, updated_at, tags, checked_at, problem = row
    added, updated = from_iso(added_at), from_iso(updated_at)
    return Document(
        id_,
        title,
        source,
        SourceKind(kind),
        passages,
        characters,
        added,
        updated,
        in_order(tags.split(",")) if tags else (),
        from_iso(checked_at) if checked_at else None,
        problem or "",
        _badge(added, updated, problem),
    )


def to_iso(moment: datetime) -> str:
    """A time as JavaScript's `toISOString` writes it; such texts are in the order of their times."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def from_iso(text: str) -> datetime:
    """The time that `to_iso` wrote.

    Raises:
        ValueError: It is not one.
    """
    moment = datetime.fromisoformat(text)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def now() -> datetime:
    """Now, in the milliseconds that are stored."""
    return from_iso(to_iso(datetime.now(UTC)))


def _badge(added: datetime, updated: datetime, problem: str | None) -> Badge | None:
    if problem:
        return Badge.FAILED
    since = datetime.now(UTC) - FRESH
    if updated > added and updated > since:
        return Badge.CHANGED
    return Badge.NEW if added > since else None
