"""Knowledge panel, tool log, document screen, help, palette, layout."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from rich.cells import cell_len
from textual.command import CommandList, CommandPalette
from textual.widgets import Static

from geekagent_tui.agent import events as ev
from geekagent_tui.rag.model import IngestPhase, IngestProgress, IngestResult, IngestState, Stats
from geekagent_tui.ui import theme
from geekagent_tui.ui.gateway import CommandHint
from geekagent_tui.ui.panels.knowledge import KnowledgePanel
from geekagent_tui.ui.panels.knowledge_filter import FilterBox
from geekagent_tui.ui.screens.document import DocumentScreen
from geekagent_tui.ui.screens.help import HelpScreen
from geekagent_tui.ui.screens.main import MainScreen
from geekagent_tui.ui.widgets.composer import Composer
from geekagent_tui.ui.widgets.row_list import RowList
from support.pilot import NOW, SIZES, EventSource, document, running, screen_text, shows, wait_until

KNOWN = [
    document(1, "Day 5 学习笔记", "http://127.0.0.1:8934/notes/day5.html"),
    document(2, "Day 9 学习笔记", "http://127.0.0.1:8934/notes/day9.html", characters=886),
    document(3, "本地笔记", "assets/notes/local.md", passages=1, characters=365),
]


async def test_documents_are_grouped_filtered_opened_and_removed() -> None:
    core = EventSource(documents=KNOWN)
    core.add_text(KNOWN[0], "甲段", "乙段")
    async with running(core.open) as pilot:
        await wait_until(
            pilot, shows(pilot, "▾ 127.0.0.1:8934", "◦ Day 5 学习笔记", "▾ assets/notes", "1.0k")
        )
        await pilot.press("f2", "slash")
        assert isinstance(pilot.app.screen.focused, FilterBox)
        await pilot.press("d", "a", "y", "space", "5", "enter")
        await wait_until(pilot, lambda: "Day 9" not in screen_text(pilot.app))
        await pilot.press("down", "enter")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, DocumentScreen))
        await wait_until(pilot, shows(pilot, "《Day 5 学习笔记》", "甲段"))
        await pilot.press("escape", "d")
        await wait_until(pilot, shows(pilot, "从知识库移除？", "《Day 5 学习笔记》"))
        await pilot.press("n")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, MainScreen))
        assert not core.removed
        await pilot.press("d")
        await wait_until(pilot, shows(pilot, "从知识库移除？"))
        await pilot.press("y")
        await wait_until(pilot, lambda: core.removed == [1])


async def test_ingests_are_seen_and_failures_stay_until_cleared() -> None:
    core = EventSource()
    async with running(core.open) as pilot:
        core.publish(ev.IngestMoved(IngestProgress("docs/手册.pdf", 2, 5, IngestPhase.FETCHING, 41, 100)))
        await wait_until(pilot, shows(pilot, "◐ docs/手册.pdf", "正在下载 41%"))
        core.publish(
            ev.IngestEnded(
                IngestResult("docs/手册.pdf", IngestState.FAILED, reason="抓取失败：HTTP 404 Not Found")
            )
        )
        await wait_until(pilot, shows(pilot, "✕ docs/手册.pdf", "抓取失败：HTTP 404 Not Found"))
        await pilot.press("f2", "x")
        await wait_until(pilot, shows(pilot, "还没有资料。"))


async def test_escape_stops_an_ingest_when_no_turn_runs() -> None:
    core = EventSource()
    async with running(core.open) as pilot:
        core.publish(ev.IngestMoved(IngestProgress("http://h/a", 1, 2, IngestPhase.FETCHING)))
        await wait_until(pilot, shows(pilot, "停止采集"))
        await pilot.press("escape")
        assert core.cancels == 1
        core.publish(ev.IngestEnded(IngestResult("http://h/a", IngestState.CANCELLED)))
        await wait_until(pilot, lambda: "停止采集" not in screen_text(pilot.app))
        await pilot.press("escape")
        assert core.cancels == 1


async def test_the_list_follows_the_base_and_stays_quick_when_it_is_large() -> None:
    core = EventSource()
    async with running(core.open) as pilot:
        many = tuple(document(n, f"文档 {n:05}", f"f/{n}.md") for n in range(1, 10_001))
        core.publish(ev.KnowledgeChanged(many, Stats(10_000, 20_000, 1)))
        await wait_until(pilot, shows(pilot, "文档 00001", "10000 文档"))
        await pilot.press("f2", "end")
        await wait_until(pilot, shows(pilot, "文档 10000"))


async def test_the_log_opens_failures_by_itself() -> None:
    core = EventSource()
    async with running(core.open) as pilot:
        await wait_until(pilot, shows(pilot, "工具日志", "0 次"))
        core.publish(
            ev.ToolChanged(
                ev.ToolEntry(
                    "a",
                    "rag_add",
                    "http://x/y",
                    '{"source": "s"}',
                    NOW,
                    ev.ToolState.FAILED,
                    "失败",
                    "404！",
                    (),
                    1.5,
                )
            )
        )
        await wait_until(pilot, shows(pilot, "✕ rag_add", "404！", '{"source": "s"}', "1.5 s", "1 次"))
        await pilot.press("f3", "enter")
        await wait_until(pilot, lambda: "404！" not in screen_text(pilot.app))


async def test_passages_are_walked_and_a_missing_document_is_told() -> None:
    core = EventSource(documents=KNOWN)
    core.add_text(KNOWN[0], *[f"段落{n} " + "字" * 400 for n in range(1, 9)])
    async with running(core.open, size=(80, 24)) as pilot:
        gateway = pilot.app.gateway  # type: ignore[attr-defined]
        pilot.app.push_screen(DocumentScreen(gateway, 1, 5))
        await wait_until(pilot, shows(pilot, "▌ 段落5"))
        await pilot.press("n")
        await wait_until(pilot, shows(pilot, "▌ 段落6"))
        await pilot.press("p", "p")
        await wait_until(pilot, shows(pilot, "▌ 段落4"))
        await pilot.press("o")
        await wait_until(pilot, shows(pilot, "在浏览器中打开？", KNOWN[0].source))
        await pilot.press("n", "escape")
        pilot.app.push_screen(DocumentScreen(gateway, 99))
        await wait_until(pilot, shows(pilot, "没有这个文档"))


@pytest.mark.parametrize("size", SIZES)
async def test_every_size_shows_both_panels_one_way_or_another(size: tuple[int, int]) -> None:
    core = EventSource(documents=KNOWN)
    core.say("user", "你好")
    async with running(core.open, size=size) as pilot:
        narrow = size[0] < 100
        await wait_until(pilot, shows(pilot, "你好", "GeekAgent"))
        assert ("工具日志" in screen_text(pilot.app)) is not narrow
        await pilot.press("f2")
        await wait_until(pilot, shows(pilot, "Day 5 学习笔记"))
        await wait_until(pilot, lambda: isinstance(pilot.app.screen.focused, RowList))
        await pilot.press("f3")
        await wait_until(pilot, shows(pilot, "工具日志"))
        await pilot.press("escape")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen.focused, Composer))
        assert ("工具日志" in screen_text(pilot.app)) is not narrow
        for line in screen_text(pilot.app).split("\n"):
            assert "\ufffd" not in line


async def test_help_lists_keys_and_commands_and_themes_switch() -> None:
    core = EventSource()
    async with running(core.open) as pilot:
        await pilot.press("f1")
        await wait_until(pilot, shows(pilot, "帮助", "/rag add"))
        await pilot.press("escape", "f4")
        assert pilot.app.theme == theme.LIGHT.name
        for name in pilot.app.available_themes:
            pilot.app.theme = name
            await pilot.pause()
        assert pilot.app.is_running


@pytest.mark.parametrize("size", [(50, 20), (80, 24), (140, 40)])
async def test_help_cuts_nothing_and_keeps_its_columns(size: tuple[int, int]) -> None:
    usage, words = "<网页 URL 或文件路径>... [--crawl N] [--tag 标签]", "采集网页、文件或文件夹，" * 5
    core = EventSource()
    async with running(core.open, size=size) as pilot:
        assert pilot.app.gateway is not None  # type: ignore[attr-defined]
        screen = HelpScreen({"app.quit": "Ctrl+Q"}, [CommandHint("/rag add", usage, words)])
        await pilot.app.push_screen(screen)
        text = screen.query_one("#help-text", Static)
        await wait_until(pilot, lambda: "Ctrl+Q" in str(text.content))
        shown = str(text.content).split("\n")
        assert "".join("".join(shown).split()).count("".join(f"/rag add {usage}{words}".split())) == 1
        assert all(cell_len(line) <= text.content_size.width for line in shown[:-2])
        told = [line for line in shown if "采集网页" in line or "文件夹，" in line]
        assert len(told) > 1
        assert len({len(line) - len(line.lstrip()) for line in told}) == 1


async def test_the_palette_has_our_commands() -> None:
    core = EventSource()
    async with running(core.open) as pilot:
        await pilot.press("ctrl+p")
        await wait_until(pilot, shows(pilot, "知识库", "/rag add"))
        await pilot.press(*"memory")
        await wait_until(pilot, shows(pilot, "/memory"))
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, MainScreen))
        await pilot.press("enter")
        await wait_until(pilot, lambda: core.submitted == ["/memory"])


@pytest.mark.parametrize("size", SIZES)
async def test_documents_with_one_title_can_be_told_apart(size: tuple[int, int]) -> None:
    title = "同一个很长很长很长很长的标题 README"
    sources = ["a/one.md", "a/two.md", "http://h/x/eins.html", "http://h/x/zwei?n=2"]
    known = [document(number, title, source) for number, source in enumerate(sources, start=1)]
    core = EventSource(documents=[*known, document(9, "别的", "a/three.md")])
    async with running(core.open, size=size) as pilot:
        await pilot.press("f2")
        await wait_until(pilot, shows(pilot, "one.md", "two.md", "eins.html", "zwei?n=2", "同一个"))
        assert "three.md" not in screen_text(pilot.app)


async def test_leaving_during_an_ingest_says_what_is_not_done(capsys: pytest.CaptureFixture[str]) -> None:
    core = EventSource()
    async with running(core.open) as pilot:
        for position in (1, 2, 3):
            core.publish(ev.IngestMoved(IngestProgress(f"n{position}.md", position, 3, IngestPhase.QUEUED)))
        core.publish(ev.IngestEnded(IngestResult("n1.md", IngestState.ADDED)))
        await wait_until(pilot, lambda: pilot.app.screen.query_one(KnowledgePanel).unfinished == 2)
        await pilot.press("ctrl+q")
        await wait_until(pilot, lambda: not pilot.app.is_running)
    assert "退出时采集还没有完成，下次打开会接着采集。" in capsys.readouterr().err


async def test_enter_in_the_fresh_palette_does_not_quit() -> None:
    core = EventSource()
    async with running(core.open) as pilot:
        await pilot.press("ctrl+p")
        await wait_until(pilot, lambda: len(pilot.app.screen.query_one(CommandList).options) > 5)
        names = [option.hit.text for option in pilot.app.screen.query_one(CommandList).options]  # type: ignore[attr-defined]
        assert names[0] == "知识库"
        assert names[-1] == "退出"
        await pilot.press("enter", "enter")
        await wait_until(pilot, lambda: not isinstance(pilot.app.screen, CommandPalette))
        assert pilot.app.is_running


async def test_exit_is_obeyed() -> None:
    core = EventSource()
    async with running(core.open) as pilot:
        core.publish(ev.ExitRequested())
        await wait_until(pilot, lambda: not pilot.app.is_running)
    assert core.closed


def test_the_first_frame_loads_nothing_heavy() -> None:
    code = """
import asyncio, sys
from geekagent_tui.ui.app import GeekAgentApp
from geekagent_tui.ui import launch
async def never(): await asyncio.Event().wait()
async def main():
    app = GeekAgentApp(never)
    async with app.run_test() as pilot:
        await pilot.pause()
        heavy = {"openai", "trafilatura", "tantivy", "lxml", "opencc", "snowballstemmer", "selectolax"}
        print(sorted(heavy & set(sys.modules)), "textual.widgets._markdown" in sys.modules)
asyncio.run(main())
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False, env=environment
    )
    assert done.stdout.strip() == "[] False", done.stdout + done.stderr
