"""Old citations open the words they rested on; questions come back into the composer; colours by command."""

from __future__ import annotations

from geekagent_tui.agent import events as ev
from geekagent_tui.ui.screens.document import DocumentScreen
from geekagent_tui.ui.screens.kept import KeptScreen
from geekagent_tui.ui.screens.main import MainScreen
from geekagent_tui.ui.widgets.composer import Composer
from geekagent_tui.ui.widgets.sources_row import SourcesRow
from support.pilot import EventSource, document, running, shows, wait_until

ANSWER = "据《笔记》第 2 段，阈值是 4000。"
CITED = (ev.Citation(1, 9, "笔记", 2, 1, "notes.md", digest="00"),)
KEPT = "阈值\x1b]52;c;eA==\x07是 4000 个字符。[bold]原话[/bold]"


def core_with(state: ev.TextState, text: str = KEPT) -> EventSource:
    known = document(1, "笔记", "notes.md")
    core = EventSource(documents=[known])
    core.add_text(known, "甲", "阈值现在是 5000。")
    left = None if state is ev.TextState.GONE else 1
    core.passages[1, 2] = ev.CitedPassage(text, state, left, 2)
    return core


async def test_changed_words_are_shown_as_they_were_with_a_way_to_the_document() -> None:
    core = core_with(ev.TextState.CHANGED)
    async with running(core.open) as pilot:
        core.say("assistant", ANSWER, citations=CITED)
        await wait_until(pilot, lambda: pilot.app.screen.query(SourcesRow))
        pilot.app.screen.query_one(SourcesRow).focus()
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, KeptScreen))
        await wait_until(
            pilot,
            shows(pilot, "《笔记》第 2 段", "notes.md", "后来改动过", "是 4000 个字符。[bold]原话[/bold]"),
        )
        assert shows(pilot, "打开现在的文档")()
        await pilot.press("o")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, DocumentScreen))
        await wait_until(pilot, shows(pilot, "▌ 阈值现在是 5000。"))
        await pilot.press("escape")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, MainScreen))


async def test_words_of_a_document_that_is_gone() -> None:
    core = core_with(ev.TextState.GONE)
    async with running(core.open, size=(80, 24)) as pilot:
        core.say("assistant", ANSWER, citations=CITED)
        await wait_until(pilot, lambda: pilot.app.screen.query(SourcesRow))
        pilot.app.screen.query_one(SourcesRow).focus()
        await pilot.press("enter")
        await wait_until(pilot, shows(pilot, "已不在知识库里", "是 4000 个字符"))
        assert not shows(pilot, "打开现在的文档")()
        await pilot.press("o")
        assert isinstance(pilot.app.screen, KeptScreen)
        await pilot.press("q")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, MainScreen))


async def test_words_that_were_not_kept_are_missed_openly() -> None:
    core = core_with(ev.TextState.GONE, "")
    async with running(core.open) as pilot:
        core.say("assistant", ANSWER, citations=CITED)
        await wait_until(pilot, lambda: pilot.app.screen.query(SourcesRow))
        pilot.app.screen.query_one(SourcesRow).focus()
        await pilot.press("enter")
        await wait_until(pilot, shows(pilot, "会话里没有留下这段原话"))


async def test_a_question_comes_back_before_what_is_being_typed() -> None:
    core = EventSource()
    async with running(core.open) as pilot:
        composer = pilot.app.screen.query_one(Composer)
        core.publish(ev.ComposerFilled("旧问题\n第二行\x1b[2J"))
        await wait_until(pilot, lambda: composer.text == "旧问题\n第二行␛[2J")
        assert composer.has_focus
        assert composer.cursor_location == composer.document.end
        core.publish(ev.ComposerFilled("另一个"))
        await wait_until(pilot, lambda: composer.text == "另一个\n旧问题\n第二行␛[2J")
        await pilot.press("!", "enter")
        await wait_until(pilot, lambda: core.submitted == ["另一个\n旧问题\n第二行␛[2J!"])


async def test_colours_are_chosen_by_name() -> None:
    core = EventSource()
    async with running(core.open) as pilot:
        core.publish(ev.ThemeChosen("light"))
        await wait_until(pilot, lambda: pilot.app.theme == "geek-light")
        core.publish(ev.ThemeChosen(""))
        await wait_until(pilot, lambda: pilot.app.theme == "geek-dark")
        core.publish(ev.ThemeChosen("nord"))
        await wait_until(pilot, lambda: pilot.app.theme == "nord")
        core.publish(ev.ThemeChosen("[red]"))
        await wait_until(pilot, shows(pilot, "没有名为 [red] 的配色", "geek-dark"))
        assert pilot.app.theme == "nord"
