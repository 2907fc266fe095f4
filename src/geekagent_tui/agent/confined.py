"""The one door to the files below a root.

A path is walked one name at a time, each folder opened relative to the one before (`openat` with
`O_NOFOLLOW`), so a folder that is swapped for a link while we look leads nowhere. Links are followed by us
and not by the kernel: each must stay below the root, and what it points to must exist.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from geekagent_tui.i18n import _
from geekagent_tui.reasons import reason_of

OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
LINKS = 40
"""Links followed for one path at most, as the kernel does."""


class PathError(Exception):
    """A path can't be used; the text is a sentence or clause for whoever gave it."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A place below the root, reached without leaving it.

    Attributes:
        folder: Descriptor of the deepest folder on the way that exists; open as long as the spot is used.
        missing: Folders below it that have to be made first.
        name: The last name; "." when the spot is `folder` itself.
        path: Relative to the root with `/`, links resolved; "." for the root.
        status: What is there, never a link; None when nothing is.
    """

    folder: int
    missing: tuple[str, ...]
    name: str
    path: str
    status: os.stat_result | None

    @property
    def is_folder(self) -> bool:
        """Whether a folder is there."""
        return self.status is not None and stat.S_ISDIR(self.status.st_mode)


class Confined:
    """A root and the way to what is below it.

    Attributes:
        root: Absolute, links resolved.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._spellings = (self.root, root.absolute())

    @contextlib.contextmanager
    def spot(self, typed: str) -> Iterator[Spot]:
        """Go to a path: relative to the root, or absolute and below it; blocks.

        Raises:
            PathError: It is no path, leads out of the root, or leads over a link to nothing.
        """
        walk = _Walk(self, typed)
        try:
            yield walk.run()
        except OSError as error:
            raise PathError(explained(typed, error)) from error
        finally:
            walk.close()

    def below(self, path: str) -> PurePosixPath:
        """An absolute or relative path, relative to the root.

        Raises:
            PathError: It is absolute and not below the root.
        """
        pure = PurePosixPath(path)
        if not pure.is_absolute():
            return pure
        for root in self._spellings:
            if pure.is_relative_to(root):
                return pure.relative_to(root)
        raise _outside(path)


class _Walk:
    """One walk from the root; holds the folders on the way open, so that `..` means the way back."""

    def __init__(self, confined: Confined, typed: str) -> None:
        self._confined = confined
        self._typed = typed
        self._names: list[str] = []
        self._links = 0
        self._linked = 0  # how many of the names ahead came from a link
        self._folders: list[int] = []
        self._ahead = deque(self._parts(typed))

    def run(self) -> Spot:
        self._folders = [os.open(self._confined.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)]
        while self._ahead:
            name = self._ahead.popleft()
            from_link = self._linked > 0
            self._linked = max(0, self._linked - 1)
            if name == "..":
                self._back()
                continue
            status = self._look(name)
            if status is None:
                return self._nothing(name, from_link=from_link)
            if stat.S_ISLNK(status.st_mode):
                self._follow(name)
            elif self._ahead:
                self._folders.append(os.open(name, OPEN_FOLDER, dir_fd=self._folders[-1]))
                self._names.append(name)
            else:
                return Spot(self._folders[-1], (), name, "/".join((*self._names, name)), status)
        folder = self._folders[-1]
        return Spot(folder, (), ".", "/".join(self._names) or ".", os.fstat(folder))

    def close(self) -> None:
        for folder in self._folders:
            os.close(folder)
        self._folders.clear()

    def _parts(self, typed: str) -> list[str]:
        if "\0" in typed:
            raise PathError(_("路径里有 NUL 字符，请去掉"))
        try:
            os.fsencode(typed)
        except UnicodeEncodeError:
            raise PathError(_("路径里有不能用作文件名的字符：{path}").format(path=typed)) from None
        home = typed == "~" or typed.startswith("~/")
        path = self._confined.below(str(Path(typed).expanduser()) if home else typed)
        return [part for part in path.parts if part != "."]

    def _look(self, name: str) -> os.stat_result | None:
        try:
            return os.stat(name, dir_fd=self._folders[-1], follow_symlinks=False)
        except FileNotFoundError:
            return None

    def _back(self) -> None:
        if not self._names:
            raise _outside(self._typed)
        os.close(self._folders.pop())
        self._names.pop()

    def _follow(self, name: str) -> None:
        self._links += 1
        if self._links > LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        target = os.readlink(name, dir_fd=self._folders[-1])
        if target.startswith("/"):
            try:
                parts = self._confined.below(target).parts
            except PathError:
                raise _outside(self._typed) from None
            while self._names:
                self._back()
        else:
            parts = tuple(part for part in PurePosixPath(target).parts if part != ".")
        self._ahead.extendleft(reversed(parts))
        self._linked += len(parts)

    def _nothing(self, name: str, *, from_link: bool) -> Spot:
        """The spot of something that is not there yet."""
        if from_link:
            raise PathError(_("符号链接指向不存在的文件：{path}").format(path=self._typed))
        rest = [name, *self._ahead]
        if ".." in rest:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        path = "/".join((*self._names, *rest))
        return Spot(self._folders[-1], tuple(rest[:-1]), rest[-1], path, None)


def explained(path: str, error: OSError) -> str:
    """Why a path can't be used, in plain words."""
    match error.errno:
        case errno.ENOENT:
            return _("文件不存在：{path}").format(path=path)
        case errno.EACCES | errno.EPERM:
            return _("没有权限：{path}").format(path=path)
        case errno.ENOTDIR:
            return _("不是文件夹：{path}").format(path=path)
        case errno.EISDIR:
            return _("是文件夹，不是文件：{path}").format(path=path)
        case errno.ELOOP:
            return _("符号链接太多或正在被替换：{path}").format(path=path)
        case _:
            return _("打不开 {path}：{reason}").format(path=path, reason=reason_of(error))


def _outside(path: str) -> PathError:
    return PathError(_("路径越界：{path}").format(path=path))
