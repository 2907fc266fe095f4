"""The running batch: figures, rows, failures, and what can be done about them."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from geekagent_tui.agent import events as ev
from geekagent_tui.rag.model import BatchProgress, IngestPhase, IngestProgress, IngestResult, IngestState
from geekagent_tui.ui.panels.knowledge_list import DocumentList
from geekagent_tui.ui.widgets.batch_rows import left
from geekagent_tui.ui.widgets.batch_strip import BatchHead, BatchRows, BatchStrip
from support.pilot import EventSource, document, running, screen_text, shows, wait_until

BATCH = BatchProgress(12, 30, 1_234_567, 38, 2, 8.0, 12.4)
REASON = "采集失败：HTTP 404，服务器说没有这个网页，" + "请检查地址是否写错了。" * 4


def moved(source: str, phase: IngestPhase) -> ev.IngestMoved:
    return ev.IngestMoved(IngestProgress(source, 1, 30, phase))


def failed(source: str, state: IngestState = IngestState.FAILED) -> ev.IngestEnded:
    return ev.IngestEnded(IngestResult(source, state, reason=REASON))


async def click_on(pilot: Pilot[Any], words: str) -> None:
    """Click in the middle of some words on the screen."""
    for row, line in enumerate(screen_text(pilot.app).split("\n")):
        if words in line:
            before = line[: line.index(words)]
            column = sum(2 if ord(character) >= 0x2E80 else 1 for character in before)
            await pilot.click(offset=(column + 1, row))
            return
    raise AssertionError(words)


async def test_a_running_batch_is_told_and_cancelled() -> None:
    core = EventSource()
    async with running(core.open) as pilot:
        assert not pilot.app.screen.query_one(BatchStrip).display
        core.publish(ev.BatchMoved(BATCH))
        core.publish(*(moved(f"n{n}.md", IngestPhase.PARSING) for n in range(7)))
        core.publish(moved("waits.md", IngestPhase.QUEUED))
        await wait_until(pilot, shows(pilot, "40%", "12/30", "剩余约 12 秒", "38 段", "1.2 MB", "失败 2"))
        await wait_until(pilot, shows(pilot, "n3.md"))
        assert "n4.md" not in screen_text(pilot.app)
        assert "waits.md" not in screen_text(pilot.app)
        await pilot.press("f2")
        await wait_until(pilot, lambda: isinstance(pilot.app.focused, BatchRows))
        await pilot.press("c")
        assert core.cancels == 1
        await click_on(pilot, "取消 c")
        assert core.cancels == 2
        core.publish(*(ev.IngestEnded(IngestResult(f"n{n}.md", IngestState.ADDED)) for n in range(7)))
        core.publish(ev.IngestEnded(IngestResult("waits.md", IngestState.CANCELLED)), ev.BatchMoved(None))
        await wait_until(pilot, shows(pilot, "采集完成：新增 7，取消 1 项"))
        await wait_until(pilot, lambda: not pilot.app.screen.query_one(BatchStrip).display)


async def test_failures_are_read_tried_again_and_cleared() -> None:
    core = EventSource()
    async with running(core.open) as pilot:
        core.publish(failed("http://h/a"), failed("http://h/b"), failed("c.pdf", IngestState.SKIPPED))
        await wait_until(pilot, shows(pilot, "3 个没有成功", "✕ http://h/a", "⊘ c.pdf"))
        assert "写错了。请检查" not in screen_text(pilot.app).replace("\n", "")
        await pilot.press("f2")
        await wait_until(pilot, lambda: isinstance(pilot.app.focused, BatchRows))
        height = pilot.app.screen.query_one(BatchRows).virtual_size.height
        await pilot.press("down", "enter")
        await wait_until(
            pilot, lambda: pilot.app.screen.query_one(BatchRows).virtual_size.height > height + 1
        )
        await pilot.press("r")
        await wait_until(pilot, lambda: core.retried == [("http://h/b",)])
        await pilot.press("R")
        await wait_until(pilot, lambda: core.retried[1:] == [("http://h/a", "http://h/b")])
        await click_on(pilot, "重试")  # the first one: all
        await wait_until(pilot, lambda: len(core.retried) == 3)
        core.publish(moved("http://h/a", IngestPhase.FETCHING))
        await wait_until(pilot, shows(pilot, "◐ http://h/a", "正在下载"))
        core.publish(ev.IngestEnded(IngestResult("http://h/a", IngestState.ADDED)))
        await wait_until(pilot, shows(pilot, "2 个没有成功"))
        await click_on(pilot, "清除")
        await wait_until(pilot, lambda: not pilot.app.screen.query_one(BatchStrip).display)


async def test_up_and_down_lead_from_the_documents_to_the_strip_and_back() -> None:
    core = EventSource(documents=[document(1, "甲", "a.md"), document(2, "乙", "b.md")])
    async with running(core.open) as pilot:
        await pilot.press("f2")
        rows = pilot.app.screen.query_one(DocumentList)
        await wait_until(pilot, lambda: rows.has_focus)
        await pilot.press("up")
        assert rows.has_focus
        core.publish(failed("http://h/a"), failed("http://h/b"))
        await wait_until(pilot, shows(pilot, "2 个没有成功"))
        await pilot.press("up")
        strip = pilot.app.screen.query_one(BatchRows)
        await wait_until(pilot, lambda: strip.has_focus)
        await pilot.press("down")
        assert strip.has_focus
        await pilot.press("down")
        await wait_until(pilot, lambda: rows.has_focus)


async def test_one_failure_is_tried_again_by_mouse_under_its_own_name() -> None:
    core = EventSource()
    raw = "bad\u202e name.md"
    async with running(core.open) as pilot:
        core.publish(failed(raw), failed("other.md"))
        await wait_until(pilot, shows(pilot, "✕ bad name.md"))
        rows = pilot.app.screen.query_one(BatchRows)
        await pilot.click(BatchRows, offset=(rows.scrollable_content_region.width - 2, 0))
        await wait_until(pilot, lambda: core.retried == [(raw,)])


async def test_below_100_columns_the_batch_has_a_line() -> None:
    core = EventSource()
    core.batch = BATCH
    async with running(core.open, size=(80, 24)) as pilot:
        await wait_until(pilot, shows(pilot, "采集", "40%", "剩余约 12 秒", "12/30"))
        await pilot.click("#batch-line")
        await wait_until(pilot, lambda: pilot.app.screen.query_one(BatchHead).region.height == 2)
        assert not pilot.app.screen.query_one("#batch-line").display
        await pilot.press("escape")
        core.publish(ev.BatchMoved(None))
        await wait_until(pilot, lambda: "12/30" not in screen_text(pilot.app))


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, "正在采集"),
        (0.0, "剩余约 1 秒"),
        (89.4, "剩余约 89 秒"),
        (600, "剩余约 10 分钟"),
        (9000, "剩余约 2 小时"),
    ],
)
def test_time_left_is_said_as_people_say_it(seconds: float | None, words: str) -> None:
    assert left(BatchProgress(1, 2, 0, 0, 0, 1.0, seconds)) == words
