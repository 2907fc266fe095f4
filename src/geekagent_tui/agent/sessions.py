"""Sessions on disk: one append-only JSON Lines file each, written as things happen.

A session that is open is locked, so two programs never write into one. Everything here blocks: call it off
the event loop.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import secrets
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import count
from pathlib import Path

from geekagent_tui.agent.records import Record, decode, encode
from geekagent_tui.agent.session_seal import began, is_own, mark
from geekagent_tui.agent.session_summary import SessionSummary, is_asked, summary_of
from geekagent_tui.files import private_folder, set_aside, write_atomically
from geekagent_tui.i18n import _
from geekagent_tui.seals import Seals

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_TITLE = re.compile(r"[\w-]{1,64}")
# A name that was made after another one; the stem leaves room for such a number.
_NUMBERED = re.compile(r"(.+)-[0-9]{1,4}")
_STEM = 58
_SUFFIX = ".jsonl"
_CURRENT = "current"


class SessionError(Exception):
    """A session can't be made or opened; the text says why."""


class SessionOpenElsewhereError(SessionError):
    """Another program has a session open; it can be read and copied all the same.

    Attributes:
        session: Its id.
    """

    def __init__(self, session: str) -> None:
        super().__init__(_("会话 {id} 正在另一个程序里打开").format(id=session))
        self.session = session


def new_id() -> str:
    """A name for a session that nobody named: its time, and a few random digits."""
    return f"{datetime.now():%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"


class SessionFile:
    """A session's file, locked for as long as it is open. Made when its first record is written.

    Attributes:
        session: The session's id.
        records: What the file held when it was opened.
        notices: Sentences about what was wrong with it.
        own: It was begun here, and did not come with the folder.
    """

    def __init__(self, session: str, path: Path, seals: Seals) -> None:
        self.session = session
        self.path = path
        self.own = True
        self._seals = seals
        self.records: list[Record] = []
        self.notices: list[str] = []
        self._descriptor: int | None = None
        self._unsaved: list[bytes] = []
        self._length = 0

    def append(self, records: Iterable[Record], *, durable: bool = True) -> None:
        """Write records at the end.

        What could not be written is kept and tried again with the next call, so a full disk loses nothing
        once there is room again.

        Args:
            records: The records, in order.
            durable: Wait until they are on the disk, not only with the operating system.

        Raises:
            OSError: The disk is full or the folder is read-only.
        """
        self._unsaved.extend(encode(record) for record in records)
        if not self._unsaved:
            return
        if self._descriptor is None:
            self._create()
        assert self._descriptor is not None
        data = b"".join(self._unsaved)
        try:
            _write(self._descriptor, data)
        except OSError:
            os.ftruncate(self._descriptor, self._length)
            raise
        self._unsaved.clear()
        self._length += len(data)
        if durable:
            os.fsync(self._descriptor)

    def take(self, lines: Iterable[bytes]) -> None:
        """Write the lines of another file behind the first: also those that this version can't read.

        Raises:
            OSError: The disk is full or the folder is read-only; there is no file then.
        """
        self._unsaved.extend(line + b"\n" for line in lines)
        try:
            self.append([])
        except OSError:
            self.close()
            self.path.unlink(missing_ok=True)
            raise
        self.records = _read(self.path.read_bytes())[0]

    def close(self) -> None:
        """Let go of the file and its lock; safe to call twice."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def create(self) -> None:
        """Make the file now.

        Raises:
            FileExistsError: There is one with this name.
        """
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
        self._descriptor = os.open(self.path, flags, 0o600)
        fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self._unsaved.insert(0, began(self.session, self._seals))

    def load(self) -> bool:
        """Open an existing file and read it; False when another program has it open.

        A last line that a crash cut short is removed. Any other broken line is kept: the whole file is set
        aside as it is, and a new one holds the lines that could be read.
        """
        if not self._lock():
            return False
        assert self._descriptor is not None
        data = self.path.read_bytes()
        self.records, good = _read(data)
        self.own = not good or is_own(self.records, self._seals)
        if not good:  # its first line never reached the disk
            self._unsaved.append(began(self.session, self._seals))
        whole = b"".join(line + b"\n" for line in good)
        self._length = len(whole)
        if data.startswith(whole) and b"\n" not in data[self._length :]:
            os.ftruncate(self._descriptor, self._length)
        elif data + b"\n" == whole:
            _write(self._descriptor, b"\n")
        else:
            return self._replace(whole)
        return True

    def _replace(self, whole: bytes) -> bool:
        aside = set_aside(self.path)
        sentence = _("会话 {id} 的存档有读不出来的行，已跳过；原文件另存为 {name}")
        self.notices.append(sentence.format(id=self.session, name=aside.name))
        self.close()
        write_atomically(self.path, whole)
        return self._lock()

    def _lock(self) -> bool:
        self._descriptor = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.close()
            return False
        return True

    def _create(self) -> None:
        while True:
            try:
                return self.create()
            except (FileExistsError, BlockingIOError):
                # Another program took this name since it was chosen.
                self.close()
                self.session = new_id()
                self.path = self.path.with_name(self.session + _SUFFIX)


class Sessions:
    """The folder of sessions."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seals = Seals("session", folder)

    @property
    def folder(self) -> Path:
        """Where they are; made with the first one."""
        return self._folder

    def resume(self) -> SessionFile:
        """The session that was open last, or a new one when there is none or another program has it open.

        One that came with the folder is opened by the user only: it could put any words in their mouth.
        """
        new = self.begin()
        for session in self._by_recency()[:1]:
            with contextlib.suppress(SessionError, OSError):
                file = self.open(session)
                if file.own:
                    return file
                file.close()
                told = _("会话 {id} 不是在这里开始的（可能随文件夹而来），没有自动接续；用 /open {id} 打开它")
                new.notices.append(told.format(id=session))
        return new

    def begin(self, prefix: str = "") -> SessionFile:
        """A new session with a name of its own; its file is made with its first record."""
        return self._file(prefix + new_id())

    def titled(self, title: str) -> SessionFile:
        """A new session with an id of its own, for a name in words of any script.

        Raises:
            SessionError: Another session has the name, or it could not be typed as one.
        """
        if not _TITLE.fullmatch(title):
            raise SessionError(_("会话 ID 只能包含字母、数字、短横线和下划线"))
        if any(summary.title == title for summary in self.summaries()):
            raise SessionError(_("会话 ID 已存在"))
        return self.begin()

    def create(self, session: str) -> SessionFile:
        """A new session with a chosen name.

        Raises:
            SessionError: The name is taken, or is none.
        """
        if not _NAME.fullmatch(session):
            raise SessionError(_("会话 ID 只能包含字母、数字、短横线和下划线"))
        file = self._file(session)
        try:
            file.create()
        except FileExistsError:
            raise SessionError(_("会话 ID 已存在")) from None
        file.append([])
        return file

    def open(self, session: str) -> SessionFile:
        """An existing session.

        Raises:
            SessionError: There is none with this name, or another program has it open.
        """
        file = SessionFile(session, self.path(session), self._seals)
        if not file.load():
            raise SessionOpenElsewhereError(session)
        return file

    def remember(self, session: str) -> None:
        """Note that this session is the one to resume; without the note it is the newest one."""
        with contextlib.suppress(OSError):
            write_atomically(private_folder(self._folder) / _CURRENT, session.encode())

    def summaries(self) -> list[SessionSummary]:
        """Every session on disk, by name."""
        return [_summary(path) for path in session_files(self._folder)]

    def find(self, words: str) -> str:
        """The session with this id, or the only one with this name in words; else the words themselves."""
        if words in self._names():
            return words
        named = [summary.session for summary in self.summaries() if summary.title == words]
        return named[0] if len(named) == 1 else words

    def location(self) -> tuple[Path, int]:
        """The folder, and how many sessions are in it."""
        return self._folder.resolve(), len(self._names())

    def path(self, session: str) -> Path:
        """The file of an existing session.

        Raises:
            SessionError: There is none with this name.
        """
        path = self._folder / (session + _SUFFIX)
        if not _NAME.fullmatch(session) or not path.is_file():
            raise SessionError(_("会话 {id} 不存在").format(id=session))
        return path

    def copy(self, session: str, lines: Iterable[bytes]) -> SessionFile:
        """A new session that holds lines of another one, named after it: `work-2` after `work`.

        Raises:
            OSError: The disk is full or the folder is read-only.
        """
        lines = [*lines, *self._mark(session)]
        for name in self._free(session):
            file = self._file(name)
            with contextlib.suppress(FileExistsError):
                file.create()
                file.take(lines)
                return file
        raise AssertionError("names are endless")

    def _file(self, session: str) -> SessionFile:
        return SessionFile(session, private_folder(self._folder) / (session + _SUFFIX), self._seals)

    def _mark(self, session: str) -> list[bytes]:
        """What a copy of a session's lines ends with: its own beginning does not make them the user's."""
        try:
            with self.path(session).open("rb") as file:
                first = _read(file.readline())[0]
        except (SessionError, OSError):
            first = []
        return [] if is_own(first, self._seals) else [mark()]

    def _free(self, session: str) -> Iterator[str]:
        """Names after a session's: those that are taken are passed over."""
        numbered = _NUMBERED.fullmatch(session)
        taken = set(self._names())
        stem = numbered[1] if numbered and numbered[1] in taken else session
        names = (f"{stem[:_STEM]}-{number}" for number in count(2))
        return (name for name in names if name not in taken)

    def _names(self) -> list[str]:
        return [path.stem for path in session_files(self._folder)]

    def _by_recency(self) -> list[str]:
        names = self._names()
        with contextlib.suppress(OSError, UnicodeDecodeError):
            current = (self._folder / _CURRENT).read_text(encoding="utf-8")
            if current in names:
                return [current]
        names = [name for name in names if not is_asked(name)] or names
        return sorted(names, key=lambda name: (self._folder / (name + _SUFFIX)).stat().st_mtime, reverse=True)


def session_files(folder: Path) -> list[Path]:
    """The files of all sessions in a folder, by name."""
    if not folder.is_dir():
        return []
    files = (path for path in folder.iterdir() if path.suffix == _SUFFIX and path.is_file())
    return sorted(path for path in files if _NAME.fullmatch(path.stem))


def _summary(path: Path) -> SessionSummary:
    records: list[Record] = []
    with contextlib.suppress(OSError):
        records = _read(path.read_bytes())[0]
    return summary_of(path.stem, records)


def _read(data: bytes) -> tuple[list[Record], list[bytes]]:
    """The records of a file, and the lines that can be read."""
    records: list[Record] = []
    good: list[bytes] = []
    for line in data.split(b"\n"):
        with contextlib.suppress(ValueError):
            record = decode(line)
            good.append(line)
            if record is not None:
                records.append(record)
    return records, good


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
