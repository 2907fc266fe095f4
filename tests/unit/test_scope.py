"""Selections in words, as they are typed and as they are shown."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from geekagent_tui.agent.scope import label, selection_of
from geekagent_tui.rag.model import Document, Selection, SourceKind

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def document(number: int, title: str) -> Document:
    return Document(number, title, f"{number}.md", SourceKind.FILE, 1, 10, NOON, NOON)


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        (Selection(tags=("读书",)), "标签 读书"),
        (Selection(tags=("a", "b", "c", "d")), "标签 a、b、c 等 4 个"),
        (Selection(documents=(1, 2, 3)), "3 个文档"),
        (Selection(documents=(1,)), "《鲸鱼》"),
        (Selection(documents=(9,)), "1 个文档"),
        (Selection(sources=("example.org",)), "example.org"),
        (Selection(tags=("读书",), kinds=("pdf",)), "标签 读书，类型 pdf"),
        (Selection(since=NOON, until=NOON), "2026-11-30 起，2026-11-30 前"),
        (Selection(sources=("x" * 100,)), "x" * 39 + "…"),
        (Selection(tags=("\x1b[31m红\n色",)), "标签 ␛[31m红 色"),
    ],
)
def test_a_selection_in_words(selection: Selection, expected: str) -> None:
    assert label(selection, [document(1, "鲸鱼"), document(2, "灯塔")]) == expected


def test_what_is_typed() -> None:
    assert selection_of(["#读书", "＃b", "notes/*.md", "example.org"]) == Selection(
        tags=("读书", "b"), sources=("notes/*.md", "example.org")
    )
