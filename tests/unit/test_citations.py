"""Citations are found however they are written, and only what was retrieved counts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from geekagent_tui.agent.citations import Evidence, digest
from geekagent_tui.agent.models.quoting import literal
from geekagent_tui.rag.model import Hit


def hit(identifier: int, title: str, passage: int) -> Hit:
    return Hit(identifier, title, f"{title}.md", passage, 0, "text", "", 1.0)


@pytest.fixture
def evidence() -> Evidence:
    known = Evidence()
    known.add(
        [
            hit(1, "Day 5 学习笔记", 2),
            hit(1, "Day 5 学习笔记", 3),
            hit(2, "读《红楼梦》", 1),
            hit(3, "a_b", 1),
        ]
    )
    return known


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("默认 4000 字符。《Day 5 学习笔记》第 2 段", [("《Day 5 学习笔记》第 2 段", 2, 1)]),
        ("《Day 5 学习笔记》第2段。", [("《Day 5 学习笔记》第2段", 2, 1)]),
        ("《Day 5 学习笔记》第２段", [("《Day 5 学习笔记》第２段", 2, 1)]),
        ("《day5学习笔记》 第 2 段", [("《day5学习笔记》 第 2 段", 2, 1)]),
        ("《Day 5 学习笔记》第 9 段", [("《Day 5 学习笔记》第 9 段", 9, None)]),
        ("《别的》第 2 段", [("《别的》第 2 段", 2, None)]),
        (
            "《Day 5 学习笔记》第 2、3 段",
            [("《Day 5 学习笔记》第 2", 2, 1), ("3 段", 3, 1)],
        ),
        (
            "《Day 5 学习笔记》第 2 段和第 3 段",
            [("《Day 5 学习笔记》第 2 段", 2, 1), ("第 3 段", 3, 1)],
        ),
        (
            "《Day 5 学习笔记》第 2 段、《读《红楼梦》》第 1 段",
            [("《Day 5 学习笔记》第 2 段", 2, 1), ("《读《红楼梦》》第 1 段", 1, 2)],
        ),
        ("见《读《红楼梦》》第 1 段", [("《读《红楼梦》》第 1 段", 1, 2)]),
        (r"《a\_b》第 1 段", [(r"《a\_b》第 1 段", 1, 3)]),
        ("《Day 5 学习笔记》第 2 段，3 个文件", [("《Day 5 学习笔记》第 2 段", 2, 1)]),
        ("《红楼梦》第 5 回", []),
        ("《红楼梦》第 5、6 回", []),
        ("》第 2 段", []),
        ("《》第 2 段", []),
        ("《没有\n标题》第 2 段", []),
        ("", []),
    ],
)
def test_citations(evidence: Evidence, answer: str, expected: list[tuple[str, int, int | None]]) -> None:
    found = evidence.find(answer)
    assert [(answer[c.start : c.end], c.passage, c.document_id) for c in found] == expected


def test_the_document_retrieved_last_wins_when_titles_are_the_same() -> None:
    evidence = Evidence()
    evidence.add([hit(1, "笔记", 1), hit(2, "笔记", 1), hit(1, "笔记", 2)])
    first, second = evidence.find("《笔记》第 1 段，《笔记》第 2 段")
    assert (first.document_id, second.document_id) == (2, 1)
    assert first.source == "笔记.md"


def test_a_long_answer_full_of_brackets_is_quick() -> None:
    evidence = Evidence()
    evidence.add([hit(1, "笔记", 1)])
    assert evidence.find("《" * 20_000 + "》第 1 段" * 2_000) is not None


def test_titles_are_those_of_the_documents_without_the_escapes_of_markdown(evidence: Evidence) -> None:
    evidence.add([hit(4, "[draft] *计划*", 1)])
    found = evidence.find(r"《\[draft\] \*计划\*》第 1 段，《\[draft\]》第 2 段，《day5学习笔记》第 2 段")
    assert [(c.title, c.document_id) for c in found] == [
        ("[draft] *计划*", 4),
        ("[draft]", None),
        ("Day 5 学习笔记", 1),
    ]


@pytest.mark.parametrize("title", ["[draft] 笔记", "1. 开始", r"C:\[x]", "a*b*", r"\[公式\]", "甲 &amp; 乙"])
def test_a_citation_carries_the_title_as_it_was_retrieved(title: str) -> None:
    evidence = Evidence()
    evidence.add([hit(1, title, 1)])
    for written in (title, literal(title)):
        (citation,) = evidence.find(f"> 摘录\n\n《{written}》第 1 段")
        assert (citation.title, citation.document_id) == (title, 1)
    (other,) = evidence.find(f"《{literal(title)}》第 2 段")
    assert (other.title, other.document_id) == (title, None)


def test_a_title_never_begins_in_the_citation_before_it(evidence: Evidence) -> None:
    first, second = evidence.find("《别的》第 1 段》第 2 段，《Day 5 学习笔记》第 2 段")
    assert (first.end, second.document_id) == (9, 1)


def test_a_citation_knows_the_page_and_the_text_that_was_seen() -> None:
    known = Evidence()
    known.add([replace(hit(1, "手册", 2), page=5, text="原来的话"), hit(2, "笔记", 1)])
    paged, plain, unknown = known.find("《手册》第 2 段（第 5 页），《笔记》第 1 段，《没有》第 3 段")
    assert (paged.page, paged.digest) == (5, digest("原来的话"))
    assert (plain.page, plain.digest) == (0, digest("text"))
    assert (unknown.page, unknown.digest) == (0, "")
    assert digest("原来的话\udc80") != digest("原来的话")
