from __future__ import annotations

from datetime import UTC, datetime

from geekagent_tui.rag.model import (
    Document,
    Hit,
    IngestResult,
    IngestState,
    NoHits,
    SearchResult,
    SourceKind,
    Stats,
)
from geekagent_tui.rag.wording import describe, overview, quoted, search_text

NOW = datetime(2026, 8, 26, tzinfo=UTC)


def test_results_are_told_in_the_references_words() -> None:
    def told(state: IngestState, reason: str = "") -> str:
        return describe(IngestResult("x", state, 1, "Day 5 学习笔记", 1042, 2, reason))

    assert told(IngestState.ADDED) == "已加入知识库：《Day 5 学习笔记》共 1042 字符 / 2 块"
    assert told(IngestState.UPDATED) == "已更新：《Day 5 学习笔记》共 1042 字符 / 2 块"
    assert told(IngestState.REMOVED) == "已移除：《Day 5 学习笔记》共 1042 字符 / 2 块"
    assert told(IngestState.UNCHANGED, "已在知识库中") == "已在知识库中：《Day 5 学习笔记》"
    assert told(IngestState.CANCELLED, "已取消采集") == "已取消采集"


def test_a_failure_names_its_source_once() -> None:
    failed = IngestResult("http://h/a", IngestState.FAILED, reason="抓取失败：HTTP 404 Not Found")
    assert describe(failed) == "抓取失败：HTTP 404 Not Found：http://h/a"
    missing = IngestResult("a.md", IngestState.FAILED, reason="采集失败：文件不存在：a.md")
    assert describe(missing) == "采集失败：文件不存在：a.md"


def test_braces_in_a_title_are_letters() -> None:
    result = IngestResult("x", IngestState.ADDED, 1, "{title} {0} %s", 3, 1)

    assert describe(result) == "已加入知识库：《{title} {0} %s》共 3 字符 / 1 块"


def test_the_overview() -> None:
    documents = [
        Document(1, "Day 5 学习笔记", "http://x/day5.html", SourceKind.URL, 2, 1042, NOW, NOW),
        Document(2, "Day 9 学习笔记", "notes/day9.html", SourceKind.FILE, 2, 886, NOW, NOW),
    ]

    assert overview(documents, Stats(2, 4, 1928)) == (
        "知识库共 2 个文档 / 4 块 / 1928 字符：\n"
        "1. 《Day 5 学习笔记》（2 块，http://x/day5.html）\n"
        "2. 《Day 9 学习笔记》（2 块，notes/day9.html）"
    )
    assert overview([], Stats(0, 0, 0)) == "知识库还是空的（用 /rag add 采集，或让模型调用 rag_add）"


def test_what_a_search_answers() -> None:
    hits = (
        Hit(1, "甲", "a", 2, 720, "\n第二段的文字 \n", "", 3.0),
        Hit(2, "乙", "b", 1, 0, "开头", "", 1.0),
    )

    assert search_text(SearchResult("q", hits, 1.0)) == (
        "命中 2 块：\n1. 《甲》第 2 段：第二段的文字\n2. 《乙》第 1 段：开头"
    )
    assert search_text(SearchResult("q", (), 1.0, NoHits.NO_TERMS)) == "没有命中任何知识块"
    assert (
        search_text(SearchResult("q", (), 1.0, NoHits.EMPTY_BASE))
        == "知识库还是空的，先用 rag_add 或 /rag add 采集"
    )
    assert (
        search_text(SearchResult("q", (), 1.0, NoHits.NO_MATCH)) == "没有命中任何知识块，换个更聚焦的说法再试"
    )


def test_a_passage_tells_its_page_when_it_has_one() -> None:
    paged = Hit(1, "手册", "h.pdf", 2, 0, " 原话 ", "", 1.0, page=5)
    assert quoted(paged) == "《手册》第 2 段（第 5 页）：原话"
    assert search_text(SearchResult("q", (paged,), 1.0)).splitlines()[1] == f"1. {quoted(paged)}"
