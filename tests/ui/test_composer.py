"""Typing: sending, breaking lines, history, completion, pasting."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot

from geekagent_tui.agent import events as ev
from geekagent_tui.ui.app import GeekAgentApp
from geekagent_tui.ui.widgets.completion import Completions
from geekagent_tui.ui.widgets.composer import Composer
from support.pilot import EventSource, running, screen_text, shows, wait_until


def composer(pilot: Pilot[None]) -> Composer:
    return pilot.app.screen.query_one(Composer)


def offered(pilot: Pilot[None]) -> list[str]:
    return [option.prompt.plain for option in pilot.app.screen.query_one(Completions).options]  # type: ignore[union-attr]


@pytest.mark.parametrize("key", ["ctrl+j", "shift+enter", "alt+enter", "shift+\r"])
async def test_keys_that_break_the_line(key: str) -> None:
    core = EventSource()
    async with running(core.open) as pilot:
        await pilot.press("a", key, "b", "enter")
        await wait_until(pilot, lambda: core.submitted == ["a\nb"])


async def test_a_backslash_before_enter_breaks_the_line() -> None:
    core = EventSource()
    async with running(core.open) as pilot:
        await pilot.press("a", "backslash", "enter", "b", "enter")
        await wait_until(pilot, lambda: core.submitted == ["a\nb"])


async def test_history_goes_back_and_forth_and_keeps_the_draft() -> None:
    core = EventSource()
    core.say("user", "从前的问题")
    async with running(core.open) as pilot:
        await pilot.press("x", "enter", "d")
        await pilot.press("up")
        assert composer(pilot).text == "x"
        await pilot.press("up")
        assert composer(pilot).text == "从前的问题"
        await pilot.press("down", "down")
        assert composer(pilot).text == "d"


async def test_what_is_typed_before_the_core_is_open_is_not_lost() -> None:
    core = EventSource()
    gate = asyncio.Event()

    async def slowly() -> EventSource:
        await gate.wait()
        return core

    app = GeekAgentApp(slowly)
    async with app.run_test() as pilot:
        await pilot.press("h", "i", "enter", "d")
        await wait_until(pilot, shows(pilot, "等待中 1 条"))
        gate.set()
        await wait_until(pilot, lambda: core.submitted == ["hi"])
        assert composer(pilot).text == "d"
        assert "等待中" not in screen_text(app)


async def test_a_core_that_can_not_open_is_told() -> None:
    async def fail() -> EventSource:
        raise OSError("[bold]磁盘坏了\x1b]52;c;AA\x07")

    app = GeekAgentApp(fail)
    async with app.run_test() as pilot:
        await wait_until(pilot, shows(pilot, "打开失败：[bold]磁盘坏了"))
        assert "\x1b" not in screen_text(app)


async def test_commands_complete() -> None:
    core = EventSource()
    async with running(core.open) as pilot:
        await pilot.press("/", "r")
        await wait_until(pilot, lambda: any(line.startswith("/rag add") for line in offered(pilot)))
        while not offered(pilot)[pilot.app.screen.query_one(Completions).highlighted or 0].startswith(
            "/rag add"
        ):
            await pilot.press("down")
        await pilot.press("tab")
        assert composer(pilot).text == "/rag add "
        await pilot.press("escape")
        assert not pilot.app.screen.query_one(Completions).is_open


async def test_paths_complete_after_rag_add(tmp_path: Path) -> None:
    (tmp_path / "notes dir").mkdir()
    (tmp_path / "notes dir" / "a.md").touch()
    (tmp_path / "readme.md").touch()
    (tmp_path / "evil\x1b[31m.md").touch()
    core = EventSource()
    async with running(core.open, tmp_path) as pilot:
        composer(pilot).load_text("/rag add ")
        composer(pilot).move_cursor((0, 9))
        await pilot.press("n")
        await wait_until(pilot, lambda: offered(pilot) == ["notes dir/"])
        await pilot.press("tab")
        assert composer(pilot).text == '/rag add "notes dir/'
        await wait_until(pilot, lambda: offered(pilot) == ["notes dir/a.md"])
        await pilot.press("tab")
        assert composer(pilot).text == '/rag add "notes dir/a.md" '
        await wait_until(pilot, lambda: offered(pilot) == ["notes dir/", "readme.md"])


async def test_enter_sends_a_path_as_it_was_typed(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    core = EventSource()
    async with running(core.open, tmp_path) as pilot:
        composer(pilot).load_text("/rag add note")
        composer(pilot).move_cursor((0, 13))
        await pilot.press("s")
        await wait_until(pilot, lambda: offered(pilot) == ["notes/"])
        await pilot.press("enter")
        await wait_until(pilot, lambda: core.submitted == ["/rag add notes"])


async def test_a_large_paste_is_one_mark_and_sent_whole() -> None:
    core = EventSource()
    pasted = "行\n" * 200_000
    async with running(core.open) as pilot:
        await pilot.press("a")
        composer(pilot).post_message(events.Paste(pasted))
        await wait_until(pilot, shows(pilot, "[粘贴 1：200001 行]"))
        await pilot.press("enter")
        await wait_until(pilot, lambda: core.submitted == ["a" + pasted])


async def test_a_paste_is_harmless() -> None:
    core = EventSource()
    async with running(core.open) as pilot:
        composer(pilot).post_message(events.Paste("a\x1b[31m\u202eb\r\nc"))
        await wait_until(pilot, lambda: composer(pilot).text == "a␛[31mb\nc")


async def test_it_grows_to_a_third_of_the_screen() -> None:
    core = EventSource()
    async with running(core.open, size=(80, 24)) as pilot:
        for _line in range(30):
            await pilot.press("a", "ctrl+j")
        assert 6 <= composer(pilot).size.height <= 8


async def test_escape_stops_the_turn_and_ctrl_c_twice_quits() -> None:
    core = EventSource()
    async with running(core.open) as pilot:
        await pilot.press("escape")
        assert not core.interrupts
        core.publish(ev.TurnStarted())
        await wait_until(pilot, shows(pilot, "Esc 停止"))
        await pilot.press("escape")
        await wait_until(pilot, lambda: core.interrupts == 1)
        await pilot.press("ctrl+c")
        await wait_until(pilot, shows(pilot, "再按一次 Ctrl+C 退出"))
        await pilot.press("ctrl+c")
        await wait_until(pilot, lambda: not pilot.app.is_running)
    assert core.closed


def send_keys(pilot: Pilot[None], *keys: str) -> None:
    """Press keys as a terminal that types without a pause: the application comes to none of them between."""
    for key in keys:
        name = {"\r": "enter", "\t": "tab", "/": "slash", " ": "space"}.get(key, key)
        pilot.app.post_message(events.Key(name, key if len(key) == 1 else None))


async def test_enter_sends_what_is_typed(tmp_path: Path) -> None:
    (tmp_path / "assets" / "notes").mkdir(parents=True)
    (tmp_path / "assets" / "notes" / "a.md").touch()
    lines = ["/rag add assets/notes", "/rag add assets/notes ", "/rag add assets/notes/", "/rag add ", "/he"]
    core = EventSource()
    async with running(core.open, tmp_path) as pilot:
        for count, line in enumerate(lines, start=1):
            composer(pilot).load_text(line[:-1])
            composer(pilot).move_cursor(composer(pilot).document.end)
            await pilot.press("space" if line[-1] == " " else "slash" if line[-1] == "/" else line[-1])
            await wait_until(pilot, lambda: pilot.app.screen.query_one(Completions).line == line)  # noqa: B023
            await pilot.press("enter")
            await wait_until(pilot, lambda: len(core.submitted) == count)  # noqa: B023
    assert core.submitted == lines


async def test_enter_takes_an_entry_that_the_user_went_to(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    core = EventSource()
    async with running(core.open, tmp_path) as pilot:
        composer(pilot).load_text("/rag add")
        composer(pilot).move_cursor(composer(pilot).document.end)
        await pilot.press("space")
        await wait_until(pilot, lambda: offered(pilot) == ["a/", "b/"])
        await pilot.press("down", "enter")
        assert composer(pilot).text == "/rag add b/"
        assert not core.submitted


async def test_a_click_takes_an_entry(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    core = EventSource()
    async with running(core.open, tmp_path) as pilot:
        composer(pilot).load_text("/rag add")
        composer(pilot).move_cursor(composer(pilot).document.end)
        await pilot.press("space")
        await wait_until(pilot, lambda: offered(pilot) == ["a/"])
        await pilot.click(Completions, offset=(4, 0))
        await wait_until(pilot, lambda: composer(pilot).text == "/rag add a/")


async def test_a_list_for_another_line_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "other").mkdir()
    core = EventSource()
    async with running(core.open, tmp_path) as pilot:
        composer(pilot).load_text("/rag add ")
        composer(pilot).move_cursor(composer(pilot).document.end)
        await pilot.press("n")
        await wait_until(pilot, lambda: offered(pilot) == ["notes/"])
        send_keys(pilot, "down", "x", "\r")
        await wait_until(pilot, lambda: core.submitted == ["/rag add nx"])
        send_keys(pilot, *"/rag add o", "\t", "\r")
        await wait_until(pilot, lambda: core.submitted[1:] == ["/rag add other/"])
        send_keys(pilot, *"/rag add n", "x", "\t", "y", "\r")
        await wait_until(pilot, lambda: len(core.submitted) == 3 or composer(pilot).text == "/rag add nx")


async def test_editing_keys_keep_their_place_in_a_burst() -> None:
    core = EventSource()
    async with running(core.open) as pilot:
        wanted = []
        for number in range(50):
            send_keys(pilot, *f"n{number}x", "backspace", "left", "y", "end", "ctrl+j", "z", "\r")
            wanted.append(f"n{number}"[:-1] + "y" + f"{number}"[-1] + "\nz")
        await wait_until(pilot, lambda: len(core.submitted) == 50)
        assert core.submitted == wanted


async def test_a_burst_before_the_core_is_open_keeps_its_order() -> None:
    core = EventSource()
    gate = asyncio.Event()

    async def slowly() -> EventSource:
        await gate.wait()
        return core

    app = GeekAgentApp(slowly)
    async with app.run_test() as pilot:
        for number in range(20):
            send_keys(pilot, str(number % 10), "\r")
            if number == 9:
                await wait_until(pilot, shows(pilot, "等待中 10 条"))
                gate.set()
        await wait_until(pilot, lambda: len(core.submitted) == 20)
        assert core.submitted == [str(number % 10) for number in range(20)]


async def test_undo_has_a_key_and_help_tells_about_suspending() -> None:
    core = EventSource()
    async with running(core.open, size=(140, 120)) as pilot:
        await pilot.press("a", "b")
        await pilot.press("ctrl+underscore")
        assert composer(pilot).text == ""
        await pilot.press("f1")
        await wait_until(pilot, shows(pilot, "Ctrl+Z", "挂起", "Ctrl+_", "撤销输入"))
