from __future__ import annotations

from pathlib import Path

import pytest

from geekagent_tui.rag.extract import Extracted, extract
from geekagent_tui.rag.fetch import read_file
from geekagent_tui.rag.model import Source, SourceKind

NOTES = Path(__file__).parents[2] / "assets" / "notes"


def note(name: str) -> Extracted:
    return extract(read_file(Source(SourceKind.FILE, name, str(NOTES / name))))


@pytest.mark.parametrize(
    ("name", "title", "characters"),
    [("day5.html", "Day 5 学习笔记", 1042), ("day9.html", "Day 9 学习笔记", 886)],
)
def test_the_sample_pages_have_the_references_sizes(name: str, title: str, characters: int) -> None:
    extracted = note(name)
    assert extracted.title == title
    assert len(extracted.text) == characters
    assert len(extracted.text.encode("utf-16-le")) == 2 * characters
    for boilerplate in ("首页", "关于本站", "相关推荐", "订阅", "回到顶部", "©"):
        assert boilerplate not in extracted.text


def test_only_day_5_tells_the_threshold() -> None:
    day5 = note("day5.html").text
    assert "历史压缩的触发阈值是常量 `MAX_HISTORY_CHARS`，默认 4000 个字符" in day5
    assert "最近 6 条消息原样保留" in day5
    day9 = note("day9.html").text
    assert "4000" not in day9
    assert day9.count("历史压缩") == 1


def test_the_local_note() -> None:
    extracted = note("local.md")
    assert extracted.title == "本地笔记"
    assert extracted.text.startswith("# 本地笔记\n\n")
