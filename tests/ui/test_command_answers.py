"""What a command answers is where the command is, and is read from its beginning."""

from __future__ import annotations

from geekagent_tui.agent import events as ev
from geekagent_tui.ui.panels.chat import ChatPanel
from support.pilot import EventSource, running, screen_text, shows, wait_until

LONG = "\n".join(f"第 {n:03} 行" for n in range(80))


async def test_a_long_answer_is_shown_from_its_beginning() -> None:
    core = EventSource()
    async with running(core.open, size=(80, 24)) as pilot:
        core.say("user", "说点什么")
        core.say("assistant", "好\n\n" * 30)
        core.say("user", "/help")
        core.say("notice", LONG)
        await wait_until(pilot, shows(pilot, "/help", "第 000 行"))
        assert "第 079 行" not in screen_text(pilot.app)
        core.say("user", "/queue")
        core.say("notice", "队列是空的")
        await wait_until(pilot, shows(pilot, "第 079 行", "/queue", "队列是空的"))


async def test_an_unknown_theme_is_told_below_its_command() -> None:
    core = EventSource()
    async with running(core.open, size=(80, 24)) as pilot:
        core.say("user", "/theme nope")
        core.publish(ev.ThemeChosen("nope"))
        core.say("user", "下一句")
        await wait_until(pilot, shows(pilot, "没有名为 nope 的配色", "下一句"))
        text = screen_text(pilot.app)
        assert text.index("/theme nope") < text.index("没有名为 nope") < text.index("下一句")
        core.publish(ev.ChatCleared((), ()))
        await wait_until(pilot, lambda: "没有名为" not in screen_text(pilot.app))
        assert pilot.app.screen.query_one(ChatPanel).transcript.is_vertical_scroll_end
