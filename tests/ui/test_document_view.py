"""The document view: outline, citations, finding, actions, every width."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from textual.pilot import Pilot

from geekagent_tui.agent import events as ev
from geekagent_tui.rag.errors import RagError
from geekagent_tui.rag.model import Badge, DocumentText, Passage, Stats
from geekagent_tui.ui.dialogs.tags import TagDialog
from geekagent_tui.ui.panels.knowledge import KnowledgePanel
from geekagent_tui.ui.screens.document import DocumentScreen
from geekagent_tui.ui.screens.main import MainScreen
from geekagent_tui.ui.widgets.find_bar import FindInput
from geekagent_tui.ui.widgets.sources_row import SourcesRow
from geekagent_tui.ui.widgets.text_view import TextView
from support.pilot import NOW, SIZES, EventSource, click_on, document, running, screen_text, shows, wait_until

BOOK = document(
    1, "手册", "docs/手册.pdf", characters=9000, passages=4, tags=("读书",), badge=Badge.STALE, checked_at=NOW
)
PARTS = [
    ("一、安装", "# 一、安装\n\n先装好环境，然后运行。"),
    ("一、安装 › 依赖", "## 依赖\n\n需要 Python 3.11。"),
    ("一、安装 › 依赖", "别的依赖见清单，PYTHON 版本另说。"),
    ("二、配置", "# 二、配置\n\n配置写在文件里；python 会读它。"),
]
CITED = (
    ev.Cited(3, "default", "default", NOW, "版本有什么要求？"),
    ev.Cited(1, "s2", "读书会", NOW - timedelta(days=1), "怎么安装？"),
)


def core() -> EventSource:
    source = EventSource(documents=[BOOK])
    passages, whole = [], ""
    for number, (heading, text) in enumerate(PARTS, start=1):
        passages.append(Passage(number, len(whole), text, heading, page=10 + number))
        whole += text + "\n\n"
    source.texts[1] = DocumentText(BOOK, whole, tuple(passages))
    source.citing = CITED
    return source


async def open_view(pilot: Pilot[None], passage: int = 1) -> None:
    pilot.app.screen.post_message(KnowledgePanel.Open(1, passage))
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, DocumentScreen))
    await wait_until(pilot, shows(pilot, "《手册》", "先装好环境"))


async def test_the_title_tells_source_times_figures_tags_and_badge() -> None:
    source = core()
    async with running(source.open) as pilot:
        await open_view(pilot)
        await wait_until(pilot, shows(pilot, "《手册》 ◌ 待更新 #读书", "9000 字 · 4 段", "docs/手册.pdf"))
        assert "核对 12-01" in screen_text(pilot.app)
        failed = replace(BOOK, badge=Badge.FAILED, problem="读取失败：文件已损坏")
        source.texts[1] = replace(source.texts[1], document=failed)
        source.publish(ev.KnowledgeChanged((failed,), Stats(1, 4, 9)))
        await wait_until(pilot, shows(pilot, "✕ 失败", "✕ 读取失败：文件已损坏"))


async def test_passages_stand_under_their_headings_with_pages() -> None:
    async with running(core().open) as pilot:
        await open_view(pilot, 2)
        await wait_until(pilot, shows(pilot, "依赖", "第 2 段  需要 Python", "12 页", "▌ ## 依赖"))
        await pilot.press("down")
        await wait_until(pilot, shows(pilot, "▌ 别的依赖"))
        await click_on(pilot, "第 4 段")
        await wait_until(pilot, shows(pilot, "▌ # 二、配置"))
        assert pilot.app.screen.focused is pilot.app.screen.query_one(TextView)
        await pilot.press("n", "n", "p")
        await wait_until(pilot, shows(pilot, "▌ 别的依赖"))


async def test_what_is_cited_is_marked_and_leads_to_its_answer() -> None:
    source = core()
    async with running(source.open, size=(140, 24)) as pilot:
        for number in range(30):
            source.say("user", f"问 {number}")
            cited = (ev.Citation(0, 2, "手册", 3, 1, BOOK.source, page=13),) if number == 4 else ()
            source.say("assistant", f"答 {number}。", citations=cited)
        await wait_until(pilot, shows(pilot, "答 29"))
        await open_view(pilot)
        await wait_until(
            pilot, shows(pilot, "被引用 2 次", "本会话", "版本有什么要求？", "读书会", "❝ 别的依赖")
        )
        await click_on(pilot, "怎么安装？")
        await wait_until(pilot, shows(pilot, "在会话“读书会”里：输入 /open s2 打开"))
        await click_on(pilot, "版本有什么要求？")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, MainScreen))
        await wait_until(pilot, shows(pilot, "答 4", "《手册》第 3 段（第 13 页）"))
        assert pilot.app.screen.query(SourcesRow)


async def test_an_answer_that_is_no_longer_there_is_told() -> None:
    async with running(core().open) as pilot:
        await open_view(pilot)
        await wait_until(pilot, shows(pilot, "被引用 2 次"))
        await pilot.press("tab", "home", "enter")
        await wait_until(pilot, shows(pilot, "这个回答已不在当前对话里"))


async def test_words_are_found_by_key() -> None:
    async with running(core().open) as pilot:
        await open_view(pilot)
        await pilot.press("slash")
        pilot.app.screen.query_one(FindInput).value = "python"
        await wait_until(pilot, shows(pilot, "1/3", "下一处", "结束查找"))
        await pilot.press("enter")
        await wait_until(pilot, shows(pilot, "2/3"))
        await pilot.press("down", "down")
        await wait_until(pilot, shows(pilot, "1/3"))
        await pilot.press("up", "tab", "tab")
        pilot.app.screen.query_one(TextView).focus()
        await pilot.press("p")
        await wait_until(pilot, shows(pilot, "2/3"))
        await pilot.press("escape")
        await wait_until(pilot, lambda: "2/3" not in screen_text(pilot.app))
        assert isinstance(pilot.app.screen, DocumentScreen)
        await pilot.press("slash")
        pilot.app.screen.query_one(FindInput).value = "没有这些字"
        await wait_until(pilot, shows(pilot, "0/0"))
        await pilot.press("enter", "escape", "escape")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, MainScreen))


async def test_words_are_found_by_mouse() -> None:
    async with running(core().open, size=(80, 24)) as pilot:
        await open_view(pilot)
        await click_on(pilot, "/ 查找")
        pilot.app.screen.query_one(FindInput).value = "python"
        await wait_until(pilot, shows(pilot, "1/3"))
        await click_on(pilot, "↓")
        await wait_until(pilot, shows(pilot, "2/3"))
        await click_on(pilot, "↑")
        await wait_until(pilot, shows(pilot, "1/3"))
        await click_on(pilot, "✕")
        await wait_until(pilot, lambda: "1/3" not in screen_text(pilot.app))


async def test_actions() -> None:
    source = core()
    async with running(source.open) as pilot:
        await open_view(pilot)
        await click_on(pilot, "u 更新")
        await wait_until(pilot, lambda: source.synced == [(BOOK.source,)])
        await pilot.press("t")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, TagDialog))
        await wait_until(pilot, shows(pilot, "[x] #读书"))
        await pilot.press("escape", "o")
        await wait_until(pilot, shows(pilot, "本地文件"))
        await pilot.press("escape", "d")
        await wait_until(pilot, shows(pilot, "从知识库移除？"))
        await pilot.press("y")
        await wait_until(pilot, shows(pilot, "已从知识库移除 · z 撤销", "先装好环境"))
        assert source.removed == [1]
        await pilot.press("d", "u", "z")
        await wait_until(pilot, lambda: "已从知识库移除" not in screen_text(pilot.app))
        assert source.undos == 1
        assert source.synced == [(BOOK.source,)]


async def test_a_document_that_changes_or_goes_is_shown_as_it_is() -> None:
    source = core()
    async with running(source.open) as pilot:
        await open_view(pilot)
        source.add_text(BOOK, "新的正文")
        source.publish(ev.KnowledgeChanged((BOOK,), Stats(1, 1, 4)))
        await wait_until(pilot, shows(pilot, "▌ 新的正文"))
        source.texts.clear()
        source.publish(ev.KnowledgeChanged((), Stats(0, 0, 0)))
        await wait_until(pilot, shows(pilot, "已从知识库移除", "新的正文"))


async def test_citations_that_cannot_be_read_keep_nobody_from_reading() -> None:
    class Broken(EventSource):
        async def cited(self, document_id: int) -> tuple[ev.Cited, ...]:
            raise RagError("会话读不了")

    source = Broken(documents=[BOOK])
    source.texts = core().texts
    async with running(source.open) as pilot:
        await open_view(pilot)
        await wait_until(pilot, shows(pilot, "会话读不了", "第 4 段"))


@pytest.mark.parametrize("size", SIZES)
async def test_every_width_shows_the_text(size: tuple[int, int]) -> None:
    async with running(core().open, size=size) as pilot:
        await open_view(pilot)
        assert ("第 1 段" in screen_text(pilot.app)) is (size[0] >= 72)
        await pilot.press("n")
        await wait_until(pilot, shows(pilot, "▌ ## 依赖"))
        await pilot.resize_terminal(60, 24)
        await wait_until(pilot, lambda: "第 1 段" not in screen_text(pilot.app))
        await pilot.press("n")
        await wait_until(pilot, shows(pilot, "▌ 别的依赖"))
