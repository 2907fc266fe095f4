"""Long-term memory: `memory.json`, a list of strings that several programs may write."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from geekagent_tui.files import locked, private_folder, set_aside, write_atomically
from geekagent_tui.i18n import _

if TYPE_CHECKING:
    from geekagent_tui.agent.memory_search import MemoryHit, MemoryIndex

ENTRY_LENGTH = 4000
"""Characters of one entry; longer ones are cut (the reference's cap)."""


class Written(StrEnum):
    """What became of an entry."""

    NEW = "new"
    CUT = "cut"
    KNOWN = "known"


class Memory:
    """The entries of long-term memory, oldest first.

    Attributes:
        entries: As of the last look at the file.
    """

    def __init__(self, path: Path) -> None:
        self.entries: tuple[str, ...] = ()
        self._notices: list[str] = []
        self._path = path
        self._index: MemoryIndex | None = None

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
            self._notices.append(sentence.format(reason=error.strerror or type(error).__name__))
            self.entries = ()
        return self.entries

    async def write(self, content: str) -> tuple[Written, str]:
        """Keep an entry; return what became of it and the entry as kept.

        Raises:
            OSError: The disk is full or the folder is read-only; memory is as before.
        """
        entry = content.strip()[:ENTRY_LENGTH]
        self.entries, added = await asyncio.to_thread(self._add, entry)
        if not added:
            return Written.KNOWN, entry
        return (Written.CUT if len(content.strip()) > ENTRY_LENGTH else Written.NEW), entry

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
            self._notices.append(sentence.format(reason=error, name=aside.name))
            return ()
        return tuple(item.strip() for item in value if item.strip())

    def _add(self, entry: str) -> tuple[tuple[str, ...], bool]:
        private_folder(self._path.parent)
        with locked(self._path.with_suffix(".lock")):
            entries = self._read()
            if entry in entries:
                return entries, False
            entries = (*entries, entry)
            text = json.dumps(entries, ensure_ascii=False, indent=2) + "\n"
            write_atomically(self._path, text.encode("utf-8", "replace"))
            return entries, True
