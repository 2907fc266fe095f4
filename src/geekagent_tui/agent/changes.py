"""Undoing and redoing what the agent did to files, a turn at a time."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from geekagent_tui.agent import spots
from geekagent_tui.agent.change_log import ChangeList, ChangeLog, Entry, Group, digest_of
from geekagent_tui.agent.confined import Confined, PathError
from geekagent_tui.agent.protected import is_protected
from geekagent_tui.i18n import _

LABEL = 40
"""Characters of the user's message that name a turn."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change that is about to be made to a file.

    Attributes:
        path: Relative to the root with `/`, links resolved.
        before: What the file holds; None when it is not there.
        after: What it will hold.
        mode: Its permissions; None when it is not there.
        folders: How many folders above it will be made.
    """

    path: str
    before: bytes | None
    after: bytes
    mode: int | None = None
    folders: int = 0


@dataclass(frozen=True, slots=True)
class Turned:
    """What an undo or a redo did.

    Attributes:
        label: The beginning of the message whose turn it was; "" when there was nothing to do.
        paths: The files of the turn.
        edited: Those that were changed since by somebody else; then nothing was done.
        session: The session whose turn it was, when that is not the open one.
        done: Whether it was done: neither `edited` nor `session` kept it from that.
        protected: Those that steer the agent or that git runs; then nothing was done either.
    """

    label: str = ""
    paths: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    session: str = ""
    done: bool = False
    protected: tuple[str, ...] = ()


class Changes:
    """The history of file changes of a workspace. Everything here blocks.

    Args:
        log: Where it is kept.
        confined: The door to the files.
        turn: The present turn's key and the user's message.
    """

    def __init__(self, log: ChangeLog, confined: Confined, turn: Callable[[], tuple[str, str]]) -> None:
        self._log = log
        self._confined = confined
        self._turn = turn

    @contextlib.contextmanager
    def remembered(self, change: Change) -> Iterator[None]:
        """Make a change inside of this: it can be undone from the moment it is made.

        Raises:
            OSError: It can't be remembered, so it must not be made.
        """
        key, message = self._turn()
        with self._log.opened() as changes:
            before = list(changes.groups), changes.done
            entry = Entry(
                change.path,
                self._log.keep(change.before),
                self._log.keep(change.after),
                change.mode,
                change.folders,
            )
            _add(changes, Group(key, _label(message)), entry)
            self._log.save(changes)
            try:
                yield
            except BaseException:
                changes.groups, changes.done = before
                self._log.save(changes)
                raise

    def undo(self, *, force: bool = False) -> Turned:
        """Take back the last turn's changes that are in effect.

        Args:
            force: Also where a file was changed since, or steers the agent; what it holds now comes back with
                `redo`. And what another session's turn did.

        Raises:
            PathError: A file can't be used; `undo` can be tried again.
            OSError: Likewise, or the history can't be read or written.
            ValueError: A content was damaged.
        """
        with self._read() as changes:
            if not changes.done:
                return Turned()
            place = changes.done - 1
            group = changes.groups[place]
            if (protected := self._protected(group)) and not force:
                return Turned(group.label, _paths(group), protected=protected)
            steps = [(entry, entry.after, entry.before) for entry in reversed(group.entries)]
            edited, session = self._edited(steps), self._session(group)
            if (edited or session) and not force:
                return Turned(group.label, _paths(group), edited, session)
            if edited:
                group = self._with_present(group, edited)
                changes.groups[place] = group
                self._log.save(changes)
            for entry in reversed(group.entries):
                self._set(entry, entry.before)
            changes.done = place
            return Turned(group.label, _paths(group), session=session, done=True)

    def redo(self, *, force: bool = False) -> Turned:
        """Make again what was undone last.

        Args:
            force: Also where a file was changed since, or steers the agent; what it holds now comes back with
                `undo`. And what another session's turn did.

        Raises:
            PathError: A file can't be used; `redo` can be tried again.
            OSError: Likewise, or the history can't be read or written.
            ValueError: A content was damaged.
        """
        with self._read() as changes:
            if changes.done == len(changes.groups):
                return Turned()
            group = changes.groups[changes.done]
            if (protected := self._protected(group)) and not force:
                return Turned(group.label, _paths(group), protected=protected)
            steps = [(entry, entry.before, entry.after) for entry in group.entries]
            edited, session = self._edited(steps), self._session(group)
            if (edited or session) and not force:
                return Turned(group.label, _paths(group), edited, session)
            if edited:
                group = self._with_past(group, edited)
                changes.groups[changes.done] = group
                self._log.save(changes)
            for entry in group.entries:
                self._set(entry, entry.after)
            changes.done += 1
            return Turned(group.label, _paths(group), session=session, done=True)

    @contextlib.contextmanager
    def _read(self) -> Iterator[ChangeList]:
        with self._log.opened() as changes:
            if changes.problem:
                raise PathError(changes.problem)
            yield changes

    def _session(self, group: Group) -> str:
        """The session that a turn belongs to; "" for the open one."""
        mine, theirs = (key.partition("#")[0] for key in (self._turn()[0], group.key))
        return "" if theirs == mine else theirs

    def _protected(self, group: Group) -> tuple[str, ...]:
        return tuple(path for path in _paths(group) if is_protected(path, self._confined.root))

    def _edited(self, steps: list[tuple[Entry, str | None, str | None]]) -> tuple[str, ...]:
        """Files that hold neither what a step expects nor what it would make of them."""
        state: dict[str, str | None] = {}
        edited: dict[str, None] = {}
        for entry, expected, made in steps:
            if entry.path not in state:
                state[entry.path] = digest_of(self._content(entry.path))
            if state[entry.path] not in (expected, made):
                edited[entry.path] = None
            state[entry.path] = made
        return tuple(edited)

    def _with_present(self, group: Group, paths: tuple[str, ...]) -> Group:
        """The group as if it had led to what some files hold now, so that redoing brings that back."""
        entries = list(group.entries)
        for path in paths:
            last = max(place for place, entry in enumerate(entries) if entry.path == path)
            entries[last] = replace(entries[last], after=self._log.keep(self._content(path)))
        return replace(group, entries=tuple(entries))

    def _with_past(self, group: Group, paths: tuple[str, ...]) -> Group:
        """The group as if it had begun with what some files hold now, so that undoing brings that back."""
        entries = list(group.entries)
        for path in paths:
            first = min(place for place, entry in enumerate(entries) if entry.path == path)
            entries[first] = replace(entries[first], before=self._log.keep(self._content(path)))
        return replace(group, entries=tuple(entries))

    def _content(self, path: str) -> bytes | None:
        with self._confined.spot(path) as spot:
            if spot.path != path:
                raise PathError(_("路径越界：{path}").format(path=path))  # a folder became a link
            return None if spot.status is None else spots.read(spot)

    def _set(self, entry: Entry, digest: str | None) -> None:
        """Give a file the content with a hash, or remove it."""
        if digest_of(self._content(entry.path)) == digest:
            return
        with self._confined.spot(entry.path) as spot:
            if digest is not None:
                spots.replace(spot, self._log.content(digest), _plain_mode(entry.mode))
                return
            spots.remove(spot)
        above = list(PurePosixPath(entry.path).parents)[: entry.folders]
        with contextlib.suppress(OSError, PathError):  # something else was put into it
            for folder in above:
                with self._confined.spot(str(folder)) as spot:
                    spots.remove_folder(spot)


def _add(changes: ChangeList, group: Group, entry: Entry) -> None:
    """Add a change to its turn; what was undone can't be redone any more."""
    del changes.groups[changes.done :]
    if changes.groups and changes.groups[-1].key == group.key:
        group = changes.groups.pop()
    changes.groups.append(replace(group, entries=(*group.entries, entry)))
    changes.done = len(changes.groups)


def _label(message: str) -> str:
    line = " ".join(message.split())
    return line if len(line) <= LABEL else f"{line[: LABEL - 1]}…"


def _plain_mode(mode: int | None) -> int | None:
    """Permissions without those that let a program run as somebody else."""
    return None if mode is None else mode & 0o777


def _paths(group: Group) -> tuple[str, ...]:
    return tuple(dict.fromkeys(entry.path for entry in group.entries))
