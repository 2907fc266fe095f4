"""Long-term memory: `memory.json`, a list of strings that several programs may write."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Sequence
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from geekagent_tui.agent.memory_times import Times, key_of, read_times, write_times
from geekagent_tui.files import locked, private_folder, set_aside, write_atomically
from geekagent_tui.i18n import _
from geekagent_tui.reasons import reason_of
from geekagent_tui.seals import Seals

if TYPE_CHECKING:
    from geekagent_tui.agent.memory_search import MemoryHit, MemoryIndex

ENTRY_LENGTH = 4000
"""Characters of one entry; longer ones are cut (the reference's cap)."""

_Change = Callable[[tuple[str, ...]], tuple[str, ...]]
_log = logging.getLogger(__name__)


class Written(StrEnum):
    """What became of an entry."""

    NEW = "new"
    CUT = "cut"
    KNOWN = "known"


class MemoryChangeError(Exception):
    """An entry can't be changed as wished; the text is a sentence that says why."""


class Memory:
    """The entries of long-term memory, oldest first.

    Attributes:
        entries: As of the last look at the file.
    """

    def __init__(self, path: Path) -> None:
        self.entries: tuple[str, ...] = ()
        self._notices: list[str] = []
        self._path = path
        self._times_file = path.with_suffix(".meta.json")
        self._index: MemoryIndex | None = None
        self._seals = Seals("memory", path.parent)

    def take_notices(self) -> list[str]:
        """The notices that nobody has taken yet."""
        taken, self._notices = self._notices, []
        return taken

    async def load(self) -> tuple[str, ...]:
        """Read the file; a broken one is set aside with a notice, one that can't be read is left alone."""
        try:
            self.entries = await asyncio.to_thread(self._read)
        except OSError as error:
            sentence = _("memory.json 读取失败（{reason}），这次不使用长期记忆")
            self._notices.append(sentence.format(reason=reason_of(error)))
            self.entries = ()
        return self.entries

    async def write(self, content: str) -> tuple[Written, str]:
        """Keep an entry; return what became of it and the entry as kept.

        Raises:
            OSError: The disk is full or the folder is read-only; memory is as before.
        """
        entry = content.strip()[:ENTRY_LENGTH]
        before = await self._changed(lambda entries: entries if entry in entries else (*entries, entry))
        if entry in before:
            return Written.KNOWN, entry
        return (Written.CUT if len(content.strip()) > ENTRY_LENGTH else Written.NEW), entry

    async def replace(self, old: Sequence[str], new: str) -> None:
        """Put an entry in the place of one or several others.

        Args:
            old: The entries as they are now; the new one takes the first one's place.
            new: Any text; blank only removes them.

        Raises:
            MemoryChangeError: One of them is gone, the new one is there already or too long.
            OSError: The disk is full or the folder is read-only; memory is as before.
        """
        entry = new.strip()
        if len(entry) > ENTRY_LENGTH:
            told = _("内容太长（{n} 字），一条记忆最多 {limit} 字，没有改动")
            raise MemoryChangeError(told.format(n=len(entry), limit=ENTRY_LENGTH))

        def change(entries: tuple[str, ...]) -> tuple[str, ...]:
            if not set(old) <= set(entries):
                raise MemoryChangeError(_("这条记忆已被别处改动，请用 /memory 重新查看"))
            if entry in entries and entry not in old:
                raise MemoryChangeError(_("这条记忆已经存在"))
            changed = [entry if each == old[0] else each for each in entries if each not in old[1:]]
            return tuple(each for each in changed if each)

        await self._changed(change, old)

    async def times(self) -> dict[str, Times]:
        """When entries were written, by the entry; those of other programs have no times."""
        kept = await asyncio.to_thread(read_times, self._times_file)
        return {entry: kept[key] for entry in self.entries if (key := key_of(entry)) in kept}

    async def search(self, query: str, limit: int, *, floor: float = 0.0) -> tuple[MemoryHit, ...]:
        """The pieces of memory that fit a query best.

        Args:
            query: Any text.
            limit: How many at most.
            floor: The share of the query's weight that a piece must hold, 0 to 1.
        """
        entries = await self.load()
        if not entries:
            return ()
        return await asyncio.to_thread(self._search, entries, query, limit, floor)

    async def from_elsewhere(self, found: Sequence[MemoryHit]) -> bool:
        """Whether any of these pieces was not written here, but by another program or in another folder."""
        return bool(found) and await asyncio.to_thread(self._from_elsewhere, found)

    def _from_elsewhere(self, found: Sequence[MemoryHit]) -> bool:
        kept = read_times(self._times_file)
        entries = self._index.entries if self._index is not None else ()
        for piece in found:
            entry = entries[piece.entry - 1] if piece.entry <= len(entries) else ""
            times = kept.get(key_of(entry))
            if times is None or piece.text not in entry or not self._seals.fits(times.seal, entry):
                return True
        return False

    def _search(self, entries: Sequence[str], query: str, limit: int, floor: float) -> tuple[MemoryHit, ...]:
        from geekagent_tui.agent.memory_search import MemoryIndex  # loads the analysis

        if self._index is None or self._index.entries != tuple(entries):
            self._index = MemoryIndex(entries)
        return self._index.search(query, limit, floor)

    def _read(self) -> tuple[str, ...]:
        try:
            value = json.loads(self._path.read_bytes())
            if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
                raise ValueError(_("memory.json 必须是字符串数组"))
        except FileNotFoundError:
            return ()
        except (ValueError, RecursionError) as error:
            aside = set_aside(self._path)
            sentence = _("memory.json 读取失败（{reason}），已另存为 {name}")
            self._notices.append(sentence.format(reason=reason_of(error), name=aside.name))
            return ()
        return tuple(item.strip() for item in value if item.strip())

    async def _changed(self, change: _Change, replaced: Sequence[str] = ()) -> tuple[str, ...]:
        """Change the file; returns the entries as they were before."""
        before, self.entries = await asyncio.to_thread(self._apply, change, replaced)
        return before

    def _apply(self, change: _Change, replaced: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        private_folder(self._path.parent)
        with locked(self._path.with_suffix(".lock")):
            before = self._read()
            after = change(before)
            if after != before:
                text = json.dumps(after, ensure_ascii=False, indent=2) + "\n"
                write_atomically(self._path, text.encode("utf-8", "replace"))
                self._stamp(before, after, replaced)
            return before, after

    def _stamp(self, before: Sequence[str], after: Sequence[str], replaced: Sequence[str]) -> None:
        """Note the time of what is new; memory is safe already, and does without."""
        times, moment = read_times(self._times_file), datetime.now().astimezone()
        known = [times[key] for key in map(key_of, replaced) if key in times]
        for entry in set(after).difference(before):
            added = min((each.added for each in known), default=moment)
            times[key_of(entry)] = Times(added, moment if replaced else None, self._seals.seal(entry))
        try:
            write_times(self._times_file, times, after)
        except OSError:
            _log.exception("writing %s", self._times_file)
