"""Consent can't be given by accident."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Button

from geekagent_tui.agent import events as ev
from geekagent_tui.rag.model import Growth, Source, SourceKind, SourcePreview
from geekagent_tui.ui.dialogs import base
from geekagent_tui.ui.dialogs.base import Dialog
from geekagent_tui.ui.dialogs.ingest_review import IngestDialog
from geekagent_tui.ui.dialogs.permission import PermissionDialog
from geekagent_tui.ui.removal import ask_to_remove
from geekagent_tui.ui.screens.main import MainScreen
from geekagent_tui.ui.widgets.composer import Composer
from support.pilot import EventSource, document, running, screen_text, shows, wait_until


def url(typed: str, *, known: int = 0) -> SourcePreview:
    return SourcePreview(
        typed, SourceKind.URL, "example.org", (Source(SourceKind.URL, typed, typed),), known=known
    )


SOURCES = (
    url("http://example.org/a"),
    url("http://example.org/b\u202e", known=1),
    SourcePreview("/etc/passwd", SourceKind.FILE, "/etc", problem="路径越界：/etc/passwd"),
)
PERMISSION = ev.PermissionReview(
    "p", "memory_write", "工具 memory_write 请求执行", "memory", '{"content": "x"}'
)


async def dialog(pilot: Pilot[None], *, awake: bool = True) -> Dialog[object]:
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, Dialog))
    shown = pilot.app.screen
    assert isinstance(shown, Dialog)
    if awake:
        await wait_until(pilot, lambda: not shown.asleep)
    return shown


async def answered(pilot: Pilot[None], core: EventSource) -> ev.Decision:
    await wait_until(pilot, lambda: core.answers)
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, MainScreen))
    return core.answers.pop()[1]


async def test_the_users_own_ingest_takes_keys_at_once() -> None:
    core = EventSource()
    async with running(core.open) as pilot:
        for key in ("y", "enter"):
            core.publish(ev.IngestReview(f"r-{key}", SOURCES))
            await dialog(pilot)
            await pilot.press(key)
            # What was typed comes back as it was typed, not as it was shown.
            assert await answered(pilot, core) == ev.IngestDecision(
                ("http://example.org/a", "http://example.org/b\u202e")
            )
        for key in ("n", "escape"):
            core.publish(ev.IngestReview(f"r-{key}", SOURCES))
            await dialog(pilot)
            await pilot.press(key)
            assert await answered(pilot, core) == ev.IngestDecision()


async def test_what_leads_to_more_pages_says_so() -> None:
    core = EventSource()
    async with running(core.open) as pilot:
        previews = (
            replace(SOURCES[0], growth=Growth.LINKS, pages=20),
            replace(url("http://example.org/sitemap.xml"), growth=Growth.SITEMAP, pages=1000),
        )
        core.publish(ev.IngestReview("r", previews))
        await dialog(pilot)
        await wait_until(pilot, shows(pilot, "沿链接采集同站网页，最多 20 个", "站点地图，最多 1000 个网页"))


async def test_only_what_is_checked_is_accepted() -> None:
    core = EventSource()
    async with running(core.open) as pilot:
        core.publish(ev.IngestReview("r", SOURCES))
        shown = await dialog(pilot)
        assert "路径越界" in screen_text(pilot.app)
        await pilot.press("space", "down")
        await wait_until(
            pilot, shows(pilot, "[ ] http://example.org/a", "[x] http://example.org/b", "采集 1 项")
        )
        await pilot.click("#yes")
        assert await answered(pilot, core) == ev.IngestDecision(("http://example.org/b\u202e",))
        assert not shown.is_active


async def test_nothing_checked_can_not_be_accepted() -> None:
    core = EventSource()
    async with running(core.open) as pilot:
        core.publish(ev.IngestReview("r", SOURCES[:1]))
        shown = await dialog(pilot)
        await pilot.press("space")
        assert shown.query_one("#yes", Button).disabled
        await pilot.press("y", "enter")
        assert not core.answers
        await pilot.press("n")
        assert await answered(pilot, core) == ev.IngestDecision()


async def test_a_dialog_of_the_model_waits_for_a_pause_and_ignores_what_is_typed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(base, "SLEEP", 3600.0)  # however slow the machine is
    core = EventSource()
    async with running(core.open) as pilot:
        await pilot.press("h")
        core.publish(ev.IngestReview("r", SOURCES, by_model=True, reason="看看"))
        await pilot.press("y", "e", "s")
        composer = pilot.app.screen_stack[0].query_one(Composer)
        shown = await dialog(pilot, awake=False)
        typed = composer.text
        for key in ("y", "enter", "escape", "space"):
            await pilot.press(key)
            assert shown.asleep
        assert composer.text == typed
        assert not core.answers
        await wake(pilot, shown, monkeypatch)
        await pilot.press("q")  # typing goes on: it sleeps again
        assert shown.asleep
        await pilot.press("y")
        assert not core.answers
        await wake(pilot, shown, monkeypatch)
        assert shown.focused is shown.query_one("#no")
        await pilot.press("enter")
        assert await answered(pilot, core) == ev.IngestDecision()


async def wake(pilot: Pilot[None], shown: Dialog[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the dialog's next sleep be a short one, and the one after it long again."""
    monkeypatch.setattr(base, "SLEEP", 0.01)
    await pilot.press("z")
    monkeypatch.setattr(base, "SLEEP", 3600.0)
    await wait_until(pilot, lambda: not shown.asleep)


async def test_the_model_gets_consent_when_it_is_meant() -> None:
    core = EventSource()
    async with running(core.open) as pilot:
        core.publish(ev.IngestReview("r", SOURCES[:1], by_model=True))
        await dialog(pilot)
        await pilot.press("left", "enter")
        assert await answered(pilot, core) == ev.IngestDecision(("http://example.org/a",))


async def test_permissions_once_for_the_session_and_not() -> None:
    expected = {
        "y": ev.PermissionDecision(True, ev.Scope.ONCE),
        "s": ev.PermissionDecision(True, ev.Scope.SESSION),
        "a": ev.PermissionDecision(True, ev.Scope.ALWAYS),
        "n": ev.PermissionDecision(),
        "enter": ev.PermissionDecision(),
        "escape": ev.PermissionDecision(),
    }
    core = EventSource()
    async with running(core.open) as pilot:
        for key, decision in expected.items():
            core.publish(PERMISSION)
            await dialog(pilot)
            assert "本会话或始终允许的范围：memory" in screen_text(pilot.app)
            await pilot.press(key)
            assert await answered(pilot, core) == decision


async def test_a_change_is_shown_and_what_the_agent_obeys_is_allowed_once_at_most() -> None:
    diff = "--- AGENTS.md\n+++ AGENTS.md\n@@ -1 +1 @@\n-[旧的]\n+[b]新的[/b]"
    review = ev.PermissionReview(
        "p", "write", "每次都要确认。\n确认写入？", "./", "{}", diff, "某个范围", True
    )
    core = EventSource()
    async with running(core.open) as pilot:
        core.publish(review)
        shown = await dialog(pilot)
        text = screen_text(pilot.app)
        assert all(line in text for line in ("+++ AGENTS.md", "-[旧的]", "+[b]新的[/b]"))
        assert "某个范围" not in text
        assert [found.id for found in shown.query(Button)] == ["yes", "no"]
        await pilot.press("s", "a")
        assert isinstance(pilot.app.screen, PermissionDialog)
        await pilot.press("n")
        assert await answered(pilot, core) == ev.PermissionDecision()


async def test_two_requests_are_shown_one_after_the_other() -> None:
    core = EventSource()
    async with running(core.open) as pilot:
        core.publish(ev.IngestReview("first", SOURCES), PERMISSION)
        assert isinstance(await dialog(pilot), IngestDialog)
        await pilot.press("y")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, PermissionDialog))
        assert [answer[0] for answer in core.answers] == ["first"]


async def test_a_request_that_is_answered_elsewhere_closes() -> None:
    core = EventSource()
    async with running(core.open) as pilot:
        core.publish(ev.IngestReview("r", SOURCES))
        await dialog(pilot)
        core.publish(ev.RequestClosed("r"))
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, MainScreen))
        core.publish(ev.IngestReview("r2", SOURCES))
        await dialog(pilot)
        await pilot.press("ctrl+p")
        core.publish(ev.RequestClosed("r2"))
        await pilot.press("escape")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, MainScreen))


async def test_buttons_stay_on_the_screen_however_small_it_is() -> None:
    core = EventSource()
    many = tuple(url(f"http://example.org/{'long/' * 30}{n}") for n in range(40))
    async with running(core.open, size=(60, 20)) as pilot:
        core.publish(ev.IngestReview("r", many, by_model=True, reason="理由" * 400))
        shown = await dialog(pilot)
        for name in ("yes", "no"):
            assert pilot.app.screen.region.contains_region(shown.query_one(f"#{name}").region)
        await pilot.press("n")
        await answered(pilot, core)
        core.publish(ev.PermissionReview("p", "t", "第一行\n第二行？", "目标" * 50, "{}\n" * 100))
        shown = await dialog(pilot)
        for name in ("yes", "session", "always", "no"):
            assert pilot.app.screen.region.contains_region(shown.query_one(f"#{name}").region)


LONG = "http://example.org/" + "很长的路径/" * 40


@pytest.mark.parametrize("size", [(20, 6), (40, 12), (60, 20), (80, 24), (80, 30), (140, 40)])
@pytest.mark.parametrize("asked", ["ingest", "permission", "removal"])
async def test_the_buttons_are_on_the_screen_at_any_size(size: tuple[int, int], asked: str) -> None:
    known = document(1, "标题" * 100, LONG)
    core = EventSource(documents=[known])
    async with running(core.open, size=size) as pilot:
        if asked == "ingest":
            core.publish(
                ev.IngestReview("r", tuple(url(f"{LONG}{n}") for n in range(30)), True, "理由" * 200)
            )
        elif asked == "permission":
            core.publish(ev.PermissionReview("p", "web_fetch", "问题\n" * 40, "目标" * 40, LONG * 20))
        else:
            assert pilot.app.gateway is not None  # type: ignore[attr-defined]
            pilot.app.run_worker(ask_to_remove(pilot.app, pilot.app.gateway, [known]))  # type: ignore[attr-defined]
        shown = await dialog(pilot)
        for button in shown.query(Button):
            visible = shown.find_widget(button).visible_region
            assert visible.size == button.outer_size, (button.id, visible)
            assert shown.region.contains_region(visible)
        await pilot.click("#no")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, MainScreen))
