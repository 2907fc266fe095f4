"""Where undo keeps what files held: a list of changes, and every content once, by its hash.

Owner-only, in `.geekagent/undo/`. The list is written anew in one step; contents that no change needs any
more are removed, and of the oldest turns nothing is kept once all contents together are too large.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from geekagent_tui.files import locked, private_folder, set_aside, write_atomically
from geekagent_tui.i18n import _
from geekagent_tui.seals import Seals

GROUPS = 200
"""Turns that can be undone at most."""

BYTES = 64 * 1024 * 1024
"""Bytes of all contents at most."""

_DIGEST = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Entry:
    """One change of one file.

    Attributes:
        path: Relative to the root with `/`.
        before: Hash of what the file held; None when it was not there.
        after: Hash of what it held then; None when it was removed.
        mode: Its permissions; None for those of any new file.
        folders: How many folders above it were made for it.
    """

    path: str
    before: str | None
    after: str | None
    mode: int | None = None
    folders: int = 0


@dataclass(frozen=True, slots=True)
class Group:
    """What was changed in one turn.

    Attributes:
        key: The turn.
        label: The beginning of the user's message.
        entries: In the order in which they were made.
    """

    key: str
    label: str
    entries: tuple[Entry, ...] = ()


@dataclass(slots=True)
class ChangeList:
    """Every turn's changes.

    Attributes:
        groups: Oldest first.
        done: How many of them are in effect; those behind were undone and can be redone.
        problem: Why the file could not be used and was set aside, a clause; "" when nothing is wrong.
    """

    groups: list[Group] = field(default_factory=list)
    done: int = 0
    problem: str = ""


class ChangeLog:
    """The folder; everything here blocks.

    Args:
        folder: `.geekagent/undo/`.
        limit: Bytes of all contents at most.
    """

    def __init__(self, folder: Path, limit: int = BYTES) -> None:
        self._folder = folder
        self._list = folder / "changes.json"
        self._contents = folder / "contents"
        self._limit = limit
        self._seals = Seals("undo", folder)

    @contextlib.contextmanager
    def opened(self) -> Iterator[ChangeList]:
        """The list, with no other program in between; written again at the end if it was changed.

        Raises:
            OSError: It can't be read or written.
            TimeoutError: Another program keeps it for too long.
        """
        for folder in (self._folder, self._contents):
            if folder.is_symlink():  # what lies there is no content of ours, and would be swept away
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
            private_folder(folder)
        with locked(self._folder / "lock"):
            changes = self._load()
            before = json.dumps(_plain(changes))
            yield changes
            self._forget_oldest(changes)
            after = json.dumps(_plain(changes))
            if after != before:
                self.save(changes)
                self._sweep(changes)

    def save(self, changes: ChangeList) -> None:
        """Write the list now, as something is about to be done that it must know of.

        Raises:
            OSError: It can't be written.
        """
        plain = _plain(changes)
        sealed = {**plain, "seal": self._seals.seal(json.dumps(plain))}
        write_atomically(self._list, json.dumps(sealed).encode() + b"\n")

    def keep(self, content: bytes | None) -> str | None:
        """Keep a content; return its hash.

        Raises:
            OSError: It can't be written.
        """
        if content is None:
            return None
        digest = _digest(content)
        file = self._contents / digest
        if not file.exists():
            write_atomically(file, content)
        return digest

    def content(self, digest: str) -> bytes:
        """A content by its hash.

        Raises:
            OSError: It is gone.
            ValueError: It is not what was kept.
        """
        content = (self._contents / digest).read_bytes()
        if digest_of(content) != digest:
            raise ValueError(digest)
        return content

    def _load(self) -> ChangeList:
        try:
            value = json.loads(self._list.read_bytes())
            changes = _parsed(value)
            if self._seals.fits(value.pop("seal", None), json.dumps(value)):
                return changes
            problem = _("撤销记录不是在这里写的，已另存为 {name}")
        except FileNotFoundError:
            return ChangeList()
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            problem = _("撤销记录格式无效")
        return ChangeList(problem=problem.format(name=set_aside(self._list).name))

    def _forget_oldest(self, changes: ChangeList) -> None:
        while len(changes.groups) > GROUPS or (changes.groups and self._size(changes) > self._limit):
            del changes.groups[0]
            changes.done = max(0, changes.done - 1)

    def _size(self, changes: ChangeList) -> int:
        return sum((self._contents / digest).stat().st_size for digest in self._needed(changes))

    def _needed(self, changes: ChangeList) -> set[str]:
        digests = (
            digest
            for group in changes.groups
            for entry in group.entries
            for digest in (entry.before, entry.after)
            if digest is not None
        )
        return {digest for digest in digests if (self._contents / digest).exists()}

    def _sweep(self, changes: ChangeList) -> None:
        needed = self._needed(changes)
        for file in self._contents.iterdir():
            if file.name not in needed:
                file.unlink(missing_ok=True)


def digest_of(content: bytes | None) -> str | None:
    """The hash of a content; None for none."""
    return None if content is None else _digest(content)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _plain(changes: ChangeList) -> dict[str, Any]:
    return {"done": changes.done, "groups": [asdict(group) for group in changes.groups]}


def _parsed(value: dict[str, Any]) -> ChangeList:
    groups = [
        Group(str(group["key"]), str(group["label"]), tuple(_entry(entry) for entry in group["entries"]))
        for group in value["groups"]
    ]
    return ChangeList(groups, min(max(0, int(value["done"])), len(groups)))


def _entry(value: dict[str, Any]) -> Entry:
    mode = value["mode"]
    if mode is not None and not 0 <= int(mode) <= 0o7777:
        raise ValueError(f"no permissions: {mode}")
    before, after = (_known_digest(value[name]) for name in ("before", "after"))
    return Entry(
        str(value["path"]), before, after, None if mode is None else int(mode), int(value["folders"])
    )


def _known_digest(value: object) -> str | None:
    if value is not None and not _DIGEST.fullmatch(str(value)):
        raise ValueError(f"no hash: {value}")
    return None if value is None else str(value)
