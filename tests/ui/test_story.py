"""The main story on the real core: ingest with consent, ask, read the source, come back."""

from __future__ import annotations

import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from geekagent_tui.agent.core import Agent
from geekagent_tui.agent.messages import ToolCall
from geekagent_tui.agent.models.base import ChatModel
from geekagent_tui.agent.models.offline import OfflineModel
from geekagent_tui.ui.dialogs.ingest_review import IngestDialog
from geekagent_tui.ui.dialogs.tags import TagDialog
from geekagent_tui.ui.panels.knowledge_filter import FilterBox
from geekagent_tui.ui.screens.document import DocumentScreen
from geekagent_tui.ui.screens.main import MainScreen
from geekagent_tui.ui.widgets.row_list import RowList
from geekagent_tui.ui.widgets.sources_row import SourcesRow
from geekagent_tui.ui.widgets.text_view import TextView
from support.agents import open_agent
from support.pilot import click_on, running, screen_text, shows, type_text, wait_until
from support.scripted_model import ScriptedModel

NOTES = Path(__file__).parents[2] / "assets" / "notes"
QUESTION = "这套笔记里，历史压缩相关的触发阈值是多少？"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(NOTES, tmp_path / "notes")
    return tmp_path


def opening(folder: Path, model: ChatModel) -> Callable[[], Awaitable[Agent]]:
    async def open_it() -> Agent:
        return await open_agent(folder, model)

    return open_it


@pytest.mark.parametrize("size", [(140, 40), (80, 24)])
async def test_collect_ask_and_read_the_source(folder: Path, size: tuple[int, int]) -> None:
    async with running(opening(folder, OfflineModel()), folder, size=size) as pilot:
        await type_text(pilot, "/rag add notes/day5.html notes/day9.html notes/missing.md")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, IngestDialog))
        assert "即将把以下内容加入知识库：" in screen_text(pilot.app)
        assert "确认采集？" in screen_text(pilot.app)
        await pilot.press("y")
        await wait_until(
            pilot, shows(pilot, "《Day 5 学习笔记》共 1042 字符", "《Day 9 学习笔记》共 886 字符")
        )
        await type_text(pilot, QUESTION)
        await wait_until(pilot, lambda: pilot.app.screen.query(SourcesRow))
        await wait_until(pilot, shows(pilot, "4000", "《Day 5 学习笔记》第"))
        await pilot.press("f5")
        assert isinstance(pilot.app.focused, SourcesRow)
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, DocumentScreen))
        await wait_until(pilot, shows(pilot, "MAX_HISTORY_CHARS", "▌"))
        assert pilot.app.screen.query_one(TextView).display
        await pilot.press("escape")

    async with running(opening(folder, OfflineModel()), folder, size=size) as pilot:
        await wait_until(pilot, shows(pilot, "2 文档", "4000"))


async def test_refusing_adds_nothing(folder: Path) -> None:
    async with running(opening(folder, OfflineModel()), folder) as pilot:
        for key in ("n", "escape"):
            await type_text(pilot, "/rag add notes/day5.html")
            await wait_until(pilot, lambda: isinstance(pilot.app.screen, IngestDialog))
            await pilot.press(key)
            await wait_until(pilot, shows(pilot, "已取消采集", "0 文档"))


async def test_the_model_asks_and_is_refused_by_enter(folder: Path) -> None:
    call = ToolCall("c1", "rag_add", '{"source": "notes/day5.html", "reason": "需要原文"}')
    model = ScriptedModel([[call], ["好的，不采集。"]])
    async with running(opening(folder, model), folder) as pilot:
        await type_text(pilot, "查一下阈值")
        await wait_until(pilot, shows(pilot, "由模型发起，理由：", "“需要原文”"))
        dialog = pilot.app.screen
        assert isinstance(dialog, IngestDialog)
        await wait_until(pilot, lambda: not dialog.asleep)
        await pilot.press("enter")
        await wait_until(pilot, shows(pilot, "好的，不采集。", "0 文档"))


async def test_tag_search_limit_remove_and_see_where_it_was_cited(folder: Path) -> None:
    async with running(opening(folder, OfflineModel()), folder) as pilot:
        await type_text(pilot, "/rag add notes/day5.html notes/day9.html --tag 笔记")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, IngestDialog))
        await pilot.press("y")
        await wait_until(pilot, shows(pilot, "✦ Day 5 学习笔记 #笔记", "✦ Day 9 学习笔记 #笔记"))
        await type_text(pilot, QUESTION)
        await wait_until(pilot, lambda: pilot.app.screen.query(SourcesRow))

        await pilot.press("f2")
        pilot.app.screen.query_one(FilterBox).value = "#笔 kind:html MAX_HISTORY_CHARS"
        await wait_until(pilot, shows(pilot, "标签 笔记 · 类型 html", "Day 5 学习笔记  "))
        await wait_until(pilot, lambda: pilot.app.screen.query_one("#documents", RowList).at_top)
        await pilot.press("e")
        await wait_until(pilot, shows(pilot, "得分"))
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, DocumentScreen))
        await wait_until(pilot, shows(pilot, "被引用", "本会话", "MAX_HISTORY_CHARS"))
        await pilot.press("t")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, TagDialog))
        pilot.app.screen.query_one(Input).value = "压缩"
        await pilot.click("#yes")
        await wait_until(pilot, shows(pilot, "#压缩 #笔记"))
        await click_on(pilot, "本会话")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, MainScreen))
        await wait_until(pilot, shows(pilot, "来源"))

        pilot.app.screen.query_one(FilterBox).value = "#压缩"
        await wait_until(pilot, lambda: "Day 9" not in panel(pilot))
        pilot.app.screen.query_one("#documents").focus()
        await pilot.press("o")
        await wait_until(pilot, shows(pilot, "仅：标签 压缩  1 文档"))
        await pilot.press("f6")
        await wait_until(pilot, lambda: "仅：" not in screen_text(pilot.app))
        await pilot.press("A", "d")
        await wait_until(pilot, shows(pilot, "从知识库移除？"))
        await pilot.press("y")
        await wait_until(pilot, shows(pilot, "1 文档"))
        await pilot.press("z")
        await wait_until(pilot, shows(pilot, "2 文档", "Day 5 学习笔记 #压缩"))


def panel(pilot: Pilot[None]) -> str:
    """What the right column shows."""
    return "\n".join(line.rpartition("│")[2] for line in screen_text(pilot.app).split("\n"))
