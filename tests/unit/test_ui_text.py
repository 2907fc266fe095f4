"""Columns, numbers, line breaks, and keys that Textual gets wrong."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

import pytest
from rich.cells import cell_len
from textual import events
from textual._xterm_parser import XTermParser
from textual.content import Content

from geekagent_tui.ui import text
from geekagent_tui.ui.terminal import teach_keys
from geekagent_tui.ui.wrapping import teach_chinese, wrap


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (0, "0"),
        (886, "886"),
        (1042, "1.0k"),
        (9_950, "10k"),
        (64_000, "64k"),
        (999_500, "1.0M"),
        (2**31, "2.1G"),
    ],
)
def test_counts_are_short(number: int, shown: str) -> None:
    assert text.compact(number) == shown


def test_sizes_and_durations() -> None:
    assert [text.size(n) for n in (512, 4130, 4_100_000)] == ["512 B", "4.1 kB", "4.1 MB"]
    assert [text.duration(s) for s in (0.0031, 4.25, 125)] == ["3 ms", "4.2 s", "2:05"]


def test_times_are_local_and_name_another_year() -> None:
    assert len(text.clock(datetime.now(UTC))) == 8
    assert text.day_and_time(datetime(2001, 5, 6, 12, tzinfo=UTC)).startswith("2001-05-0")


def test_columns_are_measured_in_cells() -> None:
    line = text.columns(Content("中文标题很长很长很长"), Content("2 段"), 20)
    assert line.cell_length == 20
    assert line.plain.endswith("…  2 段") or "…" in line.plain
    assert text.cell("中文", 6) == "中文  "
    assert text.cell("2 段", 6, right=True) == "  2 段"
    assert cell_len(text.shorten_middle("http://example.org/很长的/路径/文件.html", 20)) <= 20
    assert text.shorten_middle("abcdefghij", 5) == "ab…ij"


def test_chinese_lines_are_full_and_marks_stay_with_their_words() -> None:
    teach_chinese()
    assert wrap("压缩之后保留最近六条，其余合并。", 12) == ["压缩之后保留", "最近六条，其", "余合并。"]
    assert wrap("一二三四五，六", 10) == ["一二三四", "五，六"]
    assert wrap("见《笔记》 MAX_HISTORY 默认", 13) == ["见《笔记》", "MAX_HISTORY", "默认"]
    assert wrap("don't break words here", 12) == ["don't break", "words here"]
    assert wrap("    缩进\n\nx", 20) == ["    缩进", "", "x"]


def keys(sequence: str) -> list[str]:
    parser = XTermParser()
    found: Iterable[object] = [*parser.feed(sequence), *parser.feed("")]
    return [event.key for event in found if isinstance(event, events.Key)]


def test_keys_of_real_terminals() -> None:
    teach_keys()
    assert keys("\x1b\r") == ["alt+enter"]
    assert keys("\r") == ["enter"]
    assert keys("\n") == ["ctrl+j"]
    assert keys("\x1b[13;2u") == ["shift+enter"]
    assert keys("\x1b[<32;NaN;NaNM") == []
