"""The index, and the database that it must reflect, as the one thread sees them that writes the index."""

from __future__ import annotations

import errno
import json
import logging
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from geekagent_tui.i18n import _
from geekagent_tui.rag import queries
from geekagent_tui.rag.errors import RagError, StoreError
from geekagent_tui.rag.prepare import PassageTerms
from geekagent_tui.rag.queries import Changes
from geekagent_tui.rag.store import Store

if TYPE_CHECKING:
    from geekagent_tui.rag.index import Index, IndexedPassage

_T = TypeVar("_T")

Terms = Mapping[int, tuple[PassageTerms, ...]]
"""Documents' passages by document id."""

STEP = 2_000_000
"""Characters of text that one step brings into the index."""
TOMBSTONES = 0.1
"""Share of deleted passages above which the index is made anew: they still count in its statistics."""

_log = logging.getLogger(__name__)


class Follower:
    """Brings the index to the database's state, step by step; Tantivy is loaded at the first.

    Attributes:
        index: The open index; other threads may search it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.index: Index | None = None
        self._counted = False

    def seems_current(self, store: Store) -> bool:
        """Whether the index is known to be up to date, by a file beside it: cheap, without opening it."""
        try:
            state = json.loads((self._folder / "state.json").read_bytes())
            found = state["store_id"], state["revision"]
        except (OSError, ValueError, KeyError, TypeError):
            return queries.is_empty(store)
        return found == (queries.store_id(store), queries.revision(store))

    def is_current(self, store: Store) -> bool:
        """Whether the index, as it is now, reflects the database as it is now.

        Harmless while another process writes it.
        """
        try:
            return self._matches(self._opened(), store)
        except (ValueError, OSError, RagError):
            return False

    def next_step(self, store: Store) -> Changes | None:
        """What the index lacks, or the first part of it; None when it lacks nothing.

        An index of another database, or of a later state of this one, is emptied.
        """
        return self._healed(lambda index: self._next_step(index, store))

    def apply(self, store: Store, changes: Changes, terms: Terms) -> None:
        """Commit one step; without documents, as after a change of tags, it costs one small file."""
        if not changes.deleted and not changes.documents:
            self._healed(lambda index: index.advance(changes.revision, queries.store_id(store)))
            return
        gone = [*changes.deleted, *(document.id for document in changes.documents)]
        store_id = queries.store_id(store)
        self._healed(lambda index: index.apply(gone, _indexed(changes, terms), changes.revision, store_id))

    def is_worn(self, _store: Store) -> bool:
        """Whether so much was deleted that the index should be made anew."""
        return self._healed(lambda index: index.tombstones()) > TOMBSTONES

    def renew(self, store: Store, analysed: Callable[[Changes], Terms]) -> None:
        """Make the index anew, in one commit; until then the old one is searched.

        Args:
            store: The store.
            analysed: Returns the terms of documents; it may raise to give up.
        """
        assert self.index is not None
        revision = queries.revision(store)

        def passages() -> Iterator[IndexedPassage]:
            done = 0
            while done < revision:
                changes = queries.changes(store, done, STEP)
                yield from _indexed(changes, analysed(changes))
                done = changes.revision

        self.index.rebuild(passages(), revision, queries.store_id(store))

    def discard(self) -> None:
        """Let the index be made anew: it is damaged."""
        from geekagent_tui.rag.index import Index

        self.index = None
        Index.discard(self._folder)

    def _next_step(self, index: Index, store: Store) -> Changes | None:
        if self._matches(index, store) and self._is_whole(index, store):
            return None
        store_id = queries.store_id(store)
        if index.store_id != store_id or index.revision >= queries.revision(store):
            index.rebuild((), 0, store_id)
        changes = queries.changes(store, index.revision, STEP)
        return changes if changes.revision > index.revision else None

    def _matches(self, index: Index, store: Store) -> bool:
        index.reload()
        return (index.store_id, index.revision) == (queries.store_id(store), queries.revision(store))

    def _is_whole(self, index: Index, store: Store) -> bool:
        """Whether it has as many passages as the database; asked once, its files may have been lost."""
        if not self._counted:
            with store.reading():
                same = queries.revision(store) == index.revision
                self._counted = same and queries.stats(store).passages == index.count()
                return self._counted or not same
        return True

    def _healed(self, work: Callable[[Index], _T]) -> _T:
        """Do something with the index; when it turns out to be broken, do it with a new one."""
        from geekagent_tui.rag.reader import IndexBrokenError

        try:
            return work(self._opened())
        except (IndexBrokenError, ValueError, OSError) as error:
            if _is_full(error):
                raise StoreError(_("磁盘已满，知识库索引没有更新")) from error
            _log.warning("the index in %s is broken and made anew: %s", self._folder, error)
        try:
            self.discard()
            return work(self._opened())
        except (ValueError, OSError) as error:
            raise StoreError(_("知识库索引不能读写：{reason}").format(reason=error)) from error

    def _opened(self) -> Index:
        if self.index is None:
            from geekagent_tui.rag.index import Index

            self.index = Index.open(self._folder)
            self._counted = False
        return self.index


def _indexed(changes: Changes, terms: Terms) -> Iterator[IndexedPassage]:
    from geekagent_tui.rag.index import IndexedPassage

    for document in changes.documents:
        for number, title, heading, body in terms[document.id]:
            yield IndexedPassage(document.id, number, title, heading, body)


def _is_full(error: Exception) -> bool:
    causes = (error, error.__cause__)  # Tantivy tells it in words only
    return any(getattr(each, "errno", 0) == errno.ENOSPC or "No space left" in str(each) for each in causes)
