"""Pieces of texts with the words that were looked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geekagent_tui.rag.model import Hit, NoHits, SearchResult
from geekagent_tui.ui.panels.knowledge_hits import HitRow, hit_rows, neighbours
from geekagent_tui.ui.snippets import pattern, piece, spans, without_headings

WORDS = st.text(
    st.one_of(st.sampled_from("历史压缩阈值 aBİßﬀ.*+?[](){}\\|^$#-\n"), st.characters()), max_size=60
)


@pytest.mark.parametrize(
    ("query", "text", "lit"),
    [
        ("历史压缩", "关于历史的压缩，历史压缩", ["历史", "压缩", "历史压缩"]),
        ("max_history", "see MAX_HISTORY_CHARS", ["MAX_HISTORY"]),
        ("C++ v2.0", "in c++ and V2.0", ["c++", "V2.0"]),
        ("史压缩", "历史压缩阈值", ["史压缩"]),
        ("?!", "什么?!", []),
    ],
)
def test_words_are_lit_up(query: str, text: str, lit: list[str]) -> None:
    assert [text[start:end] for start, end in spans(text, pattern(query))] == lit


@given(WORDS, WORDS)
def test_spans_are_in_order_and_apart(query: str, text: str) -> None:
    edges = [edge for span in spans(text, pattern(query)) for edge in span]
    assert edges == sorted(set(edges))
    assert all(0 <= edge <= len(text) for edge in edges)


@given(WORDS, WORDS, st.integers(2, 40))
def test_a_piece_is_one_line_of_about_its_length(query: str, text: str, length: int) -> None:
    shown = piece(text, pattern(query), length)
    assert "\n" not in shown
    assert len(shown) <= length + 2


def test_a_piece_shows_where_most_of_the_words_are() -> None:
    text = "历史" + "。" * 300 + "历史压缩的阈值和历史压缩的摘要" + "。" * 300
    shown = piece(text, pattern("历史压缩"), 60)
    assert "历史压缩的阈值和历史压缩的摘要" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")


def test_headings_at_the_top_are_left_out() -> None:
    assert without_headings("# 一\n\n## 二\n正文 # 不是") == "正文 # 不是"
    assert without_headings("# 一\n正文\n\n## 二\n正文") == "正文\n\n二\n正文"
    assert without_headings("#标签 不是标题") == "#标签 不是标题"
    assert without_headings("# 只有标题") == ""


def hit(document: int, passage: int, score: float = 1.0) -> Hit:
    return Hit(document, "题", "a.md", passage, 0, "文", "", score)


def test_passages_side_by_side_stand_together() -> None:
    hits = [hit(1, 4, 9), hit(2, 4, 8), hit(1, 6, 7), hit(1, 5, 6), hit(1, 9, 5)]
    groups = [[(h.id, h.passage) for h in group] for group in neighbours(hits)]
    assert groups == [[(1, 4), (1, 5), (1, 6)], [(2, 4)], [(1, 9)]]
    assert [row.key for row in hit_rows(SearchResult("文", tuple(hits), 1.0), explained=False)][2:] == [
        "hit:1:4",
        "hit:2:4",
        "hit:1:9",
    ]


@pytest.mark.parametrize("reason", NoHits)
def test_nothing_found_is_told(reason: NoHits) -> None:
    rows = hit_rows(SearchResult("字", (), 1.0, reason, note="服务器没有回答"), explained=False)
    text = "\n".join(line.plain for row in rows for line in row.lines(40))
    assert "服务器没有回答" in text
    assert "没有" in text.rpartition("\n")[2]


@given(WORDS, WORDS, WORDS, st.integers(1, 90))
def test_rows_are_as_high_as_they_say_and_fit(text: str, heading: str, share: str, width: int) -> None:
    found = Hit(1, text, "a", 3, 0, text, heading, 1.0, {share: 0.5, "words": 0.5}, page=7)
    row = HitRow([found], pattern(text), explained=True)
    lines = row.lines(width)
    assert row.height(width) == len(lines)
    if width >= 24:
        assert all(line.cell_length <= width for line in lines)
