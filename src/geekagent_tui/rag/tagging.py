"""Tags of a whole base: giving, taking, counting.

A tag is spelled as it was first, except where another program's index.json says otherwise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from geekagent_tui.i18n import _
from geekagent_tui.rag.model import Document, IngestResult, IngestState
from geekagent_tui.rag.selecting import meant, unknown
from geekagent_tui.rag.store import Store
from geekagent_tui.rag.tags import clean_tags, in_order, same_as


def proper(store: Store, typed: Iterable[str]) -> tuple[str, ...]:
    """Tags as they are spelled already, new ones as they were typed.

    Raises:
        TagError: One of them can't be a tag.
    """
    names = clean_tags(typed)
    known = {same_as(tag): tag for tag in counts(store)} if names else {}
    return tuple(known.get(same_as(name), name) for name in names)


def counts(store: Store) -> dict[str, int]:
    """All tags in the order of their names, and how many documents have each."""
    spelled: dict[str, str] = {}
    found: Counter[str] = Counter()
    for tag, count in store.connection.execute("SELECT tag, count(*) FROM tags GROUP BY tag ORDER BY tag"):
        found[spelled.setdefault(same_as(tag), tag)] += count
    return {tag: found[tag] for tag in in_order(found)}


def change(
    store: Store, names: Sequence[str | int], add: Iterable[str], remove: Iterable[str], workspace: Path
) -> list[IngestResult]:
    """Give documents some tags and take others from them, in one transaction.

    Args:
        store: The store.
        names: Ids, sources in any spelling, patterns, or folders.
        add: Tags to give; one that is in `remove` as well is spelled anew.
        remove: Tags to take.
        workspace: What paths are relative to.

    Returns:
        A result for each document, in order, and one for a name that means none: UPDATED, UNCHANGED when it
        has these tags already, or FAILED.

    Raises:
        TagError: One of them can't be a tag; nothing was changed.
    """
    old = {same_as(tag) for tag in clean_tags(remove)}
    typed = clean_tags(add)
    with store.writing() as connection:
        new = [
            tag if same_as(tag) in old else known
            for tag, known in zip(typed, proper(store, typed), strict=True)
        ]
        found = list(zip(names, meant(store, names, workspace), strict=True))
        changes = {
            document.id: tags
            for _name, documents in found
            for document in documents
            if (tags := _changed(document.tags, new, old)) != document.tags
        }
        for id_, tags in changes.items():
            connection.execute("DELETE FROM tags WHERE document_id = ?", (id_,))
            connection.executemany("INSERT INTO tags VALUES (?, ?)", [(id_, tag) for tag in tags])
        if changes:
            store.next_revision()
    results = []
    for name, documents in found:
        results += [_result(document, document.id in changes) for document in documents] or [_missed(name)]
    return results


def _changed(tags: Sequence[str], new: Iterable[str], old: set[str]) -> tuple[str, ...]:
    kept = {same_as(tag): tag for tag in tags if same_as(tag) not in old}
    return in_order({**{same_as(tag): tag for tag in new}, **kept}.values())


def _result(document: Document, changed: bool) -> IngestResult:
    return IngestResult(
        document.source,
        IngestState.UPDATED if changed else IngestState.UNCHANGED,
        document.id,
        document.title,
        document.characters,
        document.passages,
        "" if changed else _("标签没有变化"),
    )


def _missed(name: str | int) -> IngestResult:
    return IngestResult(str(name), IngestState.FAILED, reason=unknown(name))
