"""The question about what came with a folder: before the agent opens, safe to escape, harmless to show."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.theme import Theme

from geekagent_tui.agent.events import TrustItem, TrustReview
from geekagent_tui.ui import theme
from geekagent_tui.ui.app import GeekAgentApp
from geekagent_tui.ui.dialogs import base
from geekagent_tui.ui.dialogs.trust import TrustDialog
from support.pilot import EventSource, screen_text, shows, wait_until

ITEMS = (
    TrustItem(
        ".env",
        "0" * 64,
        ("对话会发给这个模型服务：http://127.0.0.1:8000/v1", "带有一个密钥，只发给同一文件里的服务地址"),
    ),
    TrustItem(
        ".geekagent/GeekAgent.json",
        "1" * 64,
        ("工具 run_shell 不再询问，直接执行", "工具能访问的文件夹改为 /srv"),
    ),
    TrustItem(
        "AGENTS.md",
        "2" * 64,
        ("其中的 24 个字会作为项目指令发给模型",),
        "# 约定\n\n- 先写测试\n- 提交前运行 make check",
    ),
)


class Opening:
    """An application that asks before it opens, as `launch` does."""

    def __init__(self, folder: Path, items: tuple[TrustItem, ...] = ITEMS) -> None:
        self.answers: list[bool] = []
        self.core = EventSource()
        self.app = GeekAgentApp(self._open, folder=folder)
        self._review = TrustReview("trust", str(folder), items)

    async def _open(self) -> EventSource:
        self.answers.append(await self.app.ask_trust(self._review))
        return self.core


async def asked(pilot: Pilot[None]) -> TrustDialog:
    """The dialog, once it listens."""
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, TrustDialog) and not pilot.app.screen.asleep)
    assert isinstance(pilot.app.screen, TrustDialog)
    return pilot.app.screen


@pytest.mark.parametrize(("key", "trusted"), [("y", True), ("n", False), ("escape", False), ("enter", False)])
async def test_the_answer_comes_before_the_agent(tmp_path: Path, key: str, trusted: bool) -> None:
    opening = Opening(tmp_path)
    async with opening.app.run_test(size=(140, 40)) as pilot:
        await asked(pilot)
        assert opening.app.gateway is None
        assert shows(pilot, "信任这个文件夹吗？", ".env", "run_shell 不再询问", "先写测试")()
        await pilot.press(key)
        await wait_until(pilot, lambda: opening.app.gateway is not None)
    assert opening.answers == [trusted]


async def test_all_that_would_count_can_be_read(tmp_path: Path) -> None:
    words = "\n".join(f"第 {n} 条约定" for n in range(3000))
    opening = Opening(tmp_path, (TrustItem("AGENTS.md", "2" * 64, ("会作为项目指令发给模型",), words),))
    async with opening.app.run_test(size=(80, 24)) as pilot:
        dialog = await asked(pilot)
        await pilot.press("shift+tab", "shift+tab")
        assert pilot.app.screen.focused is dialog.query_one("#arguments")
        await pilot.press("end")
        await wait_until(pilot, shows(pilot, "第 2999 条约定"))


async def test_the_mouse_answers_too(tmp_path: Path) -> None:
    opening = Opening(tmp_path)
    async with opening.app.run_test(size=(80, 24)) as pilot:
        await asked(pilot)
        await pilot.click("#yes")
        await wait_until(pilot, lambda: opening.app.gateway is not None)
    assert opening.answers == [True]


async def test_keys_typed_before_it_listens_do_not_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "SLEEP", 600.0)
    opening = Opening(tmp_path)
    async with opening.app.run_test(size=(80, 24)) as pilot:
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, TrustDialog))
        await pilot.press("y", "enter")
        assert opening.answers == []
        assert isinstance(pilot.app.screen, TrustDialog)


async def test_leaving_while_it_asks_trusts_nothing(tmp_path: Path) -> None:
    opening = Opening(tmp_path)
    async with opening.app.run_test(size=(80, 24)) as pilot:
        await asked(pilot)
        opening.app.exit()
    await asyncio.sleep(0)
    assert opening.answers in ([], [False])


@pytest.mark.parametrize("size", [(140, 40), (80, 24), (60, 20), (40, 12)])
async def test_hostile_files_are_shown_as_what_they_are(tmp_path: Path, size: tuple[int, int]) -> None:
    hostile = "[bold]x[/] \x1b[2J\x1b]0;t\x07 \u202e反 [link=http://evil]y[/link]\r" + "长" * 5000
    item = TrustItem("a\x1b[31m\u202e/AGENTS.md", "3" * 64, (hostile[:60],), hostile)
    opening = Opening(tmp_path, (item,) * 30)
    async with opening.app.run_test(size=size) as pilot:
        await asked(pilot)
        shown = screen_text(pilot.app)
        assert "\x1b" not in shown
        assert "\u202e" not in shown
        assert "[bold]x[/]" in shown
        no = pilot.app.screen.query_one("#no")
        assert no.region.bottom <= size[1], "the buttons can be seen, however much there is"
        assert no.region.height > 0
        await pilot.press("n")
        await wait_until(pilot, lambda: opening.app.gateway is not None)
    assert opening.answers == [False]


@pytest.mark.parametrize(("size", "look"), [((140, 40), theme.DARK), ((80, 24), theme.LIGHT)])
def test_the_question_looks_as_it_should(
    snap_compare: Callable[..., bool], size: tuple[int, int], look: Theme
) -> None:
    app = Opening(Path("/笔记库")).app
    app.theme = look.name

    async def run(pilot: Pilot[None]) -> None:
        dialog = await asked(pilot)
        app.main.query_children().set(display=False)  # what is behind has pictures of its own
        await wait_until(pilot, lambda: not pilot.app.animator.is_being_animated(dialog, "opacity"))

    assert snap_compare(app, terminal_size=size, run_before=run)
