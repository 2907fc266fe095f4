"""`ls` and `glob`: which files there are."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import stat
import threading
from collections.abc import Callable, Iterator
from typing import Any

from geekagent_tui.agent.blocking import finished, interruptible
from geekagent_tui.agent.confined import OPEN_FOLDER, Confined, PathError
from geekagent_tui.agent.consent import Consent, Wish
from geekagent_tui.agent.events import ToolState
from geekagent_tui.agent.models.base import ToolSpec
from geekagent_tui.agent.protected import is_secret
from geekagent_tui.agent.targets import FileTarget
from geekagent_tui.agent.tools.base import Arguments, Outcome, ToolError, object_schema, text_argument
from geekagent_tui.agent.tools.files_shown import more, offset_of, shown
from geekagent_tui.agent.tools.files_walk import Walk
from geekagent_tui.i18n import _, ngettext

LISTED = 200
"""Names that one answer holds at most."""
_GROUPS = 8
_BRACES = 64

OFFSET: dict[str, Any] = {"type": "integer", "minimum": 0, "description": "从第几项开始，用于续看"}


class Ls:
    """`ls`: what is in a folder."""

    spec = ToolSpec(
        "ls",
        "列出一个文件夹里的文件和子文件夹（子文件夹以 / 结尾，符号链接以 @ 结尾）。",
        object_schema(
            {}, path={"type": "string", "description": "相对于根目录的路径，默认根目录"}, offset=OFFSET
        ),
        read_only=True,
    )
    asks_itself = True
    guarded = False

    def __init__(self, confined: Confined, consent: Consent) -> None:
        self._confined = confined
        self._consent = consent

    def target(self, arguments: Arguments) -> str:
        """The folder."""
        return text_argument(arguments, "path") or "."

    async def run(self, arguments: Arguments) -> Outcome:
        """List it."""
        typed = self.target(arguments)
        try:
            path, names = await finished(self._names, typed)
        except PathError as error:
            raise ToolError(_("打开目录失败：{reason}").format(reason=error)) from error
        wish = Wish(
            "ls",
            FileTarget(path, is_folder=True),
            _("列出 {path}？").format(path=shown(str(self._confined.root / path))),
            has_effects=False,
            protected=is_secret(path),
        )
        if not await self._consent.given(wish, arguments):
            return Outcome(_("已取消执行"), _("已拒绝"), ToolState.DENIED)
        summary = ngettext("{n} 项", "{n} 项", len(names)).format(n=len(names))
        if not names:
            return Outcome(_("(空目录)"), summary)
        offset = offset_of(arguments)
        lines = [_("共 {n} 项：").format(n=len(names)), *names[offset : offset + LISTED]]
        if offset + LISTED < len(names):
            lines.append(more(offset + LISTED))
        return Outcome("\n".join(lines), summary)

    def _names(self, typed: str) -> tuple[str, list[str]]:
        """Folders first, then the rest, as they are shown."""
        with self._confined.spot(typed) as spot:
            if spot.missing:
                raise PathError(_("文件不存在：{path}").format(path=typed))
            folder = os.open(spot.name, OPEN_FOLDER, dir_fd=spot.folder)
            try:
                with os.scandir(folder) as entries:
                    found = [(*_kind(entry), shown(entry.name)) for entry in entries]
            finally:
                os.close(folder)
            return spot.path, [name + mark for _order, mark, name in sorted(found, key=_by_name)]


def _kind(entry: os.DirEntry[str]) -> tuple[int, str]:
    if entry.is_symlink():
        return 1, "@"
    with contextlib.suppress(OSError):
        if stat.S_ISDIR(entry.stat(follow_symlinks=False).st_mode):
            return 0, "/"
    return 1, ""


def _by_name(item: tuple[int, str, str]) -> tuple[int, str, str]:
    order, _mark, name = item
    return order, name.casefold(), name


class Glob:
    """`glob`: files whose path matches a pattern."""

    spec = ToolSpec(
        "glob",
        "按通配符查找文件，如 src/**/*.py、*.{md,txt}。遵守 .gitignore；以 . 开头的名字要在模式里写明。",
        object_schema({"pattern": "相对于根目录的通配符模式"}, offset=OFFSET),
        read_only=True,
    )
    asks_itself = False
    guarded = False

    def __init__(self, confined: Confined, consent: Consent) -> None:
        self._confined = confined
        self._consent = consent

    def target(self, arguments: Arguments) -> str:
        """The pattern."""
        return text_argument(arguments, "pattern")

    async def run(self, arguments: Arguments) -> Outcome:
        """Find them."""
        try:
            paths, cut_short = await interruptible(self._matching, self.target(arguments))
        except PathError as error:
            raise ToolError(_("glob 失败：{reason}").format(reason=error)) from error
        summary = ngettext("{n} 个", "{n} 个", len(paths)).format(n=len(paths))
        offset = offset_of(arguments)
        lines = [_("匹配到 {n} 个：").format(n=len(paths)), *map(shown, paths[offset : offset + LISTED])]
        if not paths:
            lines = [_("(没有匹配到任何文件)")]
        if offset + LISTED < len(paths):
            lines += [_("...(已达上限 {n} 条，可换更精确的 pattern)").format(n=LISTED), more(offset + LISTED)]
        if cut_short:
            lines.append(_("...(没有找完：{reason})").format(reason=cut_short))
        return Outcome("\n".join(lines), summary)

    def _matching(self, stop: threading.Event, pattern: str) -> tuple[list[str], str]:
        pattern = str(self._confined.below(pattern))
        matches = path_matcher(pattern)
        hidden = re.search(r"(^|[/{,])\.", pattern) is not None
        with self._confined.spot(".") as spot:
            walk = Walk(self._confined, spot, hidden=hidden, stop=stop)
            paths = [
                found.path
                for found in walk
                if matches(found.path) and not self._consent.denied("glob", FileTarget(found.path))
            ]
        return sorted(paths), walk.cut_short


def path_matcher(pattern: str) -> Callable[[str], bool]:
    """Whether a path matches a glob with `**` and `{a,b}`.

    Raises:
        PathError: It leads upwards, or has too many alternatives.
    """
    from geekagent_tui.rag.listing import matcher

    if pattern.count("{") > _GROUPS:
        raise PathError(_("模式里的 {{}} 太多，最多 {n} 个").format(n=_GROUPS))
    alternatives = list(itertools.islice(_unbraced(pattern), _BRACES + 1))
    if len(alternatives) > _BRACES:
        raise PathError(_("模式里的 {{}} 组合太多，最多 {n} 种").format(n=_BRACES))
    if any(".." in alternative.split("/") for alternative in alternatives):
        raise PathError(_("路径越界：{path}").format(path=pattern))
    matchers = [matcher(alternative) for alternative in alternatives]
    return lambda path: any(matches(path) for matches in matchers)


def _unbraced(pattern: str) -> Iterator[str]:
    """The patterns that one with `{a,b}` stands for, made as they are asked for."""
    match = re.search(r"\{([^{}]*,[^{}]*)\}", pattern)
    if match is None:
        yield pattern
        return
    for choice in match.group(1).split(","):
        yield from _unbraced(pattern[: match.start()] + choice + pattern[match.end() :])
