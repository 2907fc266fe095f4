"""Replacing single places of a text: exactly one place for each, and a helpful word when there is none."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from itertools import islice

from geekagent_tui.agent.tools.base import ToolError
from geekagent_tui.agent.tools.files_text import TextFile, with_line_ends
from geekagent_tui.i18n import _

_QUOTED = 80
_COMPARED_LINES = 5000
_NEAREST_LINES = 8
_LINE = 300
_SIMILAR = 0.5
_PLACES = 5
_LINE_END = re.compile(r"\r\n|\r|\n")
_ANY_END = r"(?:\r\n|\r(?!\n)|(?<!\r)\n)"
"""One whole line end, never half of a CRLF."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """One place: what stands there and what shall."""

    old: str
    new: str


def hunks_of(value: object) -> list[Hunk]:
    """The hunks that a model gave.

    Raises:
        ToolError: There are none, they are malformed, or they change nothing.
    """
    if not isinstance(value, list) or not value:
        raise ToolError(_("hunks 为空，未做任何修改"))
    hunks = []
    for item in value:
        old, new = (item.get("old"), item.get("new")) if isinstance(item, dict) else (None, None)
        if not isinstance(old, str) or not isinstance(new, str):
            raise ToolError(_("hunks 的每一项都必须有文本 old 和 new，未做任何修改"))
        if not old:
            raise ToolError(_("hunks 中存在空的 old 片段"))
        hunks.append(Hunk(old, new))
    if all(hunk.old == hunk.new for hunk in hunks):
        raise ToolError(_("替换后内容与原文件一致，未做任何修改"))
    return hunks


def patched(file: TextFile, hunks: list[Hunk], *, hints: bool = True) -> str:
    """The text with every hunk applied, each to what the ones before it left.

    Args:
        file: The text.
        hunks: In order.
        hints: Whether an error may quote the file.

    A hunk without carriage returns fits any line ends, and what it puts in gets those of its place.

    Raises:
        ToolError: A hunk fits nowhere or in several places; nothing is changed then.
    """
    text = file.text
    for hunk in hunks:
        start, end = _place(text, hunk.old, hints=hints)
        text = text[:start] + _fitting(hunk.new, text[start:end], file) + text[end:]
    if text == file.text:
        raise ToolError(_("替换后内容与原文件一致，未做任何修改"))
    return text


def _place(text: str, old: str, *, hints: bool) -> tuple[int, int]:
    """Where the one occurrence of a piece begins and ends."""
    found = _occurrences(text, old)
    if not found:
        hint = _nearest(text, old) if hints else ""
        raise ToolError(_("未找到匹配片段：{text}").format(text=_quoted(old)) + hint)
    if len(found) > 1:
        numbers = dict.fromkeys(text.count("\n", 0, start) + 1 for start, _end in found[:_PLACES])
        lines = _("、").join(map(str, numbers))
        sentence = _("片段匹配到多处，请加长 old 使其唯一：{text}").format(text=_quoted(old))
        raise ToolError(sentence + "\n" + _("（出现在第 {lines} 行）").format(lines=lines))
    return found[0]


def _occurrences(text: str, old: str) -> list[tuple[int, int]]:
    """The first few places of a piece, overlapping ones as well."""
    if "\r" in old or "\r" not in text:
        exact = _overlapping(text, re.compile(f"(?={re.escape(old)})"), len(old))
        if exact or "\r" not in text + old:
            return exact
    lines = _LINE_END.split(old)
    pattern = re.compile("(?=(" + _ANY_END.join(map(re.escape, lines)) + "))")
    return [match.span(1) for match in islice(pattern.finditer(text), _PLACES + 1)]


def _overlapping(text: str, pattern: re.Pattern[str], length: int) -> list[tuple[int, int]]:
    starts = (match.start() for match in islice(pattern.finditer(text), _PLACES + 1))
    return [(start, start + length) for start in starts]


def _fitting(new: str, replaced: str, file: TextFile) -> str:
    """What is put in, with the line ends of its place; carriage returns of its own mean it is exact."""
    if "\r" in new:
        return new
    there = _LINE_END.search(replaced)
    return with_line_ends(new, there.group() if there else file.line_end)


def _quoted(text: str) -> str:
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED]}…"


def _nearest(text: str, old: str) -> str:
    """The lines that are most like a piece, with their numbers; "" when none is."""
    lines, wanted = text.splitlines(), old.splitlines()
    if not wanted or len(lines) > _COMPARED_LINES:
        return ""
    anchor = max(wanted, key=lambda line: len(line.strip()))
    short = {line for line in lines if len(line) <= _LINE}
    close = difflib.get_close_matches(anchor[:_LINE], sorted(short), n=1, cutoff=_SIMILAR)
    if not close:
        return ""
    start = max(0, lines.index(close[0]) - wanted.index(anchor))
    excerpt = lines[start : start + min(len(wanted), _NEAREST_LINES)]
    numbered = [f"{number}: {line}" for number, line in enumerate(excerpt, start + 1) if len(line) <= _LINE]
    return "\n" + "\n".join([_("最接近的是："), *numbered])
