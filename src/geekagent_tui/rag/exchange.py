"""Keeping `index.json` and the database in step.

The database remembers the SHA-256 of the file it last wrote, and before a write that of the file it is about
to write: whatever moment a crash picks, a file of our own is recognised, and documents removed since then
don't come back. A file with any other content was written by somebody else and is taken in.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
from collections.abc import Container, Sequence
from dataclasses import dataclass
from pathlib import Path

from geekagent_tui.files import locked, set_aside, write_atomically
from geekagent_tui.i18n import _
from geekagent_tui.rag import interchange, queries, tags
from geekagent_tui.rag.addresses import is_url
from geekagent_tui.rag.interchange import Entry
from geekagent_tui.rag.model import Document, IngestState, SourceKind
from geekagent_tui.rag.naming import spellings
from geekagent_tui.rag.store import NewDocument, Store

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Exchange:
    """The file of one knowledge base; everything here blocks.

    Attributes:
        folder: Where the file is.
        workspace: What relative sources in it are relative to.
        limit: Passages above which the file is not written any more.
    """

    folder: Path
    workspace: Path
    limit: int

    @property
    def file(self) -> Path:
        """`index.json`."""
        return self.folder / "index.json"

    @property
    def old_file(self) -> Path:
        """What it is renamed to when the knowledge base has outgrown it."""
        return self.folder / "index.old.json"

    def take_in(self, store: Store) -> list[str]:
        """Import the file if somebody else wrote it.

        Returns:
            What the user should know.
        """
        with self._locked():
            return self._take_in(store) + self._tell_retired(store)

    def is_behind(self, store: Store) -> bool:
        """Whether the database has changed since the file was last written, or given up, or it is gone."""
        if int(queries.meta(store, "json_revision") or 0) != queries.revision(store):
            return True
        retired = queries.meta(store, "json_retired") is not None
        return not (retired or queries.is_empty(store) or self.file.exists())

    def write(self, store: Store) -> list[str]:
        """Write the file if it is behind; take in first what somebody else has written.

        Returns:
            What the user should know.

        Raises:
            OSError: It can't be written; it is as before.
        """
        with self._locked():
            if not self.is_behind(store):
                return []
            notices = self._take_in(store)
            if queries.stats(store).passages > self.limit:
                self._retire(store)
            else:
                self._write(store)
            return notices

    def recover(self, store: Store) -> list[str]:
        """Fill a new database from the copy that was given up, when there is no other."""
        if not queries.is_empty(store) or not self.old_file.exists():
            return []
        with self._locked():
            return self._import(store, self.old_file, self.old_file.read_bytes())

    def _locked(self) -> contextlib.AbstractContextManager[None]:
        return locked(self.folder / "index.json.lock")

    def _take_in(self, store: Store) -> list[str]:
        seen = self._seen()
        if seen is None or seen == queries.meta(store, "json_seen"):
            return []
        data = self.file.read_bytes()
        digest = hashlib.sha256(data).hexdigest()
        if digest in (queries.meta(store, "json_hash"), queries.meta(store, "json_pending")):
            store.set_meta(json_hash=digest, json_pending=None, json_seen=seen)
            return []
        return self._import(store, self.file, data, seen)

    def _seen(self) -> str | None:
        """What tells this version of the file from any other without reading it; None when missing."""
        try:
            status = self.file.stat()
        except FileNotFoundError:
            return None
        return f"{status.st_ino} {status.st_size} {status.st_mtime_ns}"

    def _import(self, store: Store, file: Path, data: bytes, seen: str | None = None) -> list[str]:
        try:
            entries, unusable = interchange.parse(data)
        except ValueError as error:
            _log.warning("%s is broken: %s", file, error)
            aside = set_aside(file)
            return [_("{file} 已损坏，已另存为 {aside}").format(file=file.name, aside=aside.name)]
        with store.writing():
            states = [state for _, state in store_entries(store, entries, self.workspace)]
            digest = hashlib.sha256(data).hexdigest()
            store.set_meta(json_hash=digest, json_pending=None, json_seen=seen, json_revision=None)
        notices = []
        if unusable:
            aside = set_aside(file)
            notices.append(
                _("{file} 里有 {n} 个条目无法识别，原文件已另存为 {aside}").format(
                    file=file.name, n=unusable, aside=aside.name
                )
            )
        added, replaced = states.count(IngestState.ADDED), states.count(IngestState.UPDATED)
        if added or replaced:
            notices.append(
                _("已从 {file} 导入：新增 {added} 个文档，更新 {replaced} 个").format(
                    file=file.name, added=added, replaced=replaced
                )
            )
        return notices

    def _write(self, store: Store) -> None:
        with store.reading():
            revision = queries.revision(store)
            data = "".join(interchange.render(queries.everything(store))).encode()
        digest = hashlib.sha256(data).hexdigest()
        store.set_meta(json_pending=digest)
        write_atomically(self.file, data)
        store.set_meta(
            json_hash=digest,
            json_pending=None,
            json_seen=self._seen(),
            json_revision=str(revision),
            json_retired=None,
        )

    def _retire(self, store: Store) -> None:
        """Stop writing the file."""
        if self.file.exists():
            self.file.replace(self.old_file)
        if queries.meta(store, "json_retired") is None:
            store.set_meta(json_retired="untold", json_hash=None, json_seen=None, json_revision=None)

    def _tell_retired(self, store: Store) -> list[str]:
        """Say once that the file is not written any more."""
        if queries.meta(store, "json_retired") != "untold":
            return []
        store.set_meta(json_retired="told")
        return [
            _(
                "知识库超过 {n} 块，不再自动写入 index.json（原文件改名为 {old}），需要时请用 rag export"
            ).format(n=self.limit, old=self.old_file.name)
        ]


def store_entries(
    store: Store, entries: Sequence[Entry], workspace: Path
) -> list[tuple[Document, IngestState]]:
    """Add unknown documents and replace those that differ, inside a transaction; tell what became of each."""
    kept = {each.document.source: each for each in queries.everything(store)}
    stored = []
    for entry, source in zip(entries, _sources(entries, kept, workspace), strict=True):
        known = kept.get(source)
        if known is None or not entry.says_the_same(known):
            stored.append(store.put_one(_new_document(entry, source))[:2])
        elif tags.put(store.connection, known.document.id, entry.tags):
            store.next_revision()
            stored.append((known.document, IngestState.UPDATED))
        else:
            stored.append((known.document, IngestState.UNCHANGED))
    return stored


def _sources(entries: Sequence[Entry], kept: Container[str], workspace: Path) -> list[str]:
    """What each entry is stored under: its proper spelling, unless another document is called so.

    The reference takes two spellings of one page for two documents.
    """
    spelled = [spellings(entry.source, workspace) for entry in entries]
    taken = {typed for typed, proper in spelled if typed == proper or typed in kept}
    sources = []
    for typed, proper in spelled:
        source = typed if typed in taken or proper in taken else proper
        taken.add(source)
        sources.append(source)
    return sources


def _new_document(entry: Entry, source: str) -> NewDocument:
    return NewDocument(
        source,
        SourceKind.URL if is_url(source) else SourceKind.FILE,
        entry.title,
        entry.text,
        entry.spans,
        added_at=entry.added_at,
        imported=True,
        original=entry.original(source),
        tags=entry.tags,
    )
