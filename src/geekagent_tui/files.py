"""Files written so that a crash at any moment leaves the old content or the new, never a mixture."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

_LOCK_SECONDS = 10.0
_LOCK_PAUSE = 0.02


def private_folder(path: Path) -> Path:
    """Make a folder that only its owner can enter, and those above it as usual; return it.

    A folder that is there already stays as open as it is.
    """
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def write_atomically(path: Path, data: bytes) -> None:
    """Replace a file's content in one step, readable by its owner only.

    The bytes reach the disk before the name does (fsync, then rename), so a power cut leaves
    one whole version.

    Raises:
        OSError: The folder is read-only or the disk is full; the old file is untouched then.
    """
    with replacing(path) as file:
        file.write(data)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Like `write_atomically`, for content that comes in pieces; an exception leaves the old file.

    Raises:
        OSError: The folder is read-only or the disk is full; the old file is untouched then.
    """
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".new")
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise


def set_aside(path: Path) -> Path:
    """Rename a broken file to `<name>.broken-<time>` beside it and return the new path."""
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S-%f")
    target = path.with_name(f"{path.name}.broken-{stamp}")
    path.rename(target)
    return target


def try_lock(descriptor: int, kind: int) -> bool:
    """Take a lock (`fcntl.LOCK_EX` or `LOCK_SH`) on an open file unless another process has it."""
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold an exclusive lock between processes on a lock file; waits a while for its holder.

    The kernel lets go of it when its holder dies, so nothing has to be cleaned up. Blocks: call it off the
    event loop.

    Raises:
        TimeoutError: Its holder keeps it for too long; a suspended program may.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        deadline = time.monotonic() + _LOCK_SECONDS
        while not try_lock(descriptor, fcntl.LOCK_EX):
            if time.monotonic() > deadline:
                raise TimeoutError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT), str(path))
            time.sleep(_LOCK_PAUSE)
        yield
    finally:
        os.close(descriptor)


def read_regular(path: Path, limit: int, *, follow: bool = False) -> bytes:
    """Read a file of a folder that may be anybody's: a plain file, at most `limit` bytes of it.

    Args:
        path: The file.
        limit: Bytes; what is behind them is left out.
        follow: Whether it may be a link.

    Raises:
        OSError: It can't be read, or is no plain file: a pipe would never end, a link leads elsewhere.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
    with os.fdopen(os.open(path, flags), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), str(path))
        return file.read(limit)
