"""Reading a file, never another one than the user agreed to."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

from geekagent_tui.i18n import _
from geekagent_tui.rag import limits
from geekagent_tui.rag.errors import GoneError, SourceError
from geekagent_tui.rag.failures import failed, not_text, too_many_bytes
from geekagent_tui.rag.model import Source, SourceKind
from geekagent_tui.rag.raw import Raw, file_version
from geekagent_tui.rag.sniff import binary_type
from geekagent_tui.reasons import reason_of

_PLATFORM: str = sys.platform  # a variable, so that both branches are type-checked everywhere
_F_GETPATH = 50  # <sys/fcntl.h> of macOS
_PATH_MAX = 1024


def read_file(source: Source, root: Path | None = None) -> Raw:
    """Read a file source; blocks, so call it in a thread.

    What was opened is checked, not what the path says: a link swapped in between can't lead out of the root.

    Args:
        source: Of kind FILE.
        root: The folder that the file must really be in; None means anywhere.

    Raises:
        GoneError: It is not there.
        SourceError: Not allowed, not a regular file, too large, or not text.
    """
    try:
        # NONBLOCK: opening a pipe without a writer would wait for ever
        descriptor = os.open(source.location, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise _not_opened(source, error) from None
    try:
        version = file_version(_checked(descriptor, source, root))
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read(limits.BYTES + 1)
    except OSError as error:
        raise _not_opened(source, error) from None
    finally:
        os.close(descriptor)
    if len(data) > limits.BYTES:
        raise too_many_bytes()
    if kind := binary_type(data):
        raise not_text(source.identity, kind)
    return Raw(data, SourceKind.FILE, Path(source.location).name, etag=version)


def _checked(descriptor: int, source: Source, root: Path | None) -> os.stat_result:
    """An open file's status; refuses one that is not what the user agreed to."""
    status = os.fstat(descriptor)
    if root is not None and not _is_inside(descriptor, source.location, root):
        raise failed(_("路径越界：{path}").format(path=source.identity))
    if not stat.S_ISREG(status.st_mode):
        raise failed(_("不是普通文件：{path}").format(path=source.identity))
    if status.st_size > limits.BYTES:
        raise too_many_bytes()
    return status


def _is_inside(descriptor: int, location: str, root: Path) -> bool:
    real = _real_path(descriptor, location)
    return real is not None and Path(real).is_relative_to(os.path.realpath(root))


def _real_path(descriptor: int, location: str) -> str | None:
    """The path of an open file, links resolved; None when it can't be told."""
    if _PLATFORM == "linux":
        return str(Path(f"/proc/self/fd/{descriptor}").readlink())
    if _PLATFORM == "darwin":
        import fcntl

        answer: bytes = fcntl.fcntl(descriptor, _F_GETPATH, bytes(_PATH_MAX))
        return os.fsdecode(answer.rstrip(b"\0"))
    real = os.path.realpath(location)
    return real if os.path.samestat(Path(real).stat(), os.fstat(descriptor)) else None


def _not_opened(source: Source, error: OSError) -> SourceError:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return GoneError(failed(_("文件不存在：{path}").format(path=source.identity)).message)
    if isinstance(error, PermissionError):
        return failed(_("没有读取权限：{path}").format(path=source.identity))
    if isinstance(error, IsADirectoryError):
        return failed(_("不是普通文件：{path}").format(path=source.identity))
    return failed(_("打不开 {path}：{reason}").format(path=source.identity, reason=reason_of(error)))
