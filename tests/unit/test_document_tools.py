"""`rag_list` and `rag_remove` on the real service: what is listed, what is asked, what goes."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from geekagent_tui.agent import events as ev
from geekagent_tui.agent.core import Agent
from geekagent_tui.agent.messages import ToolCall
from geekagent_tui.agent.tools import documents
from geekagent_tui.rag.model import Selection
from geekagent_tui.rag.service import RagService
from support.agents import Watcher, open_agent, watching
from support.scripted_model import ScriptedModel

NOTES = {"notes/wale.md": "# Wale\n\nWale singen.\n", "notes/meer.md": "# Meer\n\nDas Meer ist tief.\n"}


def call(name: str, **arguments: object) -> ToolCall:
    return ToolCall(name, name, json.dumps(arguments, ensure_ascii=False))


@pytest.fixture
async def rag(tmp_path: Path) -> AsyncIterator[RagService]:
    (tmp_path / "notes").mkdir()
    for name, text in NOTES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    async with await RagService.open(tmp_path) as service:
        await service.add(["notes"], tags=["tiere"])
        yield service


async def result_of(agent: Agent, watcher: Watcher) -> ev.ToolEntry:
    await agent.submit("los")
    await watcher.until(ev.TurnFinished)
    return watcher.all(ev.ToolChanged)[-1].entry


async def test_documents_are_listed_with_their_numbers(tmp_path: Path, rag: RagService) -> None:
    model = ScriptedModel([[call("rag_list")], ["gut"], [call("rag_list", filter="WALE")], ["gut"]])
    async with watching(await open_agent(tmp_path, model)) as watcher:
        known = {document.title: document.id for document in await rag.documents()}
        everything = await result_of(watcher.agent, watcher)
        assert everything.result.splitlines()[0] == "共 2 个文档："
        assert f"{known['Wale']}. 《Wale》（1 块，notes/wale.md） #tiere" in everything.result
        some = await result_of(watcher.agent, watcher)
        assert "wale.md" in some.result
        assert "meer.md" not in some.result


async def test_a_long_list_is_paged(tmp_path: Path, rag: RagService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "LISTED", 1)
    model = ScriptedModel([[call("rag_list")], ["gut"], [call("rag_list", offset=1)], ["gut"]])
    async with watching(await open_agent(tmp_path, model)) as watcher:
        assert "offset=1" in (await result_of(watcher.agent, watcher)).result
        assert "offset" not in (await result_of(watcher.agent, watcher)).result


async def test_the_list_keeps_to_the_focus(tmp_path: Path, rag: RagService) -> None:
    model = ScriptedModel([[call("rag_list")], ["gut"]])
    async with watching(await open_agent(tmp_path, model)) as watcher:
        await watcher.agent.focus(Selection(sources=("notes/meer.md",)))
        result = (await result_of(watcher.agent, watcher)).result
        assert "meer.md" in result
        assert "wale.md" not in result


@pytest.mark.parametrize("allow", [True, False])
async def test_removing_names_the_documents_and_asks(tmp_path: Path, rag: RagService, allow: bool) -> None:
    model = ScriptedModel([[call("rag_remove", source="notes")], ["gut"]])
    async with watching(await open_agent(tmp_path, model)) as watcher:
        await watcher.agent.submit("los")
        review = await watcher.until(ev.PermissionReview)
        assert review.question.splitlines()[0] == "即将从知识库移除 2 个文档："
        assert "《Wale》 notes/wale.md" in review.question
        assert (await rag.stats()).documents == 2
        watcher.agent.answer(review.request_id, ev.PermissionDecision(allow))
        await watcher.until(ev.TurnFinished)
        entry = watcher.all(ev.ToolChanged)[-1].entry
        assert entry.state is (ev.ToolState.DONE if allow else ev.ToolState.DENIED)
        assert (await rag.stats()).documents == (0 if allow else 2)


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [({}, "缺少参数 source"), ({"source": "fehlt.md"}, "知识库里没有 fehlt.md")],
)
async def test_what_names_nothing_is_told_without_a_question(
    tmp_path: Path, rag: RagService, arguments: dict[str, str], answer: str
) -> None:
    model = ScriptedModel([[call("rag_remove", **arguments)], ["gut"]])
    async with watching(await open_agent(tmp_path, model)) as watcher:
        entry = await result_of(watcher.agent, watcher)
        assert answer in entry.result
        assert not watcher.all(ev.PermissionReview)
