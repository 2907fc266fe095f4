"""What the filter of the knowledge panel means."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geekagent_tui.rag.model import Badge, Selection
from geekagent_tui.ui.panels.knowledge_documents import DocumentRow, GroupRow
from geekagent_tui.ui.panels.knowledge_query import Wanted, chips, chooser, format_of, parse
from geekagent_tui.ui.panels.knowledge_view import Grouping, Order, Shelf, View
from support.pilot import NOW, document

TAGS = ("读书", "读后感", "Rust")
HOSTS = ("example.org", "docs.example.org:8080")
PAGE = document(1, "网页", "https://docs.example.org:8080/a/b.html", tags=("读书",))
PLAIN = document(2, "地址", "https://example.org/x.php?n=2", tags=("Rust",), badge=Badge.FAILED)
BOOK = document(3, "手册", "docs/手册.pdf", characters=9000, badge=Badge.NEW)
NOTE = document(4, "便条", "notes.md", added_at=NOW - timedelta(days=30), updated_at=NOW - timedelta(days=9))
ALL = (PAGE, PLAIN, BOOK, NOTE)


def read(typed: str) -> Wanted:
    return parse(typed, NOW, tags=TAGS, hosts=HOSTS)


@pytest.mark.parametrize(
    ("typed", "text", "selection"),
    [
        ("历史 压缩", "历史 压缩", Selection()),
        ("#读书 压缩", "压缩", Selection(tags=("读书",))),
        ("＃读", "", Selection(tags=("读书", "读后感"))),
        ("#rust", "", Selection(tags=("Rust",))),
        ("#没有的", "", Selection(tags=("没有的",))),
        ('tag:"两 个",别的', "", Selection(tags=("两 个", "别的"))),
        ("kind:PDF,docx 字", "字", Selection(kinds=("pdf", "docx"))),
        ("类型：pdf", "", Selection(kinds=("pdf",))),
        ("host:docs", "", Selection(sources=("docs.example.org:8080",))),
        ("host:else.net", "", Selection(sources=("else.net",))),
        ('source:"my notes/" source:a/*.md', "", Selection(sources=("my notes/", "a/*.md"))),
        ("since:7d", "", Selection(since=NOW - timedelta(days=7))),
        ("自:2周", "", Selection(since=NOW - timedelta(days=14))),
        ("until:2026-11-30", "", Selection(until=datetime(2026, 11, 30, tzinfo=UTC))),
        ("kind: # since: host:", "", Selection()),
        ("std::vector http://a/b 12:30", "std::vector http://a/b 12:30", Selection()),
        ('"历史 压缩"', "历史 压缩", Selection()),
    ],
)
def test_parts_are_told_from_words(typed: str, text: str, selection: Selection) -> None:
    wanted = read(typed)
    assert (wanted.text, wanted.selection, wanted.wrong) == (text, selection, ())


def test_what_makes_no_sense_is_told() -> None:
    assert read("since:gestern 字") == Wanted("字", Selection(), ("since:gestern",))
    assert read("until:2026-02-30").wrong == ("until:2026-02-30",)


@given(st.text(st.one_of(st.sampled_from('#:："，, \tkind since7dhost'), st.characters()), max_size=40))
def test_anything_may_be_typed(typed: str) -> None:
    wanted = read(typed)
    assert all(chips(wanted.selection))
    assert {d.id for d in Shelf(ALL).find(wanted)} <= {1, 2, 3, 4}


@pytest.mark.parametrize(
    ("typed", "ids"),
    [
        ("kind:url", {1, 2}),
        ("kind:html", {1, 2}),
        ("kind:markdown", {4}),
        ("kind:pdf,md", {3, 4}),
        ("host:example.org", {1, 2}),
        ("host:docs", {1}),
        ("source:docs", {3}),
        ("source:./docs/", {3}),
        ("source:*.md", {4}),
        ("source:notes.md", {4}),
        ("since:7d", {1, 2, 3}),
        ("until:2026-11-30", {4}),
        ("#读", {1}),
        ("#读 #rust", {1, 2}),
        ("读书", {1}),
        ("手册 pdf", {3}),
        ("手册 网页", set()),
    ],
)
def test_documents_are_found(typed: str, ids: set[int]) -> None:
    assert {d.id for d in Shelf(ALL).find(read(typed))} == ids


def test_ids_select() -> None:
    assert [d.id for d in filter(chooser(Selection(documents=(2, 4, 9))), ALL)] == [2, 4]
    assert [format_of(d) for d in ALL] == ["html", "html", "pdf", "md"]


def test_a_selection_in_words() -> None:
    selection = Selection((1, 2), ("甲", "乙", "丙", "丁"), ("a/",), ("pdf",), NOW, NOW)
    told = chips(selection)
    assert told[:3] == ["标签 甲、乙、丙…", "类型 pdf", "来源 a/"]
    assert told[3].startswith("2026-12-0")
    assert told[5] == "2 个文档"
    assert chips(Selection()) == []


def keys(view: View) -> list[str]:
    return [row.key or "" for row in Shelf(ALL).rows(view, set())]


def test_documents_stand_under_what_they_have_in_common() -> None:
    by_place = keys(View())
    assert [key for key in by_place if key.startswith("group:")] == [
        "group:docs",
        "group:docs.example.org:8080",
        "group:example.org",
        "group:",
    ]
    by_tag = keys(View(Grouping.TAG))
    assert [key for key in by_tag if key.startswith("group:")] == ["group:Rust", "group:读书", "group:"]
    by_kind = keys(View(Grouping.KIND))
    assert [key for key in by_kind if key.startswith("group:")] == ["group:html", "group:md", "group:pdf"]


@pytest.mark.parametrize(
    ("order", "ids"),
    [
        (Order.TITLE, [4, 2, 3, 1]),
        (Order.ADDED, [3, 2, 1, 4]),
        (Order.SIZE, [3, 4, 2, 1]),
        (Order.BADGE, [2, 3, 4, 1]),
    ],
)
def test_documents_are_sorted(order: Order, ids: list[int]) -> None:
    together = [replace(d, source=f"{d.id}.md", kind=NOTE.kind) for d in ALL]
    rows = Shelf(together).rows(View(order=order), set())
    assert [row.document.id for row in rows if isinstance(row, DocumentRow)] == ids


def test_a_document_with_two_tags_is_there_twice_with_keys_of_its_own() -> None:
    twice = document(1, "二", "a.md", tags=("甲", "乙"))
    rows = Shelf([twice]).rows(View(Grouping.TAG), set())
    assert len({row.key for row in rows}) == 4


def test_closed_groups_open_while_something_is_looked_for() -> None:
    closed = View(closed=frozenset({"docs"}))
    assert "document:3:0" not in keys(closed)
    assert "document:3:0" in keys(View(closed=frozenset({"docs"}), wanted=read("手册")))


def test_a_heading_is_a_selection_that_new_documents_fall_into() -> None:
    shelf = Shelf(ALL)
    assert shelf.selection(View(Grouping.TAG), "读书") == Selection(tags=("读书",))
    assert shelf.selection(View(), "docs") == Selection(sources=("docs",))
    assert shelf.selection(View(Grouping.KIND), "pdf") == Selection(kinds=("pdf",))
    assert shelf.selection(View(), "") == Selection(documents=(4,))


def test_a_heading_never_means_more_than_what_is_under_it() -> None:
    sources = ("docs/a.md", "docs/sub/b.md", "docs/sub/c.markdown", "http://a.org/x", "http://b.a.org/x")
    shelf = Shelf([document(n, f"t{n}", source) for n, source in enumerate(sources, 1)])
    for grouping in Grouping:
        view = View(grouping)
        for row in shelf.rows(view, set()):
            if isinstance(row, GroupRow):
                name = (row.key or "").removeprefix("group:")
                selection = shelf.selection(view, name)
                meant = {n for n in range(1, 6) if chooser(selection)(shelf.get(n) or ALL[0])}
                assert meant == {d.id for d in shelf.under(name, view)}
    assert shelf.selection(View(), "docs") == Selection(documents=(1,))
    assert shelf.selection(View(), "docs/sub") == Selection(sources=("docs/sub",))
    assert shelf.selection(View(), "a.org") == Selection(documents=(4,))


def test_what_is_looked_for_limits_a_selection_too() -> None:
    shelf = Shelf([document(n, title, f"{n}.md") for n, title in enumerate(("甲", "乙", "甲乙"), 1)])
    assert shelf.selection(View(wanted=read("kind:md")), None) == Selection(kinds=("md",))
    assert shelf.selection(View(wanted=read("kind:md 甲")), None) == Selection(documents=(1, 3))
    assert shelf.selection(View(wanted=read("乙")), "") == Selection(documents=(2, 3))


def test_grouping_and_order_go_round() -> None:
    assert Grouping.KIND.next is Grouping.PLACE
    assert Order.BADGE.next is Order.TITLE
    assert len({grouping.word for grouping in Grouping} | {order.word for order in Order}) == 7
