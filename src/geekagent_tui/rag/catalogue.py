"""The half of the knowledge base's door that is about the documents which are in it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from geekagent_tui.i18n import _
from geekagent_tui.rag import freshness, queries, removing, tagging, undo
from geekagent_tui.rag.errors import UnknownDocumentError
from geekagent_tui.rag.freshness import Known
from geekagent_tui.rag.lane import Lane
from geekagent_tui.rag.model import (
    Badge,
    Document,
    DocumentText,
    IngestResult,
    Selection,
    Stats,
)
from geekagent_tui.rag.naming import spellings
from geekagent_tui.rag.selection import ids_of
from geekagent_tui.rag.settling import Settling
from geekagent_tui.rag.store import Store


class Catalogue:
    """Lists documents, and changes what is known about them.

    Args:
        read: The thread that reads the database.
        write: The thread that writes it.
        settling: What follows every change.
        workspace: What paths are relative to.
    """

    def __init__(self, read: Lane[Store], write: Lane[Store], settling: Settling, workspace: Path) -> None:
        self._read = read
        self._write = write
        self._settling = settling
        self._workspace = workspace
        self._stale: Mapping[int, Known] = {}

    async def documents(self, within: Selection | None = None) -> list[Document]:
        """All documents, or those of a selection, in the order in which they were added."""
        return await self._read.run(_documents, within, self._workspace, self._stale)

    async def document(self, id: int) -> DocumentText:  # noqa: A002  # the contract's name
        """A document with its text and passages.

        Raises:
            UnknownDocumentError: There is none with this id.
        """
        found = await self._read.run(_document_text, id, self._stale)
        if found is None:
            raise UnknownDocumentError(_("知识库里没有编号为 {id} 的文档").format(id=id))
        return found

    async def find(self, source: str) -> Document | None:
        """The document of a source, however it is spelled."""
        return await self._read.run(_find, source, self._workspace, self._stale)

    async def stats(self) -> Stats:
        """How much there is."""
        return await self._read.run(queries.stats)

    async def remove(self, sources: Sequence[str | int]) -> list[IngestResult]:
        """Remove documents.

        Args:
            sources: Ids, sources in any spelling, patterns such as `notes/*.md`, or folders.

        Returns:
            A result for each document, in order; FAILED for words that mean none.
        """
        return await self._settling.change(self._write.start(removing.remove, sources, self._workspace))

    async def undo_remove(self) -> list[IngestResult]:
        """Bring back what the last removal took, if that is not longer ago than `undo.KEPT`.

        Returns:
            A result for each document: ADDED, or SKIPPED when its source was added again. Empty when there
            is nothing to undo.
        """
        return await self._settling.change(self._write.start(undo.restore))

    async def tag(
        self, names: Sequence[str | int], *, add: Sequence[str] = (), remove: Sequence[str] = ()
    ) -> list[IngestResult]:
        """Give documents some tags and take others from them, in one transaction.

        Args:
            names: Ids, sources in any spelling, patterns, or folders.
            add: Tags to give.
            remove: Tags to take.

        Returns:
            A result for each document, in order: UPDATED, or UNCHANGED when it has these tags already; FAILED
            for words that mean none.

        Raises:
            TagError: One of them can't be a tag; nothing was changed.
        """
        work = self._write.start(tagging.change, names, add, remove, self._workspace)
        return await self._settling.change(work)

    async def tags(self) -> dict[str, int]:
        """All tags in the order of their names, and how many documents have each."""
        return await self._read.run(tagging.counts)

    async def look_for_stale(self) -> bool:
        """Compare files with what was read, and see how long ago web pages were looked at; asks no server.

        Lists show `Badge.STALE` from then on, until the document is read again.

        Returns:
            Whether others are stale than the last time.
        """
        documents = await self._read.run(freshness.known)
        found = await asyncio.to_thread(freshness.stale, documents, self._workspace)
        changed = found != self._stale
        self._stale = found
        return changed


def _documents(
    store: Store, within: Selection | None, workspace: Path, stale: Mapping[int, Known]
) -> list[Document]:
    with store.reading():
        ids = ids_of(store, within, workspace) if within else None
        found = queries.documents(store, ids)
        old = freshness.still(store, stale)
    return [_with_badge(each, old) if each.id in old else each for each in found]


def _document_text(store: Store, id_: int, stale: Mapping[int, Known]) -> DocumentText | None:
    found = queries.document_text(store, id_)
    if found is None or id_ not in stale:
        return found
    return replace(found, document=_with_badge(found.document, freshness.still(store, {id_: stale[id_]})))


def _find(store: Store, source: str, workspace: Path, stale: Mapping[int, Known]) -> Document | None:
    found = queries.by_source(store, spellings(source, workspace))
    if found is None or found.id not in stale:
        return found
    return _with_badge(found, freshness.still(store, {found.id: stale[found.id]}))


def _with_badge(document: Document, stale: set[int]) -> Document:
    if document.id not in stale or document.badge is Badge.FAILED:
        return document
    return replace(document, badge=Badge.STALE)
