"""Adding sources in the dialog: what is shown is what enters, and nothing else happens before consent."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Button, Input, TextArea

from geekagent_tui.agent import events as ev
from geekagent_tui.agent.core import Agent
from geekagent_tui.agent.models.offline import OfflineModel
from geekagent_tui.rag.errors import RagError, TagError
from geekagent_tui.rag.model import Growth, IngestState, SourcePreview
from geekagent_tui.ui.dialogs.add_sources import AddDialog
from geekagent_tui.ui.panels.knowledge_list import EmptyBase
from geekagent_tui.ui.screens.main import MainScreen
from geekagent_tui.ui.widgets.composer import Composer
from geekagent_tui.ui.widgets.line_input import LineInput
from geekagent_tui.ui.widgets.source_list import SourceList
from support.agents import open_agent
from support.pages import PageServer, Reply
from support.pilot import EventSource, document, running, screen_text, shows, wait_until


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    docs = tmp_path / "docs"
    docs.mkdir()
    for name in ("a", "b", "c"):
        (docs / f"{name}.md").write_text(f"# 标题 {name}\n\n正文 {name}")
    (docs / "x.bin").write_bytes(b"\0\1" * 100)
    (tmp_path / "my notes.md").write_text("# 我的笔记\n\n第一行\x1b[31m\n[/red]")
    return tmp_path


def opening(folder: Path) -> Callable[[], Awaitable[Agent]]:
    async def open_it() -> Agent:
        return await open_agent(folder, OfflineModel())

    return open_it


def source_of(folder: Path) -> EventSource:
    core = EventSource()
    core.folder = folder
    return core


async def opened(pilot: Pilot[Any], typed: str = "") -> AddDialog:
    """The dialog, with something typed."""
    await pilot.press("ctrl+o")
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, AddDialog))
    dialog = pilot.app.screen
    assert isinstance(dialog, AddDialog)
    if typed:
        dialog.query_one(TextArea).insert(typed)
        await settled(pilot, dialog)
    return dialog


async def settled(pilot: Pilot[Any], dialog: AddDialog) -> None:
    """What is shown is what is typed."""
    await wait_until(pilot, lambda: "正在清点" not in screen_text(pilot.app))
    await wait_until(pilot, lambda: dialog.query_one(SourceList).checked or "✕" in screen_text(pilot.app))


@pytest.mark.parametrize("size", [(140, 40), (80, 24)])
async def test_a_folder_a_file_and_a_page_by_keyboard(folder: Path, size: tuple[int, int]) -> None:
    async with PageServer({"/": Reply(b"<title>Page</title><p>" + b"hello world " * 50)}) as server:
        url = server.url + "/"
        async with running(opening(folder), folder, size=size) as pilot:
            await opened(pilot, f'docs "my notes.md" {url}')
            await wait_until(pilot, shows(pilot, "3 个文件，跳过 1", "1 个网页 · 4 个文件"))
            assert not server.requests
            await pilot.press("tab", *"study", "enter")
            assert isinstance(pilot.app.focused, SourceList)
            await pilot.press("enter")
            await wait_until(pilot, shows(pilot, "5 文档"))
            assert not isinstance(pilot.app.screen, AddDialog)
            gateway = pilot.app.gateway  # type: ignore[attr-defined]
            assert gateway.tags() == {"study": 5}


async def test_only_what_is_ticked_enters_by_mouse(folder: Path) -> None:
    async with running(opening(folder), folder) as pilot:
        await pilot.click("KnowledgePanel PanelTitle", offset=(10, 0))
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, AddDialog))
        dialog = pilot.app.screen
        assert isinstance(dialog, AddDialog)
        await pilot.click("#typed")
        dialog.query_one(TextArea).insert('docs/a.md docs/b.md "my notes.md"')
        await settled(pilot, dialog)
        await pilot.click("#sources", offset=(2, 2))
        await wait_until(pilot, shows(pilot, "[ ] docs/b.md", "采集 2 项"))
        await pilot.click("#yes")
        await wait_until(pilot, shows(pilot, "2 文档", "我的笔记"))
        assert "标题 b" not in screen_text(pilot.app)


async def test_what_failed_is_tried_again(folder: Path) -> None:
    pages: dict[str, Any] = {"/x": Reply(b"gone", status=500, reason="Oops")}
    async with PageServer(pages) as server, running(opening(folder), folder) as pilot:
        await opened(pilot, server.url + "/x")
        await pilot.press("enter", "enter")
        await wait_until(pilot, shows(pilot, "1 个没有成功", "重试"))
        pages["/x"] = Reply(b"<title>Back</title><p>" + b"here again " * 50)
        await pilot.press("f2", "R")
        await wait_until(pilot, shows(pilot, "1 文档", "Back"))
        await wait_until(pilot, lambda: "没有成功" not in screen_text(pilot.app))


async def test_nothing_is_agreed_to_that_is_not_shown(folder: Path) -> None:
    core = source_of(folder)
    async with running(core.open, folder) as pilot:
        dialog = await opened(pilot, "docs/a.md")
        dialog.query_one(TextArea).insert(" docs/b.md")
        dialog.action_yes()
        assert dialog.is_active
        await settled(pilot, dialog)
        await wait_until(pilot, shows(pilot, "采集 2 项"))
        await pilot.press("enter", "y")
        await wait_until(pilot, lambda: core.taken)
        previews, tags = core.taken[0]
        assert [preview.typed for preview in previews] == ["docs/a.md", "docs/b.md"]
        assert tags == ()


async def test_what_enters_is_spelt_as_it_is_and_shown_clean(folder: Path) -> None:
    evil = "e\u202evil\x1b[31m.md"
    (folder / evil).write_text("x")
    core = source_of(folder)
    async with running(core.open, folder) as pilot:
        dialog = await opened(pilot)
        # The field itself holds nothing that could steer a terminal; a pattern still finds the file.
        dialog.query_one(TextArea).insert("e*.md")
        await settled(pilot, dialog)
        await pilot.press("enter", "v")
        await wait_until(pilot, shows(pilot, "▾ 看文件", "evil␛[31m.md"))
        await pilot.press("y")
        await wait_until(pilot, lambda: core.taken)
        assert core.taken[0][0][0].sources[0].identity == evil


async def test_pages_and_tags_are_told_as_they_are_typed(folder: Path) -> None:
    core = source_of(folder)
    core.documents = (replace(document(1, "t", "s"), tags=("读书", "[/b]")),)
    async with running(core.open, folder) as pilot:
        dialog = await opened(pilot, "http://example.org/guide")
        dialog.query_one("#pages", Input).value = "20"
        await wait_until(pilot, shows(pilot, "沿链接采集同站网页，最多 20 个"))
        tags = dialog.query_one("#tags", Input)
        await wait_until(pilot, lambda: tags.suggester is not None)
        tags.focus()
        await pilot.press(*"a,读")
        await wait_until(pilot, lambda: tags._suggestion == "a,读书")
        await pilot.press("tab")
        assert tags.value == "a,读书"
        tags.value = "长" * 65
        await wait_until(pilot, shows(pilot, "长…」超过 64"))
        assert dialog.query_one("#yes", Button).disabled
        tags.value = "#b，B、 ＃c d "
        await pilot.press("enter", "enter")
        await wait_until(pilot, lambda: core.taken)
        previews, taken = core.taken[0]
        assert taken == ("b", "c d")
        assert (previews[0].growth, previews[0].pages) == (Growth.LINKS, 20)


async def test_the_beginning_of_a_file_is_shown_on_demand(folder: Path) -> None:
    core = source_of(folder)
    async with running(core.open, folder) as pilot:
        await opened(pilot, '"my notes.md" http://example.org/ docs')
        await pilot.press("enter", "v")
        await wait_until(pilot, shows(pilot, "# 我的笔记", "第一行␛[31m", "[/red]"))
        await pilot.press("v")
        await wait_until(pilot, lambda: "[/red]" not in screen_text(pilot.app))
        row = next(n for n, line in enumerate(screen_text(pilot.app).split("\n")) if "▸ 看文件" in line)
        line = screen_text(pilot.app).split("\n")[row]
        cells = sum(2 if ord(character) > 0x2E80 else 1 for character in line[: line.index("▸ 看文件")])
        await pilot.click(offset=(cells + 1, row))
        await wait_until(pilot, shows(pilot, "▾ 看文件", "docs/c.md", "跳过 1"))
        assert "采集 3 项" in screen_text(pilot.app)


async def test_paths_complete_and_escape_closes_the_list_first(folder: Path) -> None:
    core = source_of(folder)
    async with running(core.open, folder) as pilot:
        dialog = await opened(pilot)
        await pilot.press(*"./do")
        await wait_until(pilot, shows(pilot, "./docs/"))
        await pilot.press("tab")
        assert dialog.query_one(TextArea).text == "./docs/"
        await wait_until(pilot, shows(pilot, "./docs/a.md"))
        await pilot.press("escape")
        assert dialog.is_active
        await pilot.press("escape")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, MainScreen))
        # What was typed is there again.
        dialog = await opened(pilot)
        assert dialog.query_one(TextArea).text == "./docs/"
        await wait_until(pilot, shows(pilot, "3 个文件"))
        assert not core.taken


async def test_a_paste_of_sources_is_offered_and_not_taken(folder: Path) -> None:
    core = source_of(folder)
    async with running(core.open, folder) as pilot:
        composer = pilot.app.screen.query_one(Composer)
        await composer.on_paste(events.Paste("http://example.org/a\n./docs/a.md"))
        await wait_until(pilot, shows(pilot, "按 Ctrl+O 加入知识库"))
        assert composer.text == "http://example.org/a\n./docs/a.md"
        dialog = await opened(pilot)
        await settled(pilot, dialog)
        await pilot.press("enter", "enter")
        await wait_until(pilot, lambda: core.taken)
        await wait_until(pilot, lambda: composer.text == "")
        composer.load_text("问 http://example.org/a 是什么？")
        assert (await opened(pilot)).query_one(TextArea).text == ""


async def test_a_slow_preview_freezes_nothing_and_the_last_one_counts(folder: Path) -> None:
    core = source_of(folder)
    asked: list[list[str]] = []
    stopped: list[str] = []
    prompt = core.preview

    async def slow(typed: list[str], crawl: int = 0) -> list[SourcePreview]:
        asked.append(typed)
        if "docs" in typed:
            try:
                await asyncio.Event().wait()
            finally:
                stopped.append(typed[0])
        return await prompt(typed, crawl)

    core.preview = slow  # type: ignore[method-assign,assignment]
    async with running(core.open, folder) as pilot:
        dialog = await opened(pilot)
        field = dialog.query_one(TextArea)
        field.insert("docs")
        await wait_until(pilot, lambda: asked)
        assert "正在清点…" in screen_text(pilot.app)
        field.insert("/a.md")
        await settled(pilot, dialog)
        await wait_until(pilot, lambda: stopped == ["docs"])
        assert dialog.query_one(SourceList).checked == [0]


async def test_a_list_file_stands_for_its_lines(folder: Path) -> None:
    (folder / "list.txt").write_text("# mine\ndocs/a.md\nmy notes.md\n")
    async with running(opening(folder), folder) as pilot:
        dialog = await opened(pilot, "@list.txt")
        await wait_until(pilot, shows(pilot, "docs/a.md", "my notes.md", "2 个文件"))
        dialog.query_one(TextArea).load_text("@nothing.txt")
        await wait_until(pilot, shows(pilot, "文件不存在"))


async def test_escape_closes_what_is_looked_into_before_the_dialog(folder: Path) -> None:
    core = source_of(folder)
    async with running(core.open, folder) as pilot:
        dialog = await opened(pilot, '"my notes.md"')
        await pilot.press("enter", "v")
        await wait_until(pilot, shows(pilot, "# 我的笔记"))
        await pilot.press("escape")
        await wait_until(pilot, lambda: "# 我的笔记" not in screen_text(pilot.app))
        assert dialog.is_active
        await pilot.press("escape")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, MainScreen))
        # What was typed is there again, and goes when something else is typed.
        dialog = await opened(pilot)
        assert dialog.query_one(TextArea).selected_text == '"my notes.md"'
        await pilot.press("x")
        assert dialog.query_one(TextArea).text == "x"


async def test_what_is_pasted_into_the_fields_steers_nothing(folder: Path) -> None:
    core = source_of(folder)
    async with running(core.open, folder) as pilot:
        dialog = await opened(pilot, "docs/a.md http://example.org/")
        fields = list(dialog.query(Input))
        assert {field.id for field in fields} == {"tags", "pages"}
        for field in fields:
            assert isinstance(field, LineInput)
            field.post_message(events.Paste("a\u202eb\x1b[2Jc\x9b31m\u200b\nline2"))
        assert dialog.query_one("#pages", Input).value == "0"
        await wait_until(pilot, lambda: dialog.query_one("#tags", Input).value == "a b [2Jc 31m ")
        await settled(pilot, dialog)
        await pilot.press("enter", "enter")
        await wait_until(pilot, lambda: core.taken)
        assert core.taken[0][1] == ("a b [2Jc 31m",)


async def test_a_tag_that_can_not_be_one_is_told_before_anything_begins(folder: Path) -> None:
    async with running(opening(folder), folder) as pilot:
        dialog = await opened(pilot, "docs/a.md")
        offer = await dialog._preview("docs/a.md", 0)
        gateway = pilot.app.gateway  # type: ignore[attr-defined]
        with pytest.raises(TagError, match="不能使用的字符"):
            await gateway.take_in(offer, [0], ["a\u200bb"])
        with pytest.raises(TagError, match="不能有逗号"):
            await gateway.take_in(offer, [0], ["a，b"])
        assert gateway.status is not None
        assert "采集失败" not in screen_text(pilot.app)


@pytest.mark.parametrize("fails", [False, True])
async def test_what_a_preview_finds_after_the_dialog_has_gone_harms_nothing(
    folder: Path, fails: bool
) -> None:
    core = source_of(folder)
    went_on: list[bool] = []

    async def late(typed: list[str], crawl: int = 0) -> list[SourcePreview]:
        dialog = pilot.app.screen
        dialog.app.call_later(dialog.dismiss)
        try:
            while dialog.query(SourceList):
                await asyncio.sleep(0)
        finally:
            went_on.append(bool(dialog.query(SourceList)))
        if fails:
            raise RagError("x")
        return []

    core.preview = late  # type: ignore[method-assign,assignment]
    async with running(core.open, folder) as pilot:
        (await opened(pilot)).query_one(TextArea).insert("docs")
        await wait_until(pilot, lambda: went_on)
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, MainScreen))
        assert went_on == [True]


async def test_sync_by_key_and_by_mouse(folder: Path) -> None:
    core = EventSource(documents=[document(1, "标题", "docs/a.md")])
    async with running(core.open, folder) as pilot:
        await pilot.press("f2", "U")
        await wait_until(pilot, lambda: core.synced == [()])
        await pilot.click("KnowledgePanel PanelTitle", offset=(19, 0))
        await wait_until(pilot, lambda: core.synced == [(), ()])
        await pilot.press("a")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, AddDialog))


async def test_the_empty_base_begins_with_enter(folder: Path) -> None:
    core = source_of(folder)
    async with running(core.open, folder) as pilot:
        await pilot.press("f2")
        await wait_until(pilot, lambda: isinstance(pilot.app.focused, EmptyBase))
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, AddDialog))
        await pilot.press("enter")
        assert isinstance(pilot.app.focused, TextArea)
        assert not core.taken


async def test_tags_and_pages_of_a_review_can_be_changed() -> None:
    core = EventSource()
    page = SourcePreview(
        "http://e.org/a", (await core.preview(["http://e.org/a"]))[0].kind, "e.org",
        (await core.preview(["http://e.org/a"]))[0].sources, growth=Growth.LINKS, pages=5,
    )  # fmt: skip
    async with running(core.open) as pilot:
        core.publish(ev.IngestReview("r", (page,), tags=("x",)))
        await wait_until(pilot, shows(pilot, "最多 5 个"))
        pilot.app.screen.query_one("#pages", Input).value = "0"
        await wait_until(pilot, lambda: "最多 5 个" not in screen_text(pilot.app))
        pilot.app.screen.query_one("#tags", Input).value = ""
        await pilot.press("y")
        await wait_until(pilot, lambda: core.answers)
        assert core.answers[0][1] == ev.IngestDecision(("http://e.org/a",), (), 0)


def test_ends_have_words() -> None:
    from geekagent_tui.ui.widgets.batch_rows import summary

    assert summary({IngestState.ADDED: 2, IngestState.FAILED: 1}) == "采集完成：新增 2，失败 1"
    assert summary({}) == ""
