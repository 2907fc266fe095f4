"""Pictures of adding: dialog, review, batch, failures. `pytest --snapshot-update` renews them."""

from __future__ import annotations

import os
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from geekagent_tui.agent import events as ev
from geekagent_tui.rag.model import (
    BatchProgress,
    Growth,
    IngestPhase,
    IngestProgress,
    IngestResult,
    IngestState,
    Source,
    SourceKind,
    SourcePreview,
)
from geekagent_tui.ui.app import GeekAgentApp
from geekagent_tui.ui.dialogs.add_sources import AddDialog
from geekagent_tui.ui.dialogs.base import Dialog
from geekagent_tui.ui.widgets.batch_strip import BatchRows
from geekagent_tui.ui.widgets.source_list import SourceList
from support.pilot import EventSource, document, screen_text, shows, wait_until

Compare = Callable[..., bool]
Act = Callable[[Pilot[Any], EventSource], Awaitable[None]]

PAGE = "https://example.org/guide/a/very/long/path/to/index.html"
GONE = "http://127.0.0.1:8934/gone.html"


async def adding(pilot: Pilot[Any], core: EventSource) -> None:
    """A folder, a file whose beginning is shown, a page, and what is not there."""
    await pilot.press("ctrl+o")
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, AddDialog))
    dialog = pilot.app.screen
    dialog.query_one(TextArea).insert('docs "周报 2026.md" https://example.org/guide/ nope.md')
    await wait_until(pilot, shows(pilot, "12 个文件"))
    dialog.query_one("#tags", Input).value = "读书，手册"
    await pilot.press("enter", "down", "v")
    await wait_until(pilot, lambda: "完成了采集对话框" in screen_text(pilot.app))
    dialog.query_one(SourceList).scroll_home(animate=False)


async def asked(pilot: Pilot[Any], core: EventSource) -> None:
    """The model asks for a page and those it leads to."""
    page = Source(SourceKind.URL, PAGE, PAGE)
    previews = (
        SourcePreview(PAGE, SourceKind.URL, "example.org", (page,), growth=Growth.LINKS, pages=20),
        SourcePreview("../x.md", SourceKind.FILE, "", problem="路径越界：../x.md"),
    )
    core.publish(ev.IngestReview("r", previews, True, "需要 [b]这一页[/b] 才能回答", ("读书",)))
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, Dialog) and not pilot.app.screen.asleep)


async def batch(pilot: Pilot[Any], core: EventSource) -> None:
    """A batch in the middle, with a failure."""
    core.publish(
        ev.BatchMoved(BatchProgress(12, 30, 1_234_567, 38, 1, 8.0, 12.4)),
        ev.IngestMoved(IngestProgress(PAGE, 13, 30, IngestPhase.FETCHING, 120_000, 300_000)),
        ev.IngestMoved(IngestProgress("docs/笔记-13.md", 14, 30, IngestPhase.PARSING)),
        ev.IngestEnded(IngestResult(GONE, IngestState.FAILED, reason="抓取失败：HTTP 404 Not Found")),
    )
    await wait_until(pilot, shows(pilot, "剩余约 12 秒"))


async def failures(pilot: Pilot[Any], core: EventSource) -> None:
    """A batch is over, and not all of it got in."""
    await pilot.press("f2")
    reason = "采集失败：服务器说没有这个网页（HTTP 404），请检查地址是否写错了，或稍后再试"
    core.publish(
        ev.IngestEnded(IngestResult(GONE, IngestState.FAILED, reason=reason)),
        ev.IngestEnded(
            IngestResult("docs/扫描.pdf", IngestState.SKIPPED, reason="没有文字层：docs/扫描.pdf")
        ),
    )
    await wait_until(pilot, shows(pilot, "2 个没有成功"))
    rows = pilot.app.screen.query_one(BatchRows)
    rows.focus()
    await pilot.press("enter")
    await wait_until(pilot, lambda: rows.virtual_size.height == 5)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Files whose times are shown in a time zone of their own."""
    docs = tmp_path / "docs"
    docs.mkdir()
    for number in range(12):
        (docs / f"笔记-{number:02}.md").write_text(f"# 第 {number} 章\n\n正文", "utf-8")
    (docs / "图.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(50))
    report = tmp_path / "周报 2026.md"
    report.write_text("# 周报\n\n- 完成了采集对话框\n- [x] 照原样显示\n", "utf-8")
    os.utime(report, (1_577_934_245, 1_577_934_245))  # 2020-01-02 03:04:05
    with monkeypatch.context() as patched:
        patched.setenv("TZ", "UTC")
        time.tzset()
        yield tmp_path
    time.tzset()


@pytest.mark.parametrize(
    ("act", "size", "theme"),
    [
        (adding, (140, 40), "dark"),
        (adding, (80, 24), "light"),
        (asked, (140, 40), "light"),
        (batch, (140, 40), "dark"),
        (batch, (80, 24), "dark"),
        (failures, (80, 24), "light"),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_adding_looks_as_it_should(
    snap_compare: Compare, folder: Path, act: Act, size: tuple[int, int], theme: str
) -> None:
    core = EventSource(documents=(document(1, "Day 5 学习笔记", "http://127.0.0.1:8934/notes/day5.html"),))
    core.folder = folder
    app = GeekAgentApp(core.open, folder=Path("/笔记库"), theme=theme)

    async def run(pilot: Pilot[Any]) -> None:
        await wait_until(pilot, lambda: app.gateway is not None)
        await act(pilot, core)
        if isinstance(app.focused, TextArea | Input):
            app.screen.set_focus(None)  # no cursor that blinks
        await wait_until(pilot, lambda: not pilot.app.animator.is_being_animated(app.screen, "opacity"))

    assert snap_compare(app, terminal_size=size, run_before=run)
