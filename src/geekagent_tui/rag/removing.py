"""Removing documents by whatever the user calls them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from geekagent_tui.rag.model import Document, IngestResult, IngestState
from geekagent_tui.rag.selecting import meant, unknown
from geekagent_tui.rag.store import Store


def remove(store: Store, names: Sequence[str | int], workspace: Path) -> list[IngestResult]:
    """Remove documents in one transaction.

    Args:
        store: The store.
        names: Ids, sources in any spelling, patterns, or folders.
        workspace: What paths are relative to.

    Returns:
        A result for each document of each name, in order, and one for a name that means none: removed, or
        failed when there is no such document, or not any more.
    """
    found = list(zip(names, meant(store, names, workspace), strict=True))
    removed = set(store.remove([document.id for _, documents in found for document in documents]))
    results = []
    for name, documents in found:
        gone = [document for document in documents if document.id in removed]
        results += [_removed(document) for document in gone] or [_missed(name)]
    return results


def _removed(document: Document) -> IngestResult:
    return IngestResult(
        document.source,
        IngestState.REMOVED,
        document.id,
        document.title,
        document.characters,
        document.passages,
    )


def _missed(name: str | int) -> IngestResult:
    return IngestResult(str(name), IngestState.FAILED, reason=unknown(name))
