"""The knowledge panel: every action by keyboard and by mouse."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from textual.pilot import Pilot
from textual.widgets import Input

from geekagent_tui.agent import events as ev
from geekagent_tui.rag.errors import RagError
from geekagent_tui.rag.model import (
    Badge,
    DenseStatus,
    Hit,
    IngestResult,
    IngestState,
    SearchResult,
    Selection,
    SourceKind,
    Stats,
)
from geekagent_tui.ui.dialogs.confirm import Confirm
from geekagent_tui.ui.dialogs.tags import TagDialog
from geekagent_tui.ui.gateway import Gateway
from geekagent_tui.ui.panels.knowledge_filter import FilterBox
from geekagent_tui.ui.panels.knowledge_list import EmptyBase
from geekagent_tui.ui.screens.document import DocumentScreen
from geekagent_tui.ui.screens.main import MainScreen
from geekagent_tui.ui.widgets.composer import Composer
from geekagent_tui.ui.widgets.row_list import RowList
from support.pilot import NOW, EventSource, click_on, document, running, screen_text, shows, wait_until

KNOWN = [
    document(1, "Day 5 学习笔记", "http://127.0.0.1:8934/day5.html", tags=("读书",), badge=Badge.NEW),
    document(2, "Day 9 学习笔记", "http://127.0.0.1:8934/day9.html", badge=Badge.CHANGED),
    document(3, "手册", "docs/手册.pdf", characters=9000, tags=("手册", "读书"), badge=Badge.STALE),
    document(4, "周报", "docs/周报.docx", badge=Badge.FAILED, added_at=NOW - timedelta(days=40)),
]
HITS = (
    Hit(
        1, "Day 5 学习笔记", KNOWN[0].source, 2, 0, "历史压缩的阈值", "第一章 › 压缩", 7.0, {"words": 7.0}, 12
    ),
    Hit(1, "Day 5 学习笔记", KNOWN[0].source, 3, 9, "压缩之后保留六条", "", 5.0, {"words": 5.0}),
    Hit(3, "手册", KNOWN[2].source, 1, 0, "压缩包", "", 2.0, {"words": 1.5, "title": 0.5}),
)


async def write(pilot: Pilot[None], text: str) -> None:
    """Type into the filter, quickly."""
    pilot.app.screen.query_one(FilterBox).value = text
    await pilot.pause()


def on(pilot: Pilot[None]) -> str | None:
    return pilot.app.screen.query_one("#documents", RowList).cursor


def lines(pilot: Pilot[None]) -> list[str]:
    return screen_text(pilot.app).split("\n")


def before(pilot: Pilot[None], first: str, second: str) -> bool:
    text = screen_text(pilot.app)
    return first in text and second in text and text.index(first) < text.index(second)


async def test_badges_and_tags_are_told_in_words() -> None:
    core = EventSource(documents=KNOWN)
    async with running(core.open) as pilot:
        await wait_until(pilot, shows(pilot, "✦ Day 5", "✎ Day 9", "◌ 手册", "✕ 周报"))
        for name, word in [("Day 5", "新"), ("Day 9", "有变"), ("◌ 手册", "待更新"), ("周报", "失败")]:
            assert any(name in line and word in line for line in lines(pilot)), word
        assert any("#手册 #读书" in line for line in lines(pilot))


async def test_grouping_and_order_by_key_and_by_mouse() -> None:
    core = EventSource(documents=KNOWN)
    async with running(core.open) as pilot:
        await wait_until(pilot, shows(pilot, "分组 来源", "排序 标题", "▾ docs"))
        await pilot.press("f2", "g")
        await wait_until(pilot, shows(pilot, "分组 标签", "▾ #读书", "▾ 没有标签"))
        await click_on(pilot, "分组 标签")
        await wait_until(pilot, shows(pilot, "分组 类型", "▾ docx", "▾ html", "▾ pdf"))
        await pilot.press("g", "s")
        await wait_until(pilot, shows(pilot, "排序 加入时间", "▾ docs"))
        await click_on(pilot, "排序 加入时间")
        await wait_until(pilot, shows(pilot, "排序 字数"))
        await wait_until(pilot, lambda: before(pilot, "◌ 手册", "✕ 周报"))
        await pilot.press("s")
        await wait_until(pilot, lambda: before(pilot, "✕ 周报", "◌ 手册"))


async def test_the_filter_says_what_it_understood_and_what_not() -> None:
    core = EventSource(documents=KNOWN)
    async with running(core.open) as pilot:
        await pilot.press("f2", "slash")
        await wait_until(pilot, shows(pilot, "#标签 kind:pdf host:… since:7d"))
        await write(pilot, "#读 kind:pdf since:9x")
        await wait_until(pilot, shows(pilot, "标签 读书 · 类型 pdf · 不明白 since:9x", "手册"))
        assert "Day 5" not in screen_text(pilot.app)
        assert not core.searched
        await pilot.press("escape")
        await wait_until(pilot, shows(pilot, "Day 5", "Day 9"))
        assert isinstance(pilot.app.screen.focused, FilterBox)
        await pilot.press("escape", "escape")
        assert pilot.app.screen.query_one(Composer).has_focus


async def test_passages_are_searched_told_and_opened() -> None:
    core = EventSource(documents=KNOWN)
    core.hits = HITS
    core.add_text(KNOWN[0], "甲段", "乙段", "丙段")
    core.add_text(KNOWN[2], "手册第一段")
    async with running(core.open) as pilot:
        await pilot.press("f2", "slash")
        await write(pilot, "#读书 压缩")
        await wait_until(pilot, shows(pilot, "段落", "3 段 · 3 ms", "第 2–3 段 · 第 12 页", "第一章 › 压缩"))
        assert core.searched == [("压缩", Selection(tags=("读书",)), False)]
        assert "得分" not in "".join(line for line in lines(pilot) if "7.00" in line)
        await pilot.press("enter", "e")
        await wait_until(pilot, shows(pilot, "得分 7.00 · 正文 7.00", "标题 0.50"))
        assert core.searched[-1] == ("压缩", Selection(tags=("读书",)), True)
        await pilot.press("end")
        assert on(pilot) == "hit:3:1"
        await pilot.press("enter")
        await wait_until(pilot, shows(pilot, "▌ 手册第一段"))
        await pilot.press("escape")
        await click_on(pilot, "第 2–3 段")
        await wait_until(pilot, shows(pilot, "▌ 乙段"))


async def test_only_the_last_query_counts() -> None:
    core = EventSource(documents=KNOWN)
    core.hits = HITS
    async with running(core.open) as pilot:
        await pilot.press("f2", "slash")
        for typed in ("压", "压缩", "压缩包"):
            pilot.app.screen.query_one(FilterBox).value = typed
        await wait_until(pilot, shows(pilot, "第 2–3 段"))
        assert [query for query, _within, _explain in core.searched] == ["压缩包"]
        await write(pilot, "")
        await wait_until(pilot, lambda: "第 2–3 段" not in screen_text(pilot.app))


async def test_a_search_that_fails_says_why() -> None:
    class Broken(EventSource):
        async def search(
            self, query: str, limit: int = 4, *, within: Selection | None = None, explain: bool = False
        ) -> SearchResult:
            raise RagError("索引打不开")

    core = Broken(documents=KNOWN)
    async with running(core.open) as pilot:
        await pilot.press("f2", "slash")
        await write(pilot, "压缩")
        await wait_until(pilot, shows(pilot, "索引打不开"))


async def test_many_documents_leave_room_for_the_passages() -> None:
    known = tuple(document(n, f"文档 {n:02}", f"f/{n}.md") for n in range(1, 31))
    core = EventSource(documents=known)
    core.hits = HITS
    async with running(core.open, size=(140, 60)) as pilot:
        await pilot.press("f2", "slash")
        await write(pilot, "文档")
        await wait_until(pilot, shows(pilot, "文档 12", "…还有 18 个文档", "第 2–3 段"))
        await click_on(pilot, "…还有 18 个文档")
        await wait_until(pilot, lambda: "…还有" not in screen_text(pilot.app))


async def test_marking_by_key() -> None:
    core = EventSource(documents=KNOWN)
    async with running(core.open) as pilot:
        await wait_until(pilot, shows(pilot, "▾ docs"))
        await pilot.press("f2", "down", "space", "down", "space")
        await wait_until(pilot, shows(pilot, "已选 2 ✕", "✓ ✦ Day 5", "✓ ✎ Day 9"))
        await pilot.press("space")
        await wait_until(pilot, shows(pilot, "已选 1"))
        await pilot.press("A")
        await wait_until(pilot, shows(pilot, "已选 4"))
        await pilot.press("escape")
        await wait_until(pilot, lambda: "已选" not in screen_text(pilot.app))
        assert isinstance(pilot.app.screen.focused, RowList)
        await pilot.press("home", "space")
        await wait_until(pilot, shows(pilot, "已选 2"))
        core.publish(ev.KnowledgeChanged(tuple(KNOWN[1:]), Stats(3, 6, 3)))
        await wait_until(pilot, shows(pilot, "已选 1"))


async def test_marking_by_mouse() -> None:
    core = EventSource(documents=KNOWN)
    async with running(core.open) as pilot:
        await wait_until(pilot, shows(pilot, "✦ Day 5"))
        await click_on(pilot, "  ✦ Day 5")
        await wait_until(pilot, shows(pilot, "已选 1", "✓ ✦ Day 5"))
        await click_on(pilot, "手册", control=True)
        await wait_until(pilot, shows(pilot, "已选 2"))
        await click_on(pilot, "已选 2")
        await wait_until(pilot, lambda: "已选" not in screen_text(pilot.app))
        assert isinstance(pilot.app.screen, MainScreen)


async def test_what_is_marked_is_removed_together_and_brought_back() -> None:
    core = EventSource(documents=KNOWN)
    async with running(core.open) as pilot:
        await wait_until(pilot, shows(pilot, "✦ Day 5"))
        await pilot.press("f2", "home", "space", "d")
        await wait_until(pilot, shows(pilot, "从知识库移除？", "2 个文档：", "《Day 5 学习笔记》"))
        await pilot.press("y")
        await wait_until(pilot, shows(pilot, "已移除 2 个文档 · z 撤销"))
        assert core.removed == [1, 2]
        await pilot.press("z")
        await wait_until(pilot, shows(pilot, "已恢复 2 个文档"))
        await pilot.press("z")
        await wait_until(pilot, shows(pilot, "没有可以恢复的移除"))


async def test_actions_are_words_to_click() -> None:
    core = EventSource(documents=KNOWN)
    async with running(core.open) as pilot:
        await wait_until(pilot, shows(pilot, "✦ Day 5"))
        await click_on(pilot, "  ✦ Day 5")
        await wait_until(pilot, shows(pilot, "u 更新", "t 标签", "d 移除", "o 仅此"))
        await click_on(pilot, "u 更新")
        await wait_until(pilot, lambda: core.synced == [(KNOWN[0].source,)])
        await click_on(pilot, "U 全部同步")
        await wait_until(pilot, lambda: core.synced[1:] == [()])
        await click_on(pilot, "d 移除")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, Confirm))
        await pilot.press("n")
        await click_on(pilot, "t 标签")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, TagDialog))
        await pilot.press("escape")
        await click_on(pilot, "A 全选")
        await wait_until(pilot, shows(pilot, "已选 4"))
        assert not core.tagged


async def test_update_goes_by_the_words_of_the_core() -> None:
    foul = replace(KNOWN[0], source="http://h/\x1b[2Ja\u202e")
    core = EventSource(documents=[foul])
    async with running(core.open) as pilot:
        await wait_until(pilot, shows(pilot, "✦ Day 5"))
        await pilot.press("f2", "down", "u")
        await wait_until(pilot, lambda: core.synced == [(foul.source,)])
        core.publish(ev.IngestEnded(IngestResult(foul.source, IngestState.FAILED, reason="没有网络")))
        await wait_until(pilot, shows(pilot, "没有网络"))
        await pilot.press("R")
        await wait_until(pilot, lambda: core.retried == [(foul.source,)])
        await click_on(pilot, "重试")
        await wait_until(pilot, lambda: len(core.retried) == 2)


async def test_a_document_that_failed_in_an_earlier_run_is_read_again() -> None:
    failed = replace(KNOWN[1], badge=Badge.FAILED, problem="没有网络")
    core = EventSource(documents=[KNOWN[0], failed])
    async with running(core.open) as pilot:
        await wait_until(pilot, shows(pilot, "✕ Day 9"))
        await pilot.press("f2", "down")
        await wait_until(pilot, lambda: on(pilot) is not None)
        assert "r 重试" not in screen_text(pilot.app)
        await click_on(pilot, "  ✕ Day 9")
        await wait_until(pilot, shows(pilot, "r 重试"))
        await pilot.press("r")
        await wait_until(pilot, lambda: core.synced == [(failed.source,)])


async def test_tags_are_put_on_and_taken_off() -> None:
    core = EventSource(documents=KNOWN)
    async with running(core.open) as pilot:
        await wait_until(pilot, shows(pilot, "✦ Day 5"))
        await pilot.press("f2", "A", "t")
        await wait_until(pilot, shows(pilot, "4 个文档", "[-] #读书", "[-] #手册"))
        pilot.app.screen.query_one(Input).value = "#新 的"
        await pilot.press("enter")
        await wait_until(pilot, shows(pilot, "[x] #新 的", "新标签"))
        pilot.app.screen.query_one(Input).value = "手"
        await wait_until(pilot, lambda: "[-] #读书" not in screen_text(pilot.app))
        await wait_until(pilot, lambda: any("│  手册  " in line for line in lines(pilot)))
        await pilot.press("tab")
        assert pilot.app.screen.query_one(Input).value == "手册"
        pilot.app.screen.query_one(Input).value = "手"
        await pilot.press("down", "space", "space")
        await wait_until(pilot, shows(pilot, "[ ] #手册"))
        await pilot.press("up")
        pilot.app.screen.query_one(Input).value = ""
        await pilot.press("enter")
        await wait_until(pilot, lambda: core.tagged == [((1, 2, 3, 4), ("新 的",), ("手册",))])
        await wait_until(pilot, shows(pilot, "已改 4 个文档的标签"))


async def test_tags_that_can_not_be_are_told_and_nothing_typed_is_lost() -> None:
    core = EventSource(documents=KNOWN)
    async with running(core.open) as pilot:
        await wait_until(pilot, shows(pilot, "✦ Day 5"))
        await pilot.press("f2", "down", "t")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, TagDialog))
        field = pilot.app.screen.query_one(Input)
        field.value = "甲" * 74
        await wait_until(pilot, shows(pilot, "甲…」超过"))
        await pilot.press("enter")
        await pilot.click("#yes")
        assert isinstance(pilot.app.screen, TagDialog)
        assert field.value == "甲" * 74
        field.focus()
        field.value = "＃甲，#乙 丙、手册,"
        await wait_until(pilot, shows(pilot, "《Day 5 学习笔记》"))
        await pilot.press("enter")
        await wait_until(pilot, shows(pilot, "[x] #甲", "[x] #乙 丙", "[x] #手册"))
        await pilot.press("enter")
        await wait_until(pilot, lambda: core.tagged == [((1,), ("手册", "甲", "乙 丙"), ())])


async def test_removing_everything_leaves_the_key_that_brings_it_back() -> None:
    core = EventSource(documents=KNOWN)
    async with running(core.open) as pilot:
        await wait_until(pilot, shows(pilot, "✦ Day 5"))
        await pilot.press("f2")
        await wait_until(pilot, shows(pilot, "U 全部同步"))
        assert "撤销移除" not in screen_text(pilot.app)
        await pilot.press("A", "d", "y")
        await wait_until(pilot, lambda: core.removed)
        core.documents = ()
        core.publish(ev.KnowledgeChanged((), Stats(0, 0, 0)))
        await wait_until(pilot, shows(pilot, "还没有资料。", "z 撤销移除"))
        await wait_until(pilot, lambda: isinstance(pilot.app.focused, EmptyBase))
        await pilot.press("z")
        await wait_until(pilot, lambda: core.undos == 1)
        core.publish(ev.KnowledgeChanged(tuple(KNOWN), Stats(4, 8, 9000)))
        await wait_until(pilot, shows(pilot, "✦ Day 5"))
        await wait_until(pilot, lambda: "撤销移除" not in screen_text(pilot.app))


async def test_tags_by_mouse() -> None:
    core = EventSource(documents=KNOWN)
    async with running(core.open, size=(80, 24)) as pilot:
        await pilot.press("f2")
        await wait_until(pilot, shows(pilot, "✦ Day 5"))
        await pilot.press("down", "t")
        await wait_until(pilot, shows(pilot, "《Day 5 学习笔记》", "[x] #读书"))
        await click_on(pilot, "[x] #读书")
        await wait_until(pilot, shows(pilot, "[ ] #读书"))
        await pilot.click("#yes")
        await wait_until(pilot, lambda: core.tagged == [((1,), (), ("读书",))])


async def test_a_change_of_tags_that_fails_says_why() -> None:
    class Refusing(EventSource):
        async def tag(self, *_names: object, **_tags: object) -> list[IngestResult]:
            return [IngestResult("a", IngestState.FAILED, reason="标签太长")]

    core = Refusing(documents=KNOWN)
    async with running(core.open) as pilot:
        await wait_until(pilot, shows(pilot, "✦ Day 5"))
        await pilot.press("f2", "down", "t")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, TagDialog))
        pilot.app.screen.query_one(Input).value = "长"
        await pilot.click("#yes")
        await wait_until(pilot, shows(pilot, "标签太长"))


async def test_only_these_is_seen_and_taken_back() -> None:
    core = EventSource(documents=KNOWN)
    async with running(core.open) as pilot:
        await wait_until(pilot, shows(pilot, "✦ Day 5"))
        assert "仅：" not in screen_text(pilot.app)
        await pilot.press("f2", "down", "o")
        await wait_until(pilot, shows(pilot, "仅：选定的资料  ✕"))
        await pilot.press("o")
        await wait_until(pilot, lambda: "仅：" not in screen_text(pilot.app))
        await pilot.press("home", "o")
        await wait_until(pilot, shows(pilot, "仅："))
        await pilot.press("f6")
        await wait_until(pilot, lambda: "仅：" not in screen_text(pilot.app))
        await pilot.press("A", "o")
        await wait_until(pilot, shows(pilot, "仅："))
        await click_on(pilot, "仅：")
        await wait_until(pilot, lambda: "仅：" not in screen_text(pilot.app))
        await pilot.press("escape")
        await write(pilot, "#手册")
        await pilot.press("o")
        await wait_until(pilot, lambda: len(core.selections) == 7)
    assert core.selections == [
        Selection(documents=(1,)),
        None,
        Selection(sources=("127.0.0.1:8934",)),
        None,
        Selection(documents=(1, 2, 3, 4)),
        None,
        Selection(tags=("手册",)),
    ]


async def test_the_status_line_tells_how_far_the_vectors_are() -> None:
    core = EventSource(documents=KNOWN)
    core.status = replace(core.status, dense=DenseStatus("e5", 41, 100))
    async with running(core.open) as pilot:
        await wait_until(pilot, shows(pilot, "向量 41%"))
        core.publish(ev.StatusChanged(replace(core.status, dense=DenseStatus("e5", 100, 100))))
        await wait_until(pilot, lambda: "向量 ·" in screen_text(pilot.app))
        core.publish(ev.StatusChanged(replace(core.status, dense=DenseStatus("e5", 1, 9, "没有服务器"))))
        await wait_until(pilot, shows(pilot, "向量 ✕"))


async def test_twenty_thousand_documents_can_be_walked_filtered_and_marked() -> None:
    core = EventSource()
    async with running(core.open) as pilot:
        many = tuple(
            document(n, f"文档 {n:05}", f"f{n % 90}/{n}.md", tags=(f"t{n % 7}",)) for n in range(1, 20_001)
        )
        core.publish(ev.KnowledgeChanged(many, Stats(20_000, 40_000, 1)))
        await wait_until(pilot, shows(pilot, "文档 00090", "20000 文档"))
        await pilot.press("f2", "end", "space", "pageup", "g", "s")
        await wait_until(pilot, shows(pilot, "分组 标签", "已选 1"))
        await write(pilot, "#t3 00010")
        await wait_until(pilot, shows(pilot, "文档 00010"))
        await write(pilot, "")
        await wait_until(pilot, shows(pilot, "分组 标签"))
        await pilot.press("A")
        await wait_until(pilot, shows(pilot, "已选 20000"))


async def test_a_document_is_opened_by_a_click_and_a_group_closed() -> None:
    core = EventSource(documents=KNOWN)
    core.add_text(KNOWN[0], "甲段")
    async with running(core.open) as pilot:
        await wait_until(pilot, shows(pilot, "▾ docs"))
        await click_on(pilot, "▾ docs")
        await wait_until(pilot, shows(pilot, "▸ docs"))
        assert "周报" not in screen_text(pilot.app)
        await click_on(pilot, "Day 5")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, DocumentScreen))
        await wait_until(pilot, shows(pilot, "甲段"))


async def test_grouping_and_order_are_there_the_next_time(state: Path) -> None:
    async with running(EventSource(documents=KNOWN).open) as pilot:
        await wait_until(pilot, shows(pilot, "分组 来源   排序 标题"))
        await pilot.press("f2", "g", "s", "s")
        await wait_until(pilot, shows(pilot, "分组 标签   排序 字数"))
    (kept,) = state.rglob("panel.json")
    assert kept.stat().st_mode & 0o077 == 0
    async with running(EventSource(documents=KNOWN).open) as pilot:
        await wait_until(pilot, shows(pilot, "分组 标签   排序 字数", "▾ #读书"))
    for broken in (b"", b"[1]", b'{"grouping": "tag", "order": []}', b"[" * 4000, b"\xff"):
        kept.write_bytes(broken)
        async with running(EventSource(documents=KNOWN).open) as pilot:
            await wait_until(pilot, shows(pilot, "分组 来源   排序 标题", "✦ Day 5"))


async def test_the_filter_offers_no_key_that_it_would_type() -> None:
    async with running(EventSource(documents=KNOWN).open) as pilot:
        await wait_until(pilot, shows(pilot, "✦ Day 5"))
        await pilot.press("f2")
        await wait_until(pilot, shows(pilot, "/ 搜索资料"))
        await pilot.press("slash")
        await wait_until(pilot, lambda: "/ 搜索资料" not in screen_text(pilot.app))
        assert isinstance(pilot.app.focused, FilterBox)


async def test_words_on_screen_are_asked_for_in_the_words_of_the_core() -> None:
    foul = replace(KNOWN[0], source="a\x1bb/c.md", kind=SourceKind.FILE, tags=("读\u200b书",))
    core = EventSource(documents=[foul])
    gateway = Gateway(core)
    async with aclosing(gateway.events(documents=True)) as events:
        shown = await anext(events)
    assert isinstance(shown, ev.Snapshot)
    (document,) = shown.documents
    folder = document.source.rpartition("/")[0]
    await gateway.focus(Selection(tags=document.tags, sources=(folder, "b")))
    await gateway.search("甲", 4, within=Selection(sources=(document.source,)))
    await gateway.tag([1], remove=document.tags)
    limited, searched = core.selections[-1], core.searched[-1][1]
    assert limited is not None
    assert searched is not None
    assert set(foul.tags) <= set(limited.tags)
    assert {"a\x1bb", "b"} <= set(limited.sources)
    assert foul.source in searched.sources
    assert set(foul.tags) <= set(core.tagged[-1][2])


async def test_the_strip_s_keys_leave_documents_alone() -> None:
    core = EventSource(documents=KNOWN)
    async with running(core.open) as pilot:
        await wait_until(pilot, shows(pilot, "✦ Day 5"))
        core.publish(ev.IngestEnded(IngestResult("gone.md", IngestState.FAILED, reason="没有了")))
        await wait_until(pilot, shows(pilot, "✕ gone.md"))
        await click_on(pilot, "  ✦ Day 5")
        await wait_until(pilot, shows(pilot, "d 移除"))
        await pilot.press("escape")
        pilot.app.screen.query_one("#ingests").focus()
        await wait_until(pilot, lambda: "d 移除" not in screen_text(pilot.app))
        await pilot.press("d", "t", "u")
        await pilot.press("r")
        await wait_until(pilot, lambda: core.retried == [("gone.md",)])
        assert isinstance(pilot.app.screen, MainScreen)
        assert not core.synced
        await pilot.press("x")
        await wait_until(pilot, lambda: pilot.app.focused is pilot.app.screen.query_one("#documents"))
