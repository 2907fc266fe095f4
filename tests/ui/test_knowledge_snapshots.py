"""Pictures of the knowledge panel and the document view: `pytest --snapshot-update`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from geekagent_tui import i18n
from geekagent_tui.agent import events as ev
from geekagent_tui.rag.model import Badge, DenseStatus, DocumentText, Hit, Passage, Selection
from geekagent_tui.ui.app import GeekAgentApp
from geekagent_tui.ui.panels.knowledge import KnowledgePanel
from geekagent_tui.ui.panels.knowledge_filter import FilterBox
from geekagent_tui.ui.screens.document import DocumentScreen
from support.pilot import NOW, EventSource, document, screen_text, shows, wait_until

Compare = Callable[..., bool]
Act = Callable[[Pilot[Any], EventSource], Awaitable[None]]

KNOWN = (
    document(
        1,
        "Day 5 学习笔记",
        "http://127.0.0.1:8934/notes/day5.html",
        tags=("读书", "历史"),
        badge=Badge.NEW,
        checked_at=NOW,
    ),
    document(2, "Day 9 学习笔记", "http://127.0.0.1:8934/notes/day9.html", characters=886, tags=("读书",)),
    document(3, "本地笔记", "assets/notes/local.md", passages=1, characters=365, badge=Badge.CHANGED),
    document(
        4,
        "手册：安装、配置与日常维护的完整说明",
        "docs/手册.pdf",
        passages=120,
        characters=182_004,
        tags=("手册",),
        badge=Badge.STALE,
    ),
    document(5, "周报", "docs/周报.docx", badge=Badge.FAILED, problem="读取失败：缺少扩展 documents"),
    document(6, "Select and cancellation", "https://tokio.rs/tutorial/select", tags=("rust", "async")),
)
PARTS = (
    (
        "第一章 规划器",
        "# 第一章 规划器\n\n规划器把任务拆成步骤，每一步只做一件事；步骤之间的依赖写在计划里。",
    ),
    ("第一章 规划器 › 历史压缩", "## 历史压缩\n\n历史压缩的触发阈值是 MAX_HISTORY_CHARS，默认 4000 字符。"),
    ("第一章 规划器 › 历史压缩", "摘要由模型写成；离线模式下按长度截短，历史压缩因此始终可用。"),
    ("第二章 工具 › 读取", "# 第二章 工具\n\n## 读取\n\n工具 read 读取文件。"),
)


def base() -> EventSource:
    core = EventSource(documents=KNOWN)
    passages, whole = [], ""
    for number, (heading, text) in enumerate(PARTS, start=1):
        passages.append(Passage(number, len(whole), text, heading, page=10 + number))
        whole += text + "\n\n"
    core.texts[1] = DocumentText(KNOWN[0], whole, tuple(passages))
    found = [
        Hit(1, KNOWN[0].title, KNOWN[0].source, n, 0, PARTS[n - 1][1], PARTS[n - 1][0], 9.0 - n, page=10 + n)
        for n in (2, 3)
    ]
    core.hits = (*found, Hit(4, KNOWN[3].title, KNOWN[3].source, 17, 0, "可以关掉历史压缩", "三、配置", 3.2))
    core.hits = tuple(replace(h, shares={"words": h.score - 1, "heading": 1.0}) for h in core.hits)
    core.citing = (
        ev.Cited(2, "default", "default", NOW, "历史压缩相关的触发阈值是多少？"),
        ev.Cited(1, "s2", "读书", NOW - timedelta(days=1), "规划器做什么？"),
    )
    core.status = replace(core.status, dense=DenseStatus("e5", 41, 100))
    return core


async def marked(pilot: Pilot[Any], core: EventSource) -> None:
    """Two documents are marked, the conversation is limited, grouped by tag."""
    await core.focus(Selection(tags=("读书",)))
    await pilot.press("f2", "down", "space", "down", "space", "g")
    await wait_until(pilot, shows(pilot, "已选 2", "没有标签", "仅："))


async def badges(pilot: Pilot[Any], core: EventSource) -> None:
    """All badges, tags, the actions of the document under the cursor."""
    await pilot.press("f2", "down")
    await wait_until(pilot, shows(pilot, "Day 5"))


async def found(pilot: Pilot[Any], core: EventSource) -> None:
    """Passages of a search, with their scores' shares."""
    await pilot.press("f2")
    pilot.app.screen.query_one(FilterBox).value = "历史压缩"
    await wait_until(pilot, lambda: "MAX_HISTORY_CHARS" in screen_text(pilot.app))
    await pilot.press("e", "end")
    await wait_until(pilot, lambda: len(core.searched) == 2)
    await wait_until(pilot, lambda: "6.00" in screen_text(pilot.app))


async def tagging(pilot: Pilot[Any], core: EventSource) -> None:
    """The tags of two documents."""
    await pilot.press("f2", "down", "space", "down", "space", "t")
    await wait_until(pilot, shows(pilot, "[-] #历史"))


async def reading(pilot: Pilot[Any], core: EventSource) -> None:
    """A document, where it was cited, what is found in it."""
    pilot.app.screen.post_message(KnowledgePanel.Open(1, 2))
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, DocumentScreen))
    await wait_until(pilot, shows(pilot, "MAX_HISTORY_CHARS"))


@pytest.mark.usefixtures("utc")
@pytest.mark.parametrize(
    ("act", "size", "theme", "language"),
    [
        (badges, (140, 40), "dark", "zh"),
        (badges, (80, 24), "light", "en"),
        (marked, (140, 40), "light", "zh"),
        (found, (140, 40), "dark", "zh"),
        (tagging, (80, 24), "dark", "zh"),
        (reading, (140, 40), "dark", "zh"),
        (reading, (60, 20), "light", "en"),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_the_screen_looks_as_it_should(
    snap_compare: Compare, act: Act, size: tuple[int, int], theme: str, language: str
) -> None:
    core = base()
    app = GeekAgentApp(core.open, folder=Path("/笔记库"), theme=theme)

    async def run(pilot: Pilot[Any]) -> None:
        await wait_until(pilot, lambda: app.gateway is not None)
        await wait_until(pilot, lambda: len(app.main.query_one("#documents")._rows) > 1)  # type: ignore[attr-defined]
        await act(pilot, core)
        app.screen.query("FilterBox, FindInput, TagInput").blur()  # no cursor that blinks
        await wait_until(pilot, lambda: not pilot.app.animator.is_being_animated(app.screen, "opacity"))

    i18n.set_language(language)
    try:
        assert snap_compare(app, terminal_size=size, run_before=run)
    finally:
        i18n.set_language("zh")
