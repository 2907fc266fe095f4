"""Reading, replacing and removing what is at a spot, always relative to its open folder."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from typing import BinaryIO

from geekagent_tui.agent.confined import OPEN_FOLDER, PathError, Spot
from geekagent_tui.i18n import _

BYTES = 16 * 1024 * 1024
"""Most bytes of a file that is read whole."""

# NONBLOCK: opening a pipe without a writer would wait for ever
_OPEN_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def open_at(folder: int, name: str) -> BinaryIO | None:
    """Open a regular file in an open folder; None when it is something else.

    Raises:
        OSError: It can't be opened; ELOOP for a link.
    """
    descriptor = os.open(name, _OPEN_FILE, dir_fd=folder)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None
    return os.fdopen(descriptor, "rb")


def read(spot: Spot, limit: int = BYTES) -> bytes:
    """The whole content of a file.

    Raises:
        PathError: It is not a regular file, or larger than `limit` bytes.
        OSError: It can't be opened or read.
    """
    if spot.missing:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    if spot.is_folder:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    file = open_at(spot.folder, spot.name)
    if file is None:
        raise PathError(_("不是普通文件：{path}").format(path=spot.path))
    with file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise PathError(
            _("文件太大（超过 {limit} MB）：{path}，请用 search 查找需要的部分").format(
                limit=limit // (1024 * 1024), path=spot.path
            )
        )
    return data


def replace(spot: Spot, data: bytes, mode: int | None = None) -> None:
    """Put a file at a spot in one step, making the folders above it; the old content or the new, no mixture.

    Args:
        spot: Where.
        data: The content.
        mode: Its permissions; None for those of the file that is there, or those of any new file.

    Raises:
        OSError: It can't be written; what was there is untouched then.
    """
    if spot.is_folder:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if mode is None and spot.status is not None:
        mode = stat.S_IMODE(spot.status.st_mode)
    with _made(spot) as folder:
        temporary = f".{secrets.token_hex(8)}.new"
        descriptor = os.open(temporary, _NEW_FILE, 0o666, dir_fd=folder)
        try:
            with os.fdopen(descriptor, "wb") as file:
                if mode is not None:
                    os.fchmod(file.fileno(), mode)
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.rename(temporary, spot.name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary, dir_fd=folder)
            raise


def remove(spot: Spot) -> None:
    """Remove a file.

    Raises:
        OSError: It can't be removed.
    """
    os.unlink(spot.name, dir_fd=spot.folder)


def remove_folder(spot: Spot) -> None:
    """Remove a folder if it is empty.

    Raises:
        OSError: It is not empty, or not there.
    """
    os.rmdir(spot.name, dir_fd=spot.folder)


@contextlib.contextmanager
def _made(spot: Spot) -> Iterator[int]:
    """The folder that a spot's file belongs in, made if it is missing."""
    folder = os.dup(spot.folder)
    try:
        for name in spot.missing:
            with contextlib.suppress(FileExistsError):
                os.mkdir(name, dir_fd=folder)
            below = os.open(name, OPEN_FOLDER, dir_fd=folder)
            os.close(folder)
            folder = below
        yield folder
    finally:
        os.close(folder)
