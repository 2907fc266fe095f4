"""Pictures of whole states. They change only when somebody means them to: `pytest --snapshot-update`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from geekagent_tui.agent import events as ev
from geekagent_tui.rag.model import Source, SourceKind, SourcePreview
from geekagent_tui.ui.app import GeekAgentApp
from geekagent_tui.ui.dialogs.base import Dialog
from geekagent_tui.ui.widgets.sources_row import SourcesRow
from support.pilot import NOW, EventSource, document, hit, wait_until

Compare = Callable[..., bool]
Act = Callable[[Pilot[Any], EventSource], Awaitable[None]]

DAY5 = document(1, "Day 5 学习笔记", "http://127.0.0.1:8934/notes/day5.html")
DAY9 = document(2, "Day 9 学习笔记", "http://127.0.0.1:8934/notes/day9.html", characters=886)
ANSWER = (
    "触发阈值是 `MAX_HISTORY_CHARS`，默认 **4000** 字符：《Day 5 学习笔记》第 2 段，另见《不存在》第 9 段。"
)
FIRST, SECOND = ANSWER.index("《Day"), ANSWER.index("《不存在")


def told(core: EventSource) -> None:
    """A question, its search and its answer."""
    core.say("user", "这套笔记里，历史压缩相关的触发阈值是多少？")
    core.publish(
        ev.ToolChanged(
            ev.ToolEntry(
                "c1", "rag_search", "历史压缩 触发阈值", '{"query": "历史压缩 触发阈值"}', NOW,
                ev.ToolState.DONE, "2 段", "命中 2 块", (hit(1, "Day 5 学习笔记", 2, "阈值 4000"),), 0.003,
            )
        )
    )  # fmt: skip
    core.say(
        "assistant",
        ANSWER,
        citations=(
            ev.Citation(FIRST, SECOND - 3, "Day 5 学习笔记", 2, 1, DAY5.source),
            ev.Citation(SECOND, len(ANSWER) - 1, "不存在", 9),
        ),
    )


async def empty(pilot: Pilot[Any], core: EventSource) -> None:
    """Nothing there yet: the screen teaches."""


async def answered(pilot: Pilot[Any], core: EventSource) -> None:
    """An answer with a checked and an unchecked citation."""
    told(core)
    await wait_until(pilot, lambda: pilot.app.screen.query(SourcesRow))


async def review(pilot: Pilot[Any], core: EventSource) -> None:
    """The model asks for an ingest; one source is known, one can't be taken."""
    typed = ("http://127.0.0.1:8934/notes/day5.html", "http://127.0.0.1:8934/notes/new.html")
    place = "127.0.0.1:8934"
    previews = [
        SourcePreview(url, SourceKind.URL, place, (Source(SourceKind.URL, url, url),), known="day5" in url)
        for url in typed
    ]
    previews.append(SourcePreview("../x.md", SourceKind.FILE, "", problem="路径越界：../x.md"))
    core.publish(ev.IngestReview("r1", tuple(previews), by_model=True, reason="为了回答你的问题"))
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, Dialog) and not pilot.app.screen.asleep)


@pytest.mark.usefixtures("utc")
@pytest.mark.parametrize(
    ("act", "size", "theme"),
    [
        (empty, (140, 40), "dark"),
        (answered, (140, 40), "dark"),
        (answered, (140, 40), "light"),
        (answered, (80, 24), "dark"),
        (answered, (60, 20), "dark"),
        (review, (140, 40), "dark"),
        (review, (80, 24), "light"),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_the_screen_looks_as_it_should(
    snap_compare: Compare, act: Act, size: tuple[int, int], theme: str
) -> None:
    core = EventSource(documents=() if act is empty else (DAY5, DAY9))
    app = GeekAgentApp(core.open, folder=Path("/笔记库"), theme=theme)

    async def run(pilot: Pilot[Any]) -> None:
        await wait_until(pilot, lambda: app.gateway is not None)
        await act(pilot, core)
        app.screen.query("*").blur()  # no cursor that blinks
        await wait_until(pilot, lambda: not pilot.app.animator.is_being_animated(app.screen, "opacity"))

    assert snap_compare(app, terminal_size=size, run_before=run)
