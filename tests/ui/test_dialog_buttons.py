"""No answer of a dialog is ever cut."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Button

from geekagent_tui import i18n
from geekagent_tui.agent import events as ev
from geekagent_tui.rag.model import Source, SourceKind, SourcePreview
from geekagent_tui.ui.dialogs.add_sources import AddDialog
from geekagent_tui.ui.dialogs.base import Dialog
from geekagent_tui.ui.dialogs.confirm import Confirm
from geekagent_tui.ui.dialogs.ingest_review import IngestDialog
from geekagent_tui.ui.dialogs.permission import PermissionDialog
from geekagent_tui.ui.dialogs.tags import TagDialog
from geekagent_tui.ui.dialogs.trust import TrustDialog
from geekagent_tui.ui.offers import Offer, offer
from support.pilot import EventSource, document, running, screen_text, shows, wait_until

URL = "http://example.org/a"
PREVIEWS = (SourcePreview(URL, SourceKind.URL, "example.org", (Source(SourceKind.URL, URL, URL),)),) * 120


async def _nothing(text: str, pages: int) -> Offer:
    return offer(())


DIALOGS: dict[str, Callable[[], Dialog[Any]]] = {
    "adding": lambda: AddDialog(_nothing, tuple, Path("/")),
    "confirm": lambda: Confirm("标题", "正文", i18n._("移除")),
    "ingest": lambda: IngestDialog(ev.IngestReview("r", PREVIEWS, by_model=True), lambda number: (), tuple),
    "permission": lambda: PermissionDialog(
        ev.PermissionReview("p", "web_fetch", "问题\n允许？", "example.org", "{}")
    ),
    "tags": lambda: TagDialog([document(1, "标题", URL)], {"甲": 1}),
    "trust": lambda: TrustDialog(ev.TrustReview("t", "/", (ev.TrustItem("a", "0" * 64, ("b",), "c"),))),
}


@pytest.fixture(params=i18n.LANGUAGES)
def language(request: pytest.FixtureRequest) -> Iterator[str]:
    """Each language in turn."""
    i18n.set_language(request.param)
    yield request.param
    i18n.set_language("zh")


@pytest.mark.parametrize("size", [(60, 20), (80, 24)])
@pytest.mark.parametrize("name", DIALOGS)
async def test_each_button_is_whole(size: tuple[int, int], name: str, language: str) -> None:
    async with running(EventSource().open, size=size) as pilot:
        pilot.app.push_screen(DIALOGS[name]())
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, Dialog) and not pilot.app.screen.asleep)
        shown = pilot.app.screen
        lines = screen_text(pilot.app)
        for found in shown.query(Button):
            words = found.label.plain  # type: ignore[union-attr]
            assert shown.find_widget(found).visible_region.size == found.outer_size
            assert words in lines, words


@pytest.mark.parametrize("size", [(60, 20), (80, 24)])
async def test_a_long_change_is_read_from_anywhere(size: tuple[int, int]) -> None:
    lines = "".join(f"\n-旧 {n:02}\n+新 {n:02}" for n in range(40))
    diff = f"--- a.md\n+++ a.md\n@@ -1,3 +1,3 @@\n 前一\n 前二\n 前三{lines}"
    async with running(EventSource().open, size=size) as pilot:
        review = ev.PermissionReview("p", "write", "写入 a.md\n允许？", "a.md", "{}", diff)
        pilot.app.push_screen(PermissionDialog(review))
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, Dialog) and not pilot.app.screen.asleep)
        await wait_until(pilot, shows(pilot, "旧 00", "↓ 还有"))
        assert ("+++ a.md" in screen_text(pilot.app)) is (size[1] > 20)
        await pilot.press("end")
        await wait_until(pilot, shows(pilot, "新 39"))
        assert "↓ 还有" not in screen_text(pilot.app)
        await pilot.press("up")
        await wait_until(pilot, shows(pilot, "↓ 还有 1 行"))
        await pilot.press("home")
        await wait_until(pilot, shows(pilot, "--- a.md"))
        await pilot.press("pagedown")
        await wait_until(pilot, lambda: "--- a.md" not in screen_text(pilot.app))
        assert pilot.app.screen.focused is pilot.app.screen.query_one("#no")
