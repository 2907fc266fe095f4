"""Where a document was cited: the answers of all sessions, read from their files."""

from __future__ import annotations

import asyncio
import os
import stat
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from geekagent_tui.agent.events import Cited
from geekagent_tui.agent.records import AssistantSaid, Forgotten, Named, Record, UserSaid
from geekagent_tui.agent.session_lines import records_of
from geekagent_tui.agent.sessions import session_files

LARGEST = 64 * 1024 * 1024
"""Bytes of a session's file up to which it is read."""

QUESTION_LENGTH = 120
"""Characters of a question that are kept."""

_KINDS = ("user", "assistant", "reset", "name")

_ByDocument = dict[int, tuple[Cited, ...]]


@dataclass(frozen=True, slots=True)
class _Read:
    """A file as it was when it was read."""

    state: tuple[int, int, int]
    cited: _ByDocument = field(hash=False)


class Citings:
    """Finds the answers that cite a document; a file is read again only when it has changed.

    Args:
        folder: The folder of sessions.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[Path, _Read] = {}
        self._reading = asyncio.Lock()

    async def of(self, document_id: int) -> tuple[Cited, ...]:
        """The answers that cite a document, newest first."""
        async with self._reading:
            return await asyncio.to_thread(self._find, document_id)

    def _find(self, document_id: int) -> tuple[Cited, ...]:
        known: dict[Path, _Read] = {}
        for path in session_files(self._folder):
            try:
                known[path] = _look(path, self._known.get(path))
            except OSError:  # gone meanwhile, or not ours to read
                continue
        self._known = known
        found = [cited for read in known.values() for cited in read.cited.get(document_id, ())]
        return tuple(sorted(found, key=lambda cited: cited.at, reverse=True))


def _look(path: Path, before: _Read | None) -> _Read:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        state = status.st_mtime_ns, status.st_size, status.st_ino
        if before is not None and before.state == state:
            return before
        if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST:
            return _Read(state, {})
        return _Read(state, _cited(path.stem, records_of(file.read(LARGEST), _KINDS)))


def _cited(session: str, records: Iterator[Record]) -> _ByDocument:
    """What the answers of a session cite, by document; what was reset is no part of it any more."""
    found: defaultdict[int, list[Cited]] = defaultdict(list)
    question = title = ""
    for record in records:
        match record:
            case UserSaid():
                question = _shortened(record.text)
            case AssistantSaid():
                pairs = {(c.document_id, c.passage) for c in record.citations if c.document_id is not None}
                for identifier, passage in sorted(pairs):
                    found[identifier].append(Cited(passage, session, session, record.at, question))
            case Named():
                title = record.title
            case Forgotten():
                found.clear()
            case _:
                pass
    return {
        identifier: tuple(replace(each, session_title=title or session) for each in cited)
        for identifier, cited in found.items()
    }


def _shortened(text: str) -> str:
    line = " ".join(text[: 4 * QUESTION_LENGTH].split())
    return line if len(line) <= QUESTION_LENGTH else line[: QUESTION_LENGTH - 1] + "…"
