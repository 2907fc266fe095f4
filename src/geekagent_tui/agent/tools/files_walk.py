"""Walking the files below a folder, through open folders only, as git would see them."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from geekagent_tui.agent.confined import OPEN_FOLDER, Confined, PathError, Spot, explained
from geekagent_tui.agent.spots import open_at
from geekagent_tui.i18n import _

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

ENTRIES = 200_000
"""Entries looked at in one walk at most."""
DEPTH = 64
"""Folders below each other at most: each is held open on the way."""
SECONDS = 20.0
"""Seconds that a walk may take."""

_RULES_BYTES = 256 * 1024
_IGNORED_FOLDERS = frozenset({"node_modules", "__pycache__"})


@dataclass(frozen=True, slots=True)
class Found:
    """A file on a walk.

    Attributes:
        folder: Descriptor of its folder, open until the walk goes on.
        path: Relative to the root, with `/`.
    """

    folder: int
    name: str
    path: str


@dataclass(slots=True)
class Walk:
    """One walk; iterate it once, in a thread. Files come sorted, those of a folder before its folders.

    Attributes:
        hidden: Whether names that begin with a dot count.
        stop: Set by whoever wants it to end early.
        cut_short: Why it ended before everything was seen; "" when it did not.
    """

    confined: Confined
    spot: Spot
    hidden: bool = False
    stop: threading.Event = field(default_factory=threading.Event)
    cut_short: str = ""
    deadline: float = field(default_factory=lambda: time.monotonic() + SECONDS)
    _seen: int = 0

    def __iter__(self) -> Iterator[Found]:
        rules = _rules_above(self.confined.root) + self._rules_on_the_way()
        with _opened(self.spot.folder, self.spot.name) as folder:
            yield from self._below(folder, "" if self.spot.path == "." else self.spot.path + "/", rules, 0)

    def _rules_on_the_way(self) -> tuple[_Rules, ...]:
        """The rules of the folders between the root and the start, without the start's own."""
        found: list[_Rules] = []
        parts = [] if self.spot.path == "." else self.spot.path.split("/")
        for depth in range(len(parts)):
            above = "/".join(parts[:depth])
            with (
                contextlib.suppress(PathError),
                self.confined.spot(above or ".") as spot,
                _opened(spot.folder, spot.name) as folder,
            ):
                found += _rules_of(folder, above + "/" if above else "")
        return tuple(found)

    def _below(self, folder: int, prefix: str, rules: tuple[_Rules, ...], depth: int) -> Iterator[Found]:
        rules = (*rules, *_rules_of(folder, prefix))
        folders: list[str] = []
        for name, is_folder in self._entries(folder):
            if self._over():
                return
            if _left_out(name, prefix, rules, is_folder=is_folder, hidden=self.hidden):
                continue
            if is_folder:
                folders.append(name)
            else:
                yield Found(folder, name, prefix + name)
        if folders and depth >= DEPTH:
            self.cut_short = self.cut_short or _("文件夹嵌套太深")
            return
        for name in folders:
            if self._over():
                return
            with contextlib.suppress(OSError), _opened(folder, name) as below:
                yield from self._below(below, f"{prefix}{name}/", rules, depth + 1)

    def _entries(self, folder: int) -> list[tuple[str, bool]]:
        """Names and whether they are folders, sorted; links and special files left out."""
        try:
            with os.scandir(folder) as entries:
                found = [
                    (entry.name, entry.is_dir(follow_symlinks=False))
                    for entry in entries
                    if entry.is_dir(follow_symlinks=False) or entry.is_file(follow_symlinks=False)
                ]
        except OSError:
            return []
        self._seen += len(found)
        return sorted(found)

    def _over(self) -> bool:
        if self._seen > ENTRIES:
            self.cut_short = _("文件太多（超过 {n} 个）").format(n=ENTRIES)
        elif self.stop.is_set() or time.monotonic() > self.deadline:
            self.cut_short = _("时间到")
        return bool(self.cut_short)


@contextlib.contextmanager
def _opened(folder: int, name: str) -> Iterator[int]:
    try:
        descriptor = os.open(name, OPEN_FOLDER, dir_fd=folder)
    except OSError as error:
        raise OSError(error.errno, explained(name, error)) from error
    try:
        yield descriptor
    finally:
        os.close(descriptor)


# --- .gitignore ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Rules:
    """One `.gitignore`.

    Attributes:
        below: The folder it speaks about, relative to the root, "" or ending in `/`.
        above: For a folder above the root: what lies between the two, ending in `/`.
    """

    below: str
    spec: GitIgnoreSpec
    above: str = ""


def _left_out(name: str, prefix: str, rules: tuple[_Rules, ...], *, is_folder: bool, hidden: bool) -> bool:
    if name.startswith(".") and (not hidden or name == ".git"):
        return True
    if is_folder and name in _IGNORED_FOLDERS:
        return True
    path = prefix + name + ("/" if is_folder else "")
    for each in reversed(rules):  # the innermost file with an opinion decides
        include = each.spec.check_file(each.above + path.removeprefix(each.below)).include
        if include is not None:
            return include
    return False


def _rules_of(folder: int, below: str, above: str = "") -> list[_Rules]:
    from pathspec import GitIgnoreSpec

    try:
        file = open_at(folder, ".gitignore")
        if file is None:
            return []
        with file:
            lines = file.read(_RULES_BYTES).decode("utf-8", "replace").splitlines()
        return [_Rules(below, GitIgnoreSpec.from_lines(lines), above)]
    except (OSError, ValueError):  # no such file, or a pattern that git would not take either
        return []


def _rules_above(root: Path) -> tuple[_Rules, ...]:
    """The rules of the folders above the root, if it lies inside a repository; outermost first."""
    found: list[_Rules] = []
    folder, above = root, ""
    while not (folder / ".git").exists():
        if folder == folder.parent:
            return ()
        folder, above = folder.parent, f"{folder.name}/{above}"
        with contextlib.suppress(OSError), _opened_path(folder) as descriptor:
            found[:0] = _rules_of(descriptor, "", above)
    return tuple(found)


@contextlib.contextmanager
def _opened_path(folder: Path) -> Iterator[int]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
