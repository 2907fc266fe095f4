"""The full-text index: passages by their terms, over Tantivy in a folder of its own.

It is derived from the store and disposable: whatever is wrong with it, it is emptied, and whoever opened it
fills it again. Tantivy’s BM25 is the reference’s formula (k1 1.2, b 0.75, idf = ln(1 + (N−df+½)/(df+½)))
with lengths rounded to one byte; deleted passages count in N and df until their segment is merged.

One thread may write while others search. Between processes the writer is locked for the time of one commit.
"""

from __future__ import annotations

import contextlib
import json
import random
import shutil
import time
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import tantivy

from geekagent_tui.files import locked, private_folder, write_atomically
from geekagent_tui.i18n import _
from geekagent_tui.rag import analysis
from geekagent_tui.rag.analysis import Terms
from geekagent_tui.rag.errors import RagError
from geekagent_tui.rag.fields import IndexedPassage, entry, schema
from geekagent_tui.rag.reader import IndexBrokenError, Reader, Scored, damage_reported

__all__ = ["Index", "IndexBrokenError", "IndexBusyError", "IndexedPassage", "Scored"]

_HEAP = 64_000_000
"""Bytes a writer may fill before it writes a segment."""
_LOCK_WAIT = 20.0
"""Seconds to wait for another process's commit, which may include a merge."""
_STATE = "state.json"
_SEGMENTS = "segments"


class IndexBusyError(RagError):
    """Another process kept the index's writer for too long."""

    code = "index_busy"


class Index:
    """An open index; get one with `Index.open`.

    Attributes:
        revision: The store's revision that it reflects; 0 when fresh.
        store_id: The store that it reflects; empty when fresh.
    """

    def __init__(self, folder: Path, index: tantivy.Index) -> None:
        self._folder = folder
        self._index = index
        self.revision = 0
        self.store_id = ""
        self.reload()

    @classmethod
    def open(cls, folder: Path) -> Index:
        """Open the index in a folder of its own, and make it when it is missing.

        One that can't be read, or whose terms another version of the analysis made, is deleted and begun
        anew: `fresh` tells.

        Raises:
            OSError: The folder can't be made or written.
        """
        private_folder(folder)
        segments = folder / _SEGMENTS
        with locked(folder / "open.lock"):
            index = _opened(segments) if _read_state(folder) else None
            if index is None:
                shutil.rmtree(segments, ignore_errors=True)
                index = tantivy.Index(schema(), str(private_folder(segments)))
                _write_state(folder, 0, "")
        _prepare(index)
        return cls(folder, index)

    @staticmethod
    def discard(folder: Path) -> None:
        """Make the next `open` begin anew."""
        (folder / _STATE).unlink(missing_ok=True)

    @property
    def fresh(self) -> bool:
        """Whether it reflects no store yet, so that it has to be filled from nothing."""
        return not self.store_id

    def reload(self) -> None:
        """See what has been committed since, by any process."""
        state = _read_state(self._folder) or _State(0, "")
        self._index.reload()
        self._reader = Reader(self._index.searcher(), self._index.schema)
        self.revision, self.store_id = state.revision, state.store_id

    def count(self) -> int:
        """How many passages can be found."""
        return self._reader.count()

    def tombstones(self) -> float:
        """The share of passages that are deleted but still count in the statistics, 0 to 1."""
        meta = json.loads((self._folder / _SEGMENTS / "meta.json").read_bytes())
        total = sum(segment["max_doc"] for segment in meta["segments"])
        deleted = sum((segment["deletes"] or {}).get("num_deleted_docs", 0) for segment in meta["segments"])
        return deleted / total if total else 0.0

    def apply(
        self, deleted: Iterable[int], added: Iterable[IndexedPassage], revision: int, store_id: str
    ) -> None:
        """Bring the index to a revision of the store, in one commit, and see it.

        Applying the same again changes nothing: the documents of `added` are deleted first. Nothing is
        done when another process has brought it there meanwhile.

        Args:
            deleted: Ids of documents that are gone.
            added: The passages of new and changed documents, those of one document together.
            revision: The store's revision that the index reflects afterwards.
            store_id: The store's id.

        Raises:
            IndexBusyError: Another process writes for too long.
            IndexBrokenError: The index's files are damaged.
        """
        with self._writer() as writer, damage_reported():
            state = _read_state(self._folder)
            if state and state.store_id == store_id and state.revision >= revision:
                return
            for document_id in deleted:
                writer.delete_documents_by_term("document", document_id)
            self._add(writer, added, replace=True)
            self._commit(writer, revision, store_id)

    def advance(self, revision: int, store_id: str) -> None:
        """Reflect a later revision of the store with the same passages; nobody else may write meanwhile."""
        _write_state(self._folder, revision, store_id)
        self.reload()

    def rebuild(self, added: Iterable[IndexedPassage], revision: int, store_id: str) -> None:
        """Replace everything by the passages of a whole store, in one commit; also forgets deleted ones.

        Raises:
            IndexBusyError: Another process writes for too long.
            IndexBrokenError: The index's files are damaged.
        """
        with self._writer() as writer, damage_reported():
            writer.delete_all_documents()
            self._add(writer, added, replace=False)
            self._commit(writer, revision, store_id)

    def reader(self) -> Reader:
        """What can be found now; later commits don't change it."""
        return self._reader

    def search(self, query: Terms, limit: int, documents: Collection[int] | None = None) -> list[Scored]:
        """`Reader.search` on what can be found now."""
        return self._reader.search(query, limit, documents)

    @contextlib.contextmanager
    def _writer(self) -> Iterator[tantivy.IndexWriter]:
        """The only writer of all processes; let go of, with its merges done, whatever happens."""
        deadline = time.monotonic() + _LOCK_WAIT
        pause = 0.01
        while True:
            try:
                writer = self._index.writer(_HEAP, num_threads=1)
                break
            except ValueError as error:
                if "LockBusy" not in str(error):
                    raise IndexBrokenError(_("知识库索引已损坏，需要重新建立")) from error
                if time.monotonic() > deadline:
                    message = _("知识库索引正被另一个进程占用，请稍后重试")
                    raise IndexBusyError(message) from error
            time.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311  # spreads the waiting processes
            pause = min(pause * 1.5, 0.25)
        try:
            yield writer
        finally:
            writer.wait_merging_threads()

    def _add(self, writer: tantivy.IndexWriter, added: Iterable[IndexedPassage], *, replace: bool) -> None:
        seen: set[int] = set()
        for passage in added:
            if replace and passage.document_id not in seen:
                seen.add(passage.document_id)
                writer.delete_documents_by_term("document", passage.document_id)
            writer.add_document(entry(passage))

    def _commit(self, writer: tantivy.IndexWriter, revision: int, store_id: str) -> None:
        writer.commit()
        _write_state(self._folder, revision, store_id)
        self.reload()


@dataclass(frozen=True, slots=True)
class _State:
    revision: int
    store_id: str


def _prepare(index: tantivy.Index) -> None:
    """What Tantivy doesn't keep on disk. A manual reader has no thread that watches the folder."""
    spaces = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
    index.register_tokenizer("spaces", spaces)
    index.config_reader("manual")


def _opened(folder: Path) -> tantivy.Index | None:
    """The index in a folder; None when it is missing, broken or of another schema."""
    try:
        with damage_reported():
            return tantivy.Index(schema(), str(folder))
    except (IndexBrokenError, OSError):
        return None


def _read_state(folder: Path) -> _State | None:
    """What the index reflects; None when that is unknown or its terms are another version's."""
    try:
        state = json.loads((folder / _STATE).read_bytes())
        known = state["version"] == analysis.VERSION
        return _State(int(state["revision"]), str(state["store_id"])) if known else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _write_state(folder: Path, revision: int, store_id: str) -> None:
    state = {"version": analysis.VERSION, "revision": revision, "store_id": store_id}
    write_atomically(folder / _STATE, json.dumps(state).encode())
