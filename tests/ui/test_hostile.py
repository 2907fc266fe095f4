"""Foreign text through every event and widget: nothing crashes, nothing steers the terminal, nothing acts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Markdown
from textual.widgets.markdown import MarkdownBlock

from geekagent_tui.agent import events as ev
from geekagent_tui.rag.model import (
    Badge,
    BatchProgress,
    DenseStatus,
    Document,
    Hit,
    IngestPhase,
    IngestProgress,
    IngestResult,
    IngestState,
    Selection,
    Source,
    SourceKind,
    SourcePreview,
    Stats,
)
from geekagent_tui.ui.dialogs.add_sources import AddDialog
from geekagent_tui.ui.dialogs.base import Dialog
from geekagent_tui.ui.links import openable
from geekagent_tui.ui.panels.knowledge_filter import FilterBox
from geekagent_tui.ui.screens.document import DocumentScreen
from geekagent_tui.ui.screens.main import MainScreen
from geekagent_tui.ui.widgets.answer import Answer
from geekagent_tui.ui.widgets.find_bar import FindInput
from geekagent_tui.ui.widgets.source_list import SourceList
from geekagent_tui.ui.widgets.sources_field import SourcesField
from support.pilot import NOW, SIZES, EventSource, document, hit, running, screen_text, wait_until

CORPUS = [
    "[/path/x]",
    "[/INST] -609b-][/dim]",
    "[@click=app.quit]z[/]",
    "[red]x[/red] a[0] [bold]b",
    "$name ${x} [b]$name[/b]",
    "\x1b]52;c;aGk=\x07\x1b[2J\x1b[31m\x9b31m\x90q\x9c",
    "\ud800\udfff 孤儿 \ufffe",
    "\u202e反转\u2066\u2069\u200b\u200e",
    "\x00\x07\x08\x0b\x0c\x7f\r\n\t尾",
    "<script>alert(1)</script><b>&amp;</b>",
    "[点我](javascript:alert(1)) ![图](file:///etc/passwd) <http://a.b/\x1b>",
    "# 标题\n```\n" + "长" * 300 + "\n```\n| a | b |\n|---|---|\n| `x` | [y](z) |",
    "é́́́ 👩‍👩‍👧‍👦 🇨🇳 ᄀᄀᄀ ﷽",
    "一行" * 5_000,
    "",
]
BAD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u200b\u200e\u202a-\u202e\u2066-\u2069]")


def awake(dialog: Dialog[object]) -> bool:
    return not dialog.asleep


def closed(dialog: Dialog[object]) -> bool:
    return not dialog.is_active


def clean_screen(pilot: Pilot[None]) -> None:
    for line in screen_text(pilot.app).split("\n"):
        assert not BAD.search(line), repr(line)
        line.encode()


def known_as(text: str) -> Document:
    return replace(document(7, text, text), tags=(text, f"{text}!"), problem=text, badge=Badge.FAILED)


def found(text: str) -> tuple[Hit, ...]:
    first = replace(hit(7, text, 1, text), heading=text, shares={text: 1.0})
    return first, replace(hit(7, text, 2, text), page=3)


async def flood(pilot: Pilot[None], core: EventSource, text: str, number: int) -> None:
    """Every event with a text in every place."""
    core.publish(ev.TurnStarted(), ev.ReasoningProgress(text), ev.AnswerDelta(text))
    cited = f"{text}《{text}》第 1 段。"
    core.say("assistant", cited, citations=(ev.Citation(len(text), len(cited) - 1, text, 1, None, text),))
    core.say("assistant", text, citations=(ev.Citation(0, len(text), text, 1, 7, text),), interrupted=True)
    core.say("user", text)
    for level in ev.Level:
        core.say("notice", text, level=level)
    for state in ev.ToolState:
        core.publish(
            ev.ToolChanged(
                ev.ToolEntry(
                    f"{number}-{state}",
                    text,
                    text,
                    text,
                    NOW,
                    state,
                    text,
                    text,
                    (hit(1, text, 1, text),),
                    0.1,
                )
            )
        )
    known, core.hits = known_as(text), found(text)
    focus = ev.Focus(Selection(tags=(text,)), text, 1)
    core.publish(
        ev.StatusChanged(replace(core.status, focus=focus, dense=DenseStatus(text, 1, 2, text))),
        ev.KnowledgeChanged((known,), Stats(1, 2, 3)),
        ev.IngestMoved(IngestProgress(text, 1, 2, IngestPhase.FETCHING, 10, 20)),
        ev.IngestMoved(IngestProgress(f"http://{text}", 1, 2, IngestPhase.STORING)),
        ev.IngestEnded(IngestResult(text, IngestState.FAILED, title=text, reason=text)),
        ev.StatusChanged(
            replace(core.status, model=text, session=text, offline=False, queued=(text,), focus=focus)
        ),
        ev.TurnFinished(ev.TurnEnd.FAILED),
    )
    core.add_text(known, text or "空", text or "空")


@pytest.mark.parametrize("size", SIZES)
async def test_events(size: tuple[int, int]) -> None:
    core = EventSource()
    async with running(core.open, size=size) as pilot:
        for number, text in enumerate(CORPUS):
            await flood(pilot, core, text, number)
            await pilot.pause()
            clean_screen(pilot)
        await wait_until(pilot, lambda: len(pilot.app.screen.query(Answer)) > 4)
        for key in ("f2", "down", "enter", "f3", "down", "enter", "escape"):
            await pilot.press(key)
            clean_screen(pilot)
        assert pilot.app.is_running


async def test_dialogs() -> None:
    core = EventSource()
    previews = tuple(
        SourcePreview(text, kind, text, (Source(kind, text, text),), skipped={text: 1}, problem=problem)
        for text in CORPUS
        for kind in SourceKind
        for problem in ("", text)
    )
    every = "\n".join(CORPUS)
    async with running(core.open, size=(80, 24)) as pilot:
        core.publish(ev.IngestReview("i", previews, by_model=True, reason=every))
        core.publish(ev.PermissionReview("p", every, every, every, every))
        for _dialog in range(2):
            await wait_until(pilot, lambda: isinstance(pilot.app.screen, Dialog))
            shown = pilot.app.screen
            assert isinstance(shown, Dialog)
            await wait_until(pilot, partial(awake, shown))
            for _page in range(20):
                clean_screen(pilot)
                await pilot.press("tab", "pagedown")
            await pilot.press("escape")
            await wait_until(pilot, partial(closed, shown))
        refused = [ev.IngestDecision(), ev.PermissionDecision()]
        assert [decision for _id, decision in core.answers] == refused


async def test_sources_to_add(tmp_path: Path) -> None:
    core = EventSource()
    previews = [
        SourcePreview(text, kind, text, (Source(kind, text, text),), skipped={text: 1}, problem=problem)
        for text in CORPUS
        for kind in SourceKind
        for problem in ("", text)
    ]
    batch = BatchProgress(1, 2, 3, 4, 5, 6.0)

    async def preview(_typed: Sequence[str], _crawl: int = 0) -> list[SourcePreview]:
        return previews

    core.preview = preview  # type: ignore[method-assign,assignment]
    async with running(core.open, tmp_path, size=(80, 24)) as pilot:
        core.publish(ev.BatchMoved(batch))
        await pilot.press("ctrl+o")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, AddDialog))
        await pilot.app.screen.query_one(SourcesField).on_paste(events.Paste("x ".join(CORPUS)[:500]))
        await wait_until(pilot, lambda: pilot.app.screen.query_one(SourceList).checked)
        clean_screen(pilot)
        await pilot.press("tab", "enter")
        for _page in range(20):
            await pilot.press("v", "pagedown")
            clean_screen(pilot)
        await pilot.press("y")
        await wait_until(pilot, lambda: core.taken)
        assert [taken.typed for taken in core.taken[0][0]] == [p.typed for p in previews if not p.problem]


async def test_documents() -> None:
    core = EventSource()
    async with running(core.open, size=(80, 24)) as pilot:
        gateway = pilot.app.gateway  # type: ignore[attr-defined]
        for text in CORPUS:
            known = known_as(text)
            core.add_text(known, text or "空", text or "空")
            core.citing = (ev.Cited(1, text, text, NOW, text), ev.Cited(9, "s", "t", NOW, text))
            pilot.app.push_screen(DocumentScreen(gateway, 7, 2))
            await wait_until(pilot, lambda: isinstance(pilot.app.screen, DocumentScreen))
            await pilot.pause()
            clean_screen(pilot)
            await pilot.press("o")
            clean_screen(pilot)
            await pilot.press("escape", "slash")
            pilot.app.screen.query_one(FindInput).value = text[:50]
            await pilot.press("enter")
            clean_screen(pilot)
            await pilot.press("escape", "escape")
            await wait_until(pilot, lambda: isinstance(pilot.app.screen, MainScreen))


async def test_looking_for_it_and_tagging_it() -> None:
    core = EventSource()
    async with running(core.open, size=(80, 24)) as pilot:
        await pilot.press("f2")
        for text in CORPUS:
            core.hits = found(text)
            core.publish(ev.KnowledgeChanged((known_as(text),), Stats(1, 2, 3)))
            box = pilot.app.screen.query_one(FilterBox)
            box.value = text
            await pilot.press("e", "g")
            clean_screen(pilot)
            box.value = f"#{text} since:{text}"
            await pilot.press("A", "t")
            clean_screen(pilot)
            await pilot.press("escape", "escape")
            await wait_until(pilot, lambda: isinstance(pilot.app.screen, MainScreen))


async def test_links_in_answers_carry_numbers_only() -> None:
    core = EventSource()
    async with running(core.open) as pilot:
        core.say(
            "assistant",
            "[a](javascript:alert(1)) [b](http://x'/\") ![c](file:///etc/passwd) https://ok.example/",
        )
        await wait_until(pilot, lambda: pilot.app.screen.query("MarkdownParagraph"))
        blocks = pilot.app.screen.query(MarkdownBlock)
        styles = repr([block._content.spans for block in blocks])
        assert "javascript" not in styles
        assert "passwd" not in styles
        markdown = pilot.app.screen.query_one(Markdown)
        for number in range(6):
            markdown.post_message(Markdown.LinkClicked(markdown, f"u{number}"))
            await pilot.pause()
            await pilot.press("escape")
        assert pilot.app.is_running


def test_what_may_be_opened() -> None:
    assert openable("https://example.org/a?b=c#d")
    assert openable("mailto:a@example.org")
    for bad in (
        "javascript:alert(1)",
        "file:///etc/passwd",
        "http:",
        "//x",
        "http://a b",
        "https://a\u202e.b",
        "",
        "ht tp://a",
    ):
        assert not openable(bad)
