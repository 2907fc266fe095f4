"""The conversation: streaming, citations, what is new, and how much is kept on the screen."""

from __future__ import annotations

from dataclasses import replace

from textual.widget import Widget
from textual.widgets import Markdown

from geekagent_tui.agent import events as ev
from geekagent_tui.ui.panels.chat import ChatPanel
from geekagent_tui.ui.screens.document import DocumentScreen
from geekagent_tui.ui.widgets.answer import Answer, Folded
from geekagent_tui.ui.widgets.chat_lines import ToolLine, UserMessage
from geekagent_tui.ui.widgets.details import Details
from geekagent_tui.ui.widgets.sources_row import SourcesRow
from geekagent_tui.ui.widgets.transcript import Transcript
from support.pilot import NOW, EventSource, document, hit, running, screen_text, shows, wait_until

ANSWER = """# 结论

阈值是 `MAX`，**4000** 字符。

- 一
- 二

```python
print("《代码》第 1 段")
```

| a | b |
|---|---|
| 1 | 2 |

见《笔记》第 2 段，也见《没有》第 9 段。[^x]

[^x]: http://example.org
"""


def tree(widget: Widget) -> list[object]:
    content = getattr(widget, "_content", None)
    return [type(widget).__name__, str(content), [tree(child) for child in widget.children]]


def cite(text: str, mention: str, passage: int, number: int | None) -> ev.Citation:
    start = text.rindex(mention)
    return ev.Citation(start, start + len(mention), mention[1 : mention.index("》")], passage, number)


CITED = (cite(ANSWER, "《笔记》第 2 段", 2, 1), cite(ANSWER, "《没有》第 9 段", 9, None))


async def test_a_streamed_answer_ends_as_if_it_had_come_at_once() -> None:
    streamed, whole = EventSource(), EventSource()
    async with running(streamed.open) as pilot:
        streamed.publish(ev.TurnStarted())
        for start in range(0, len(ANSWER), 7):
            streamed.publish(ev.AnswerDelta(ANSWER[start : start + 7]))
            await pilot.pause()
        streamed.say("assistant", ANSWER, citations=CITED)
        streamed.publish(ev.TurnFinished(ev.TurnEnd.DONE))
        await wait_until(pilot, lambda: pilot.app.screen.query(SourcesRow))
        first = tree(pilot.app.screen.query_one(Markdown))
    whole.say("assistant", ANSWER, citations=CITED)
    async with running(whole.open) as pilot:
        await wait_until(pilot, lambda: pilot.app.screen.query(SourcesRow))
        assert tree(pilot.app.screen.query_one(Markdown)) == first


async def test_citations_open_their_passage_and_unchecked_ones_are_marked() -> None:
    known = document(1, "笔记", "notes.md")
    core = EventSource(documents=[known])
    core.add_text(known, "甲" * 500, "乙是这一段")
    async with running(core.open) as pilot:
        core.say("assistant", ANSWER, citations=CITED)
        await wait_until(pilot, shows(pilot, "《没有》第 9 段（未核实）", "来源"))
        assert 'print("《代码》第 1 段")' in screen_text(pilot.app)
        markdown = pilot.app.screen.query_one(Markdown)
        markdown.post_message(Markdown.LinkClicked(markdown, "c0"))
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, DocumentScreen))
        await wait_until(pilot, shows(pilot, "▌ 乙是这一段"))
        await pilot.press("escape")
        row = pilot.app.screen.query_one(SourcesRow)
        row.focus()
        await pilot.press("right", "enter")
        await pilot.pause()
        assert not isinstance(pilot.app.screen, DocumentScreen)


async def test_an_interrupted_answer_says_so() -> None:
    core = EventSource()
    async with running(core.open) as pilot:
        core.publish(ev.TurnStarted(), ev.AnswerDelta("说到一半"))
        await wait_until(pilot, shows(pilot, "说到一半"))
        core.say("assistant", "说到一半", interrupted=True)
        core.publish(ev.TurnFinished(ev.TurnEnd.INTERRUPTED))
        await wait_until(pilot, shows(pilot, "已停止，以上是停止前的内容"))


async def test_an_answer_stopped_before_its_first_word_says_so() -> None:
    core = EventSource()
    async with running(core.open) as pilot:
        core.publish(ev.TurnStarted())
        core.say("assistant", "", interrupted=True)
        core.publish(ev.TurnFinished(ev.TurnEnd.INTERRUPTED))
        await wait_until(pilot, shows(pilot, "（已停止）"))


async def test_what_is_held_says_how_it_goes_on() -> None:
    core = EventSource()
    async with running(core.open) as pilot:
        core.publish(ev.StatusChanged(replace(core.status, queued=("下一件事",), held=True)))
        await wait_until(pilot, shows(pilot, "发送下一条消息后继续"))


async def test_an_answer_that_never_came_leaves_nothing() -> None:
    core = EventSource()
    async with running(core.open) as pilot:
        core.publish(ev.TurnStarted(), ev.ReasoningProgress("嗯" * 20))
        await wait_until(pilot, shows(pilot, "思考中 · 20 字"))
        core.publish(ev.AnswerDelta("x"))
        await wait_until(pilot, lambda: pilot.app.screen.query(Answer))
        core.publish(ev.TurnFinished(ev.TurnEnd.FAILED))
        await wait_until(pilot, lambda: not pilot.app.screen.query(Answer))
        assert "思考中" not in screen_text(pilot.app)


async def test_new_messages_wait_below_while_one_reads_above() -> None:
    core = EventSource()
    for number in range(40):
        core.say("notice", f"第 {number} 条")
    async with running(core.open, size=(80, 24)) as pilot:
        transcript = pilot.app.screen.query_one(Transcript)
        await wait_until(pilot, lambda: transcript.max_scroll_y > 0 and transcript.is_vertical_scroll_end)
        transcript.scroll_home(animate=False)
        transcript.release_anchor()
        await pilot.pause()
        core.say("notice", "新的")
        core.say("notice", "又一条")
        await wait_until(pilot, shows(pilot, "↓ 2 条新消息"))
        await pilot.click("#unseen")
        await wait_until(pilot, shows(pilot, "又一条"))
        await wait_until(pilot, lambda: "条新消息" not in screen_text(pilot.app))


async def test_long_conversations_keep_few_widgets() -> None:
    core = EventSource()
    for number in range(300):
        core.say("user", f"问 {number}")
        core.say("assistant", f"答 {number}：\n\n- 甲\n- 乙\n\n" + "段落。" * 400)
    async with running(core.open) as pilot:
        await wait_until(pilot, lambda: pilot.app.screen.query("Markdown"))
        await wait_until(pilot, lambda: len(pilot.app.screen.query("*")) < 1500)
        panel = pilot.app.screen.query_one(ChatPanel)
        assert len(panel.query(UserMessage)) <= 40
        core.say("notice", "触发整理")
        await wait_until(pilot, lambda: panel.query(Folded))
        before = len(panel.query(UserMessage))
        panel.transcript.scroll_home(animate=False)
        panel.transcript.release_anchor()
        await pilot.pause()
        await pilot.click("#earlier")
        await wait_until(pilot, lambda: len(panel.query(UserMessage)) > before)


async def test_tool_calls_are_lines_in_order_and_lead_to_the_log() -> None:
    core = EventSource()
    async with running(core.open) as pilot:
        entry = ev.ToolEntry("c", "rag_search", "历史压缩", '{"query": "历史压缩"}', NOW)
        core.publish(ev.TurnStarted(), ev.ToolChanged(entry))
        await wait_until(pilot, shows(pilot, "◐ rag_search  “历史压缩”"))
        done = ev.ToolEntry(
            "c",
            "rag_search",
            "历史压缩",
            '{"query": "历史压缩"}',
            NOW,
            ev.ToolState.DONE,
            "1 段",
            "命中",
            (hit(1, "笔记", 2, "阈值 4000"),),
            0.003,
        )
        core.publish(ev.ToolChanged(done))
        await wait_until(pilot, shows(pilot, "1 段 · 3 ms"))
        await pilot.click(ToolLine)
        await wait_until(pilot, shows(pilot, "1 《笔记》第 2 段", "7.25", "阈值 4000"))


async def test_another_conversation_takes_the_place() -> None:
    core = EventSource()
    core.say("user", "旧的")
    async with running(core.open) as pilot:
        await wait_until(pilot, shows(pilot, "旧的"))
        core.publish(ev.ChatCleared((ev.ChatEntry(1, "user", "新的会话", NOW),), ()))
        await wait_until(pilot, shows(pilot, "新的会话"))
        assert "旧的" not in screen_text(pilot.app)
        core.publish(ev.ChatCleared((), ()))
        await wait_until(pilot, shows(pilot, "问你自己的资料"))


async def test_what_a_model_thought_and_a_summary_stay_folded_until_they_are_wanted() -> None:
    source = EventSource()
    async with running(source.open) as pilot:
        source.say("assistant", "四千。", details="先想\n[red]再说[/red]")
        source.say("notice", "[历史压缩：6 条旧消息合并为 1 条摘要]", details="要点一")
        await wait_until(pilot, lambda: len(pilot.app.screen.query(Details)) == 2)
        thought, summary = pilot.app.screen.query(Details)
        await wait_until(pilot, shows(pilot, "▸ 思考过程", "▸ 摘要", "[历史压缩：6 条旧消息合并为 1 条摘要]"))
        assert "再说" not in screen_text(pilot.app)
        await pilot.click(summary)
        await wait_until(pilot, shows(pilot, "▾ 摘要", "要点一"))
        thought.focus()
        await pilot.press("enter")
        await wait_until(pilot, shows(pilot, "▾ 思考过程", "[red]再说[/red]"))
        await pilot.press("enter")
        await wait_until(pilot, lambda: "再说" not in screen_text(pilot.app))


async def test_what_a_turn_waits_for_stands_at_the_end() -> None:
    source = EventSource()
    async with running(source.open) as pilot:
        source.publish(ev.TurnStarted())
        await wait_until(pilot, shows(pilot, "思考中…"))
        waiting = replace(source.status, busy=True, activity="等待 12 秒后重试")
        source.publish(ev.StatusChanged(waiting))
        await wait_until(pilot, shows(pilot, "等待 12 秒后重试"))
        source.publish(ev.StatusChanged(replace(waiting, activity="")))
        await wait_until(pilot, shows(pilot, "思考中…"))
