"""From a `Selection` to the documents that it means."""

from __future__ import annotations

import json
from pathlib import Path

from geekagent_tui.rag import queries
from geekagent_tui.rag.kinds import ending, endings
from geekagent_tui.rag.model import Selection, SourceKind
from geekagent_tui.rag.rows import to_iso
from geekagent_tui.rag.selecting import named
from geekagent_tui.rag.store import Store
from geekagent_tui.rag.tags import bare, same_as

_NEVER = "~"
"""Behind every time as the database spells it."""


class Selected:
    """The ids that selections mean; the last is remembered until the base changes.

    Args:
        workspace: What paths in selections are relative to.
    """

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace
        self._last: tuple[Selection, int, frozenset[int] | None] = (Selection(), -1, None)

    def ids(self, store: Store, within: Selection | None) -> frozenset[int] | None:
        """The documents that are meant; None for all."""
        if not within:
            return None
        with store.reading():
            revision = queries.revision(store)
            if self._last[:2] != (within, revision):
                found = ids_of(store, within, self._workspace)
                everything = found and len(found) == queries.stats(store).documents
                self._last = (within, revision, None if everything else frozenset(found))
        return self._last[2]


def ids_of(store: Store, within: Selection, workspace: Path) -> list[int]:
    """The ids of the documents for which every given part of a selection holds, in their order.

    Args:
        store: The store.
        within: What is selected; an empty one means every document.
        workspace: What paths in it are relative to.
    """
    where, values = _in_database(store, within)
    columns = "id, source, kind" if within.sources or within.kinds else "id"
    rows = store.connection.execute(f"SELECT {columns} FROM documents{where} ORDER BY id", values)  # noqa: S608
    if columns == "id":
        return [row[0] for row in rows]
    tests = [named(source, workspace) for source in within.sources]
    kinds, names = endings(within.kinds)
    found = []
    for id_, source, word in rows:
        kind = SourceKind(word)
        if within.kinds and kind not in kinds and (not names or ending(source, kind) not in names):
            continue
        if not tests or any(test(source, kind) for test in tests):
            found.append(id_)
    return found


def _in_database(store: Store, within: Selection) -> tuple[str, list[str]]:
    """The parts that the database decides, as a condition and its values."""
    conditions, values = [], []
    if within.documents:
        conditions.append("id IN (SELECT value FROM json_each(?))")
        values.append(json.dumps(within.documents))
    if within.tags:
        wanted = {same_as(bare(tag)) for tag in within.tags}
        spelled = [
            tag
            for (tag,) in store.connection.execute("SELECT DISTINCT tag FROM tags")
            if same_as(tag) in wanted
        ]
        conditions.append(
            "id IN (SELECT document_id FROM tags WHERE tag IN (SELECT value FROM json_each(?)))"
        )
        values.append(json.dumps(spelled))
    if within.since is not None or within.until is not None:
        first = to_iso(within.since) if within.since is not None else ""
        last = to_iso(within.until) if within.until is not None else _NEVER
        conditions.append("(added_at >= ? AND added_at < ? OR updated_at >= ? AND updated_at < ?)")
        values += [first, last] * 2
    return (" WHERE " + " AND ".join(conditions) if conditions else ""), values
