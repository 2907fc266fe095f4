"""The queue on disk: one file a batch, there from before its first source is read until it ends.

Whoever works on a batch holds its file's lock, which the kernel lets go of when the process dies, however it
dies. So a file whose lock is free belongs to nobody, and only such batches are told and resumed.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import logging
import os
import re
import stat
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from geekagent_tui.files import private_folder, set_aside, try_lock
from geekagent_tui.i18n import _
from geekagent_tui.rag import queue_format
from geekagent_tui.rag.lane import until_done
from geekagent_tui.rag.model import Interrupted
from geekagent_tui.rag.queue_format import NoPlanError, Plan, Record, Trail
from geekagent_tui.seals import secret

_END = ".jsonl"
_NEW = ".new"
_NAME = re.compile(r"[0-9]{8}-[0-9]{6}-[a-z0-9_]{8}", re.ASCII)
"""Of the files; whatever else lies there is nobody's business."""
_MOST_BYTES = 512 * 1024 * 1024
"""Bytes of a file that are read at most; a text of 32 MiB that was handed over takes 43."""
_LOOK_SECONDS = 1.0
"""How long another process may look at a batch before that is called working on it."""

_ATTEMPTS = 5
"""Files that are tried for a new batch."""

_log = logging.getLogger(__name__)


class Queued:
    """A batch that this process works on, and what is written down about it.

    Args:
        path: Its file; None when it could not be written, and nothing is written down.
        descriptor: The file, open and locked.
        kept: Whether what is cancelled stays in the queue.
    """

    def __init__(
        self, path: Path | None = None, descriptor: int = -1, kept: Callable[[], bool] = lambda: False
    ) -> None:
        self._kept = kept
        self._path = path
        self._descriptor = descriptor
        self._records: deque[Record] = deque()
        self._lock = threading.Lock()
        self._writing: asyncio.Task[None] | None = None

    def note(self, record: Record) -> None:
        """Write something down, soon: whatever comes until then is written with it."""
        if self._path is None:
            return
        self._records.append(record)
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_soon(), name="rag-queue")

    def write(self, records: Iterable[Record] = ()) -> None:
        """Write down what was noted and not written yet, and more; blocks, in any thread."""
        if self._path is None:
            return
        with self._lock:
            due: list[Record] = []
            with contextlib.suppress(IndexError):
                while True:
                    due.append(self._records.popleft())
            due.extend(records)
            try:
                _write_all(self._descriptor, queue_format.lines(due))
            except OSError as error:  # then a resumed batch does some work again
                _log.warning("the queue can't be written: %s", error)

    async def remove(self) -> None:
        """The batch has ended, and nothing is left of it in the queue."""
        self._records.clear()
        await self._close(_remove)

    async def leave(self) -> None:
        """The batch was cancelled: it leaves the queue, unless the program is only ending."""
        await (self.release() if self._kept() else self.remove())

    async def release(self) -> None:
        """Leave the batch to whoever takes it next."""
        await self._close(_release)

    async def _close(self, work: Callable[[Path, int], None]) -> None:
        path, self._path = self._path, None
        if path is None:
            return
        cancelled = self._writing is not None and await until_done(self._writing)
        closing = asyncio.ensure_future(asyncio.to_thread(work, path, self._descriptor))
        cancelled |= await until_done(closing)
        task = asyncio.current_task()
        if cancelled and task is not None and task.cancelling():  # a task group takes its own back
            raise asyncio.CancelledError

    async def _write_soon(self) -> None:
        while self._records:
            await asyncio.to_thread(self.write)


@dataclass(frozen=True, slots=True)
class Taken:
    """A batch of a process that died, taken over by this one."""

    plan: Plan
    trail: Trail
    queued: Queued


class Queue:
    """All batches of a workspace; everything here blocks.

    Args:
        folder: Of the files.
        workspace: What the plans hold for.
        key: The file with the secret that seals them; made when first needed.
        note: Told in sentences what was set aside.
    """

    def __init__(
        self, folder: Path, workspace: Path, key: Path, note: Callable[[Sequence[str]], None]
    ) -> None:
        self._folder = folder
        self._place = os.path.realpath(workspace)
        self._key_file = key
        self._note = note
        self._keeps = False

    def keep(self) -> None:
        """From here on what is cancelled, or would be forgotten, stays for another process to resume."""
        self._keeps = True

    def begin(self, plan: Plan) -> Queued:
        """Write down what was agreed to; a queue that can't be written stops no batch."""
        if not plan.sources:
            return Queued()
        try:
            return self._begin(plan)
        except OSError as error:
            _log.warning("the queue can't be written, the batch can't be resumed: %s", error)
            return Queued()

    def interrupted(self) -> list[Interrupted]:
        """The batches whose processes died, oldest first; what can't be used is set aside."""
        found = []
        for path in self._files():
            with _held(path, fcntl.LOCK_SH) as descriptor:
                if (read := self._read(path, descriptor)) is None:
                    continue
                plan, trail = read
                left = tuple(trail.left(plan))
                if not left:  # its process died between the last end and the file's removal
                    with contextlib.suppress(OSError):
                        path.unlink()
                    continue
            total = sum(1 for _name in trail.names(plan))
            found.append(Interrupted(path.name.removesuffix(_END), left, total, plan.began_at))
        return sorted(found, key=lambda each: each.began_at)

    def take(self, batch: str) -> Taken | None:
        """Take over a batch; None when it is gone, or another process works on it."""
        path = self._folder / (batch + _END)
        if path not in self._files():
            return None
        deadline = time.monotonic() + _LOOK_SECONDS
        while (descriptor := _lock(path, fcntl.LOCK_EX)) is None:
            if time.monotonic() > deadline:
                return None
            time.sleep(_LOOK_SECONDS / 20)  # somebody may only be looking
        try:
            read = self._read(path, descriptor)
            if read is not None:
                _mend_end(descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        if read is None:
            os.close(descriptor)
            return None
        return Taken(*read, Queued(path, descriptor, lambda: self._keeps))

    def forget(self, batch: str) -> None:
        """Remove a batch that nobody works on."""
        path = self._folder / (batch + _END)
        if path in self._files() and not self._keeps:
            with _held(path, fcntl.LOCK_EX) as descriptor:
                if descriptor is not None:
                    path.unlink(missing_ok=True)

    def _begin(self, plan: Plan) -> Queued:
        if self._folder.is_symlink():  # it would lead out of the workspace
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(self._folder))
        private_folder(self._folder)
        self._clear()
        data = queue_format.sealed(plan, secret(self._key_file), self._place)
        descriptor, name = self._new_file()
        try:
            _write_all(descriptor, data)
            os.fsync(descriptor)
            path = Path(name).with_suffix(_END)
            Path(name).rename(path)
        except BaseException:
            _remove(Path(name), descriptor)
            raise
        return Queued(path, descriptor, lambda: self._keeps)

    def _new_file(self) -> tuple[int, str]:
        """An empty file, locked before it has the name that others look for.

        Raises:
            OSError: There can be none, or none that is locked.
        """
        stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
        for _attempt in range(_ATTEMPTS):
            descriptor, name = tempfile.mkstemp(dir=self._folder, prefix=f"{stamp}-", suffix=_NEW)
            try:
                if try_lock(descriptor, fcntl.LOCK_EX):
                    return descriptor, name
            except BaseException:
                _remove(Path(name), descriptor)
                raise
            _remove(Path(name), descriptor)  # somebody is just clearing the queue
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN), str(self._folder))

    def _clear(self) -> None:
        """Remove what was being written when its process died: nothing of it was begun."""
        for path in self._files(_NEW):
            with _held(path, fcntl.LOCK_EX) as descriptor:
                if descriptor is not None and os.fstat(descriptor).st_size:
                    path.unlink(missing_ok=True)

    def _files(self, end: str = _END) -> list[Path]:
        if self._folder.is_symlink():
            return []
        try:
            found = list(self._folder.iterdir())
        except OSError:
            return []
        return [path for path in found if path.suffix == end and _NAME.fullmatch(path.stem)]

    def _read(self, path: Path, descriptor: int | None) -> tuple[Plan, Trail] | None:
        """What a file says; None when it is no longer there, another process's, or not to be used."""
        if descriptor is None:
            return None
        try:
            return queue_format.parse(_checked(descriptor), secret(self._key_file), self._place)
        except OSError as error:
            _log.warning("%s in the queue can't be read: %s", path.name, error)
            return None
        except NoPlanError as error:
            _log.warning("%s in the queue: %s", path.name, error)
        with contextlib.suppress(OSError):
            aside = set_aside(path)
            sentence = _("队列里的 {name} 不是本程序在这里写的，或者已损坏，没有继续采集，已另存为 {aside}")
            self._note([sentence.format(name=path.name, aside=aside.name)])
        return None


def _lock(path: Path, kind: int) -> int | None:
    """Open and lock a file; None when another process has it, or it is gone by now."""
    flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK  # a pipe must not block
    try:
        descriptor = os.open(path, flags)
    except OSError:
        return None
    with contextlib.suppress(OSError):  # a file system without locks keeps no queue
        if try_lock(descriptor, kind) and _is_same(path, descriptor):
            return descriptor
    os.close(descriptor)
    return None


@contextlib.contextmanager
def _held(path: Path, kind: int) -> Iterator[int | None]:
    """Like `_lock`, for a while."""
    descriptor = _lock(path, kind)
    try:
        yield descriptor
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _is_same(path: Path, descriptor: int) -> bool:
    """Whether an open file still has its name: its batch may have ended between opening and locking it."""
    return os.path.samestat(path.lstat(), os.fstat(descriptor))


def _checked(descriptor: int) -> bytes:
    """The bytes of a file that this user alone can read and write.

    Raises:
        NoPlanError: It is none.
    """
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode) or stat.S_IMODE(found.st_mode) & 0o077 or found.st_uid != os.getuid():
        raise NoPlanError("not a file of this user alone")
    if found.st_size > _MOST_BYTES:
        raise NoPlanError("too large")
    with os.fdopen(os.dup(descriptor), "rb") as file:
        file.seek(0)
        return file.read()


def _mend_end(descriptor: int) -> None:
    """Let what is appended begin on a line of its own: the last one may be torn."""
    size = os.fstat(descriptor).st_size
    if os.pread(descriptor, 1, size - 1) != b"\n":
        _write_all(descriptor, b"\n")


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _remove(path: Path, descriptor: int) -> None:
    """Remove a file that is open and locked, and then let go of it."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        _log.warning("%s stays in the queue: %s", path.name, error)
    finally:
        os.close(descriptor)


def _release(_path: Path, descriptor: int) -> None:
    os.close(descriptor)
