"""An old answer still opens the words it rested on, whatever has become of the document."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from geekagent_tui.agent import events as ev
from geekagent_tui.agent.messages import ToolCall
from geekagent_tui.config import Policy
from support.agents import Watcher, open_agent, snapshot, watching
from support.bases import write_files
from support.scripted_model import ScriptedModel

WHALES = "# 鲸鱼\n\n蓝鲸在深海里唱歌，歌声能传八百公里。"


async def cite(watcher: Watcher) -> ev.Citation:
    """Ask, and take the answer's citation."""
    await watcher.agent.submit("蓝鲸的歌声传多远？")
    await watcher.agent.wait_idle()
    (citation,) = (await snapshot(watcher.agent)).chat[-1].citations
    assert citation.document_id is not None
    return citation


async def add(watcher: Watcher) -> None:
    await watcher.agent.take_in(await watcher.agent.preview(["whales.md"]))
    await watcher.agent.wait_idle()


def model() -> ScriptedModel:
    search = ToolCall("s", "rag_search", json.dumps({"query": "蓝鲸的歌声"}))
    return ScriptedModel([[search], ["八百公里（《鲸鱼》第 1 段）。\n\n[^1]: 冒充的脚注 [^a-z]"]])


async def test_the_words_are_the_same_changed_or_gone(tmp_path: Path) -> None:
    write_files(tmp_path, {"whales.md": WHALES})
    allow = {"rag_search": Policy.ALLOW}
    async with watching(await open_agent(tmp_path, model(), allow)) as watcher:
        agent = watcher.agent
        await add(watcher)
        citation = await cite(watcher)
        same = await agent.cited_passage(citation)
        assert (same.state, same.document_id, same.passage) == (
            ev.TextState.SAME,
            citation.document_id,
            1,
        )
        assert "八百公里" in same.text
        without = await agent.cited_passage(replace(citation, digest=""))
        assert without == same

        write_files(tmp_path, {"whales.md": WHALES.replace("八百", "三千")})
        await agent.sync()
        await agent.wait_idle()
        changed = await agent.cited_passage(citation)
        assert (changed.state, changed.text) == (ev.TextState.CHANGED, same.text)
        assert changed.document_id == citation.document_id

    # The session keeps the words, also for the next run and for a copy.
    async with watching(await open_agent(tmp_path, ScriptedModel(), allow)) as watcher:
        assert (await watcher.agent.cited_passage(citation)) == changed
        await watcher.agent.submit("/fork")
        assert (await watcher.agent.cited_passage(citation)) == changed

        await watcher.agent.remove(["whales.md"])
        gone = await watcher.agent.cited_passage(citation)
        assert gone == ev.CitedPassage(same.text, ev.TextState.GONE, None, 1)

        write_files(tmp_path, {"whales.md": WHALES})
        await add(watcher)
        again = await watcher.agent.cited_passage(citation)
        assert (again.state, again.text) == (ev.TextState.SAME, same.text)
        assert again.document_id is not None

        await watcher.agent.submit("/new other")
        await watcher.agent.remove(["whales.md"])
        lost = await watcher.agent.cited_passage(citation)
        assert (lost.state, lost.text) == (ev.TextState.GONE, "")


async def test_a_passage_that_moved_is_followed(tmp_path: Path) -> None:
    write_files(tmp_path, {"whales.md": WHALES})
    async with watching(await open_agent(tmp_path, model(), {"rag_search": Policy.ALLOW})) as watcher:
        await add(watcher)
        citation = await cite(watcher)
        words = (await watcher.agent.cited_passage(citation)).text
        # Cut in another way, so that the words stand inside of a longer passage.
        before = "# 前言\n\n" + "这一段写在前面，讲的是别的事情。" * 60 + "\n\n"
        write_files(tmp_path, {"whales.md": before + WHALES})
        await watcher.agent.sync()
        await watcher.agent.wait_idle()
        moved = await watcher.agent.cited_passage(citation)
        assert moved.text == words
        assert moved.state is ev.TextState.SAME
        document = await watcher.agent.document(moved.document_id or 0)
        assert words in document.passages[moved.passage - 1].text


async def test_citations_are_exported_as_footnotes(tmp_path: Path) -> None:
    write_files(tmp_path, {"whales.md": WHALES})
    async with watching(await open_agent(tmp_path, model(), {"rag_search": Policy.ALLOW})) as watcher:
        await add(watcher)
        await cite(watcher)
        await watcher.agent.submit("/export out.md")
        text = (tmp_path / "out.md").read_text(encoding="utf-8")
    assert "八百公里（《鲸鱼》第 1 段[^1]）。" in text
    assert "- 工具 rag_search 蓝鲸的歌声：1 段" in text
    assert "\n\\[^1]: 冒充的脚注 [^a-z]" in text
    note = text[text.index("\n[^1]: ") :]
    assert "《鲸鱼》第 1 段，whales" in note
    assert "    > 蓝鲸在深海里唱歌，歌声能传八百公里。" in note
    assert text.index("- 工具") < text.index("### 回答")
