"""`search`: lines of files that match a regular expression."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from geekagent_tui.agent.blocking import interruptible
from geekagent_tui.agent.confined import Confined, PathError, Spot
from geekagent_tui.agent.consent import Consent
from geekagent_tui.agent.models.base import ToolSpec
from geekagent_tui.agent.protected import is_secret
from geekagent_tui.agent.spots import open_at
from geekagent_tui.agent.targets import FileTarget
from geekagent_tui.agent.tools.base import Arguments, Outcome, ToolError, object_schema, text_argument
from geekagent_tui.agent.tools.files_list import path_matcher
from geekagent_tui.agent.tools.files_shown import more, offset_of, shown
from geekagent_tui.agent.tools.files_text import decoded, with_line_ends
from geekagent_tui.agent.tools.files_walk import SECONDS, Found, Walk
from geekagent_tui.agent.tools.ripgrep import candidates
from geekagent_tui.i18n import _, ngettext

if TYPE_CHECKING:
    from regex import Pattern  # type: ignore[import-untyped]

LINES = 50
"""Lines that one answer holds at most."""
LINE = 300
"""Characters of a line that are shown at most."""
FILE_BYTES = 4 * 1024 * 1024
"""Larger files are left out."""
FILE_SECONDS = 2.0
"""Seconds that an expression may take on one file."""


class Search:
    """`search`: every line below a folder, or of a file, that matches.

    What is no valid expression is looked for as it stands.
    """

    spec = ToolSpec(
        "search",
        "在文件内容里按正则表达式查找（默认不分大小写），返回 路径:行号: 内容。"
        "遵守 .gitignore，跳过隐藏、二进制和过大的文件。",
        object_schema(
            {"pattern": "正则表达式或一段原文"},
            path={"type": "string", "description": "只在这个文件夹或文件里找，默认根目录"},
            glob={"type": "string", "description": "只找路径匹配此通配符的文件，如 **/*.py"},
            case_sensitive={"type": "boolean", "description": "是否区分大小写，默认 false"},
            offset={"type": "integer", "minimum": 0, "description": "跳过前面多少行结果，用于续看"},
        ),
        read_only=True,
    )
    asks_itself = False
    guarded = False

    def __init__(self, confined: Confined, consent: Consent, mask: Callable[[str], str]) -> None:
        self._confined = confined
        self._consent = consent
        self._mask = mask

    def target(self, arguments: Arguments) -> str:
        """The expression."""
        return text_argument(arguments, "pattern")

    async def run(self, arguments: Arguments) -> Outcome:
        """Search."""
        pattern, path = text_argument(arguments, "pattern"), text_argument(arguments, "path")
        try:
            hunt = await interruptible(self._hunted, arguments)
        except PathError as error:
            raise ToolError(_("search 失败：{reason}").format(reason=error)) from error
        count = len(hunt.lines)
        if not count:
            nothing = _('没有匹配 "{pattern}"').format(pattern=pattern)
            where = _("（在 {path} 下）").format(path=path) if path else ""
            lines = [nothing + where]
        else:
            lines = [_('匹配 "{pattern}" {n} 行：').format(pattern=pattern, n=count), *hunt.lines]
        if hunt.full:
            lines += [
                _("...(已达上限 {n} 行，换更聚焦的关键词再搜)").format(n=LINES),
                more(hunt.skip + LINES),
            ]
        lines += [_("...(没有搜完：{reason})").format(reason=reason) for reason in hunt.left_out()]
        return Outcome("\n".join(lines), ngettext("{n} 行", "{n} 行", count).format(n=count))

    def _hunted(self, stop: threading.Event, arguments: Arguments) -> _Hunt:
        pattern = _compiled(
            text_argument(arguments, "pattern"), sensitive=arguments.get("case_sensitive") is True
        )
        hunt = _Hunt(pattern, offset_of(arguments), self._mask)
        glob = text_argument(arguments, "glob")
        matches = path_matcher(str(self._confined.below(glob))) if glob else _any
        with self._confined.spot(text_argument(arguments, "path") or ".") as spot:
            if spot.missing or spot.status is None:
                raise PathError(_("文件不存在：{path}").format(path=spot.path))
            if not spot.is_folder:
                self._one(hunt, spot)
                return hunt
            names = candidates(text_argument(arguments, "pattern"), spot)
            walk = Walk(self._confined, spot, stop=stop)
            for found in walk:
                if not matches(found.path) or (names is not None and found.path not in names):
                    continue
                if self._may_read(found.path) and not hunt.take(found):
                    break
            hunt.cut_short = walk.cut_short
        return hunt

    def _one(self, hunt: _Hunt, spot: Spot) -> None:
        if not self._may_read(spot.path):
            raise PathError(_("没有权限：{path}").format(path=spot.path))
        hunt.take(Found(spot.folder, spot.name, spot.path))

    def _may_read(self, path: str) -> bool:
        target = FileTarget(path)
        return not (
            is_secret(path) or self._consent.denied("search", target) or self._consent.denied("read", target)
        )


@dataclass(slots=True)
class _Hunt:
    """One search under way.

    Attributes:
        skip: Matching lines that were shown before.
        lines: Those to show now.
        full: Whether there are more.
        cut_short: Why the walk ended early.
    """

    pattern: Pattern[str]
    skip: int
    mask: Callable[[str], str]
    lines: list[str] = field(default_factory=list)
    full: bool = False
    cut_short: str = ""
    _passed: int = 0
    _large: int = 0
    _slow: int = 0
    _deadline: float = field(default_factory=lambda: time.monotonic() + SECONDS)

    def take(self, found: Found) -> bool:
        """Search a file; False when there is no room for more lines."""
        text = self._text(found)
        try:
            for number, line in self._matching(text):
                self._passed += 1
                if self._passed <= self.skip:
                    continue
                if len(self.lines) == LINES:
                    self.full = True
                    return False
                self.lines.append(f"{shown(found.path)}:{number}: {line}")
        except TimeoutError:
            self._slow += 1
        return True

    def left_out(self) -> list[str]:
        """What was not searched, in words."""
        reasons = [self.cut_short] if self.cut_short else []
        if self._large:
            count = ngettext("{n} 个文件过大", "{n} 个文件过大", self._large)
            reasons.append(count.format(n=self._large))
        if self._slow:
            count = ngettext("表达式在 {n} 个文件上耗时太久", "表达式在 {n} 个文件上耗时太久", self._slow)
            reasons.append(count.format(n=self._slow))
        return reasons

    def _text(self, found: Found) -> str:
        try:
            file = open_at(found.folder, found.name)
            if file is None:
                return ""
            with file:
                data = file.read(FILE_BYTES + 1)
            if len(data) > FILE_BYTES:
                self._large += 1
                return ""
            return with_line_ends(self.mask(decoded(data, found.path).text), "\n")
        except (OSError, PathError):
            return ""

    def _matching(self, text: str) -> list[tuple[int, str]]:
        """Numbers and texts of the lines on which a match begins.

        Raises:
            TimeoutError: The expression takes too long.
        """
        until = min(self._deadline, time.monotonic() + FILE_SECONDS)
        found: list[tuple[int, str]] = []
        place, number = 0, 1
        while place <= len(text):
            rest = until - time.monotonic()
            if rest <= 0:
                raise TimeoutError
            # concurrent: without the lock that would keep the screen from being drawn
            match = self.pattern.search(text, place, timeout=rest, concurrent=True)
            if match is None or (match.start() == len(text) and not text):
                break
            start = match.start()
            number += text.count("\n", place, start)
            begin = text.rfind("\n", 0, start) + 1
            end = text.find("\n", start)
            end = len(text) if end < 0 else end
            if begin < len(text):
                found.append((number, _cut(text[begin:end], start - begin)))
            place, number = end + 1, number + 1
        return found


def _cut(line: str, place: int) -> str:
    """A line, or what is around a place of it."""
    line = line.rstrip()
    if len(line) <= LINE:
        return line
    start = max(0, min(place - LINE // 3, len(line) - LINE))
    end = start + LINE
    return ("…" if start else "") + line[start:end] + ("…" if end < len(line) else "")


def _compiled(pattern: str, *, sensitive: bool) -> Pattern[str]:
    import regex

    flags = regex.MULTILINE | (0 if sensitive else regex.IGNORECASE)
    try:
        return regex.compile(pattern, flags)
    except regex.error:
        return regex.compile(re.escape(pattern), flags)


def _any(_path: str) -> bool:
    return True
