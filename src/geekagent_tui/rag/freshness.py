"""Which documents are stale: their file is another one now, or their page was not looked at for long."""

from __future__ import annotations

import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from geekagent_tui.rag.checks import STALE
from geekagent_tui.rag.given import PREFIX
from geekagent_tui.rag.model import SourceKind
from geekagent_tui.rag.raw import file_version
from geekagent_tui.rag.rows import now, to_iso
from geekagent_tui.rag.store import Store

_SELECT = (
    "SELECT id, kind, source, final_url, etag, revision, ifnull(checked_at, ''), updated_at"
    " FROM documents LEFT JOIN checks ON checks.document_id = id"
)


class Known(NamedTuple):
    """What the base has of a source; another value once it was looked at again."""

    id: int
    kind: SourceKind
    source: str
    final_url: str
    version: str
    revision: int
    checked_at: str
    updated_at: str


def known(store: Store, ids: Iterable[int] | None = None) -> dict[int, Known]:
    """What the base has of all sources, or of those of some documents."""
    if ids is None:
        rows = store.connection.execute(_SELECT).fetchall()
    else:
        found = (store.connection.execute(_SELECT + " WHERE id = ?", (id_,)).fetchone() for id_ in ids)
        rows = [row for row in found if row is not None]
    return {row[0]: Known(row[0], SourceKind(row[1]), *row[2:]) for row in rows}


def stale(documents: Mapping[int, Known], workspace: Path) -> dict[int, Known]:
    """Those of some documents that are stale; looks at files, so it blocks.

    What was imported and never read is not: there is nothing to compare it with.
    """
    since = to_iso(now() - STALE)
    return {id_: each for id_, each in documents.items() if _is_stale(each, workspace, since)}


def _is_stale(each: Known, workspace: Path, since: str) -> bool:
    if each.kind is SourceKind.URL:
        return bool(each.final_url) and max(each.checked_at, each.updated_at) < since
    if not each.version or each.source.startswith(PREFIX):
        return False
    try:
        status = (workspace / each.source).stat()
    except (OSError, ValueError):
        return True
    return not stat.S_ISREG(status.st_mode) or file_version(status) != each.version


def still(store: Store, found: Mapping[int, Known]) -> set[int]:
    """The ids of those that were found stale and were not looked at again since."""
    return {id_ for id_, each in known(store, found).items() if each == found[id_]}
