"""Passages: the reference's windows exactly, and the rules of structure."""

from __future__ import annotations

from itertools import pairwise

import pytest

from geekagent_tui.rag.chunk import OVERLAP, SIZE, Chunk, Chunking, chunk, windows


@pytest.mark.parametrize(
    ("length", "size", "expected"),
    [
        (0, 320, []),
        (1, 320, [(0, 1)]),
        (320, 320, [(0, 320)]),
        (321, 320, [(0, 320), (240, 321)]),
        (801, 800, [(0, 800), (720, 801)]),
        (1042, 800, [(0, 800), (720, 1042)]),
        (1520, 800, [(0, 800), (720, 1520)]),
        (1521, 800, [(0, 800), (720, 1520), (1440, 1521)]),
    ],
)
def test_windows_are_the_reference_s(length: int, size: int, expected: list[tuple[int, int]]) -> None:
    assert windows("字" * length, size) == expected


def test_windows_count_utf16_units_and_keep_pairs_whole() -> None:
    # 801 units: the end at 800 would cut the pair at 799, the start at 720 the one at 719.
    text = "a" * 719 + "😀" + "b" * 78 + "😀"
    assert len(text.encode("utf-16-le")) // 2 == 801
    (first, second) = windows(text)
    assert text[slice(*first)] == text[:-1]
    assert text[slice(*second)] == "b" * 78 + "😀"


def test_window_mode_leaves_blank_windows_out() -> None:
    assert chunk("a" * 720 + " " * 1000, Chunking.WINDOW) == [Chunk(0, 800)]


def pieces(text: str) -> list[str]:
    return [text[c.start : c.end] for c in chunk(text)]


def test_nothing_makes_no_passage() -> None:
    assert chunk("") == chunk(" \n\n\t") == []


def test_blocks_are_packed_up_to_the_size() -> None:
    paragraphs = ["甲" * 300, "乙" * 300, "丙" * 196, "丁" * 10]
    text = "\n\n".join(paragraphs)
    assert pieces(text) == ["\n\n".join(paragraphs[:3]), paragraphs[3]]
    assert len(pieces(text)[0]) == SIZE


def test_a_passage_with_enough_ends_before_a_heading() -> None:
    before, after = "甲" * 400, "# 标题\n\n乙"
    assert pieces(f"{before}\n\n{after}") == [before, after]
    short = "甲" * 399
    assert pieces(f"{short}\n\n{after}") == [f"{short}\n\n{after}"]


def test_a_heading_goes_with_what_it_announces() -> None:
    first, second = "甲" * 390, "## 乙\n\n" + "乙" * 500
    assert pieces(f"{first}\n\n{second}") == [first, second]


def test_heading_paths() -> None:
    text = "# 甲 #\n\n" + "一" * 450 + "\n\n## **乙** `x`\n\n" + "二" * 450 + "\n\n丙\n===\n\n" + "三" * 450
    assert [c.heading for c in chunk(text)] == ["甲", "甲 › 乙 x", "丙"]
    assert chunk("前言\n\n# 后面\n\n文")[0].heading == ""


def test_what_only_looks_like_a_heading() -> None:
    for text in ["#hashtag", "    # code", "```\n# comment\n```", "# " + "长" * 300, "a\nb\n---"]:
        assert chunk(f"{text}\n\n文")[0].heading == ""


def test_a_fence_that_fits_is_never_cut() -> None:
    fence = "```python\n" + "x = 1\n\n# not a heading\n" * 15 + "```"
    for length in range(380, 801, 60):
        assert any(fence in piece for piece in pieces("甲" * length + "\n" + fence + "\n\n乙"))
    tildes = "~~~\n```\n\n" + "y" * 700 + "\n~~~"
    assert pieces("前" * 200 + "\n\n" + tildes) == ["前" * 200, tildes]


def test_an_unclosed_fence_reaches_to_the_end() -> None:
    assert pieces("```\ncode\n\n# more") == ["```\ncode\n\n# more"]


def test_list_items_and_table_rows_are_blocks() -> None:
    items = [f"- 第 {n} 项：" + "内容" * 60 for n in range(20)]
    for piece in pieces("\n".join(items)):
        assert set(piece.split("\n")) <= set(items)
    rows = [f"| {n} | " + "值" * 100 + " |" for n in range(20)]
    for piece in pieces("\n".join(rows)):
        assert set(piece.split("\n")) <= set(rows)


def test_a_long_block_is_cut_at_sentences_with_overlap() -> None:
    text = "这是一个关于压缩的句子，说明阈值。" * 100
    found = chunk(text)
    assert all(text[c.end - 1] == "。" for c in found)
    assert all(after.start == before.end - OVERLAP for before, after in pairwise(found))
    assert found[0].end > SIZE - 20


def test_a_long_block_without_sentences_is_cut_between_words_then_anywhere() -> None:
    words = "word " * 400
    assert all(piece.endswith("word") for piece in pieces(words))
    assert [len(piece) for piece in pieces("字" * 1600)] == [800, 800, 160]


def test_a_cut_never_falls_into_a_character() -> None:
    family = "👩‍👩‍👧‍👦"
    for piece in pieces(family * 300):
        assert piece == family * (len(piece) // len(family))


def test_one_endless_character_is_cut_all_the_same() -> None:
    text = "a" + "\u0301" * 3000
    assert all(0 < len(piece) <= SIZE for piece in pieces(text))


def test_the_rest_of_a_long_block_is_packed_with_what_follows() -> None:
    text = "字" * 900 + "\n\n后文"
    assert pieces(text) == ["字" * 800, "字" * 180 + "\n\n后文"]
