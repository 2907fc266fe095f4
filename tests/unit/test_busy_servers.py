"""Busy servers are asked again where that is safe, full ones are explained, and Esc ends every wait."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from geekagent_tui.agent import events as ev
from geekagent_tui.agent.core import Agent
from geekagent_tui.agent.messages import UserMessage
from geekagent_tui.agent.models import retry
from geekagent_tui.agent.models.base import (
    Advice,
    ModelError,
    ModelEvent,
    Reply,
    TooLongError,
    TransientError,
    Waiting,
)
from geekagent_tui.agent.models.openai_compatible import OpenAICompatibleModel
from geekagent_tui.config import Connection
from support.agents import open_agent, snapshot, watching
from support.openai_server import Answer, OpenAIServer
from support.scripted_model import ScriptedModel

BUSY = Answer(status=503, body='{"error": {"message": "busy"}}', headers={"Retry-After": "0"})


async def events_of(server: OpenAIServer, text: str = "问") -> list[ModelEvent]:
    model = OpenAICompatibleModel(Connection(server.base_url, "qwen3:8b"))
    try:
        return [event async for event in model.stream("", [UserMessage(text)], ())]
    finally:
        await model.close()


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
async def test_a_busy_server_is_waited_for(status: int) -> None:
    busy = Answer(status=status, body="{}", headers={"Retry-After": "0"})
    async with OpenAIServer([busy, "好"]) as server:
        waiting, again, *_rest, reply = await events_of(server)
    assert (waiting, again) == (Waiting(0.0), Waiting(0))
    assert isinstance(reply, Reply)
    assert len(server.requests) == 2


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 418, 422, 501, 505])
async def test_what_another_try_does_not_help_is_told_at_once(status: int) -> None:
    async with OpenAIServer([Answer(status=status, body="{}")]) as server:
        with pytest.raises(ModelError):
            await events_of(server)
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_no_server_leads_the_conversation_to_another_one(status: int) -> None:
    async with OpenAIServer([]) as other:
        moved = Answer(status=status, body="", headers={"Location": f"{other.base_url}/chat/completions"})
        async with OpenAIServer([moved]) as server:
            with pytest.raises(ModelError, match=str(status)):
                await events_of(server)
        assert other.connections == 0


async def test_nothing_is_sent_again_once_the_answer_has_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "FIRST_WAIT", 0.0)
    async with OpenAIServer([Answer(["一", "二", "三", "四"], quirks=["cut_off"]), "好"]) as server:
        with pytest.raises(ModelError, match="连接中断"):
            await events_of(server)
        assert len(server.requests) == 1
    nothing = Answer(body='data: {"choices": []}\n\n', content_type="text/event-stream")
    async with OpenAIServer([nothing, "好"]) as server:
        assert isinstance((await events_of(server))[0], Waiting)


def test_how_long_to_wait() -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=40), usegmt=True)
    past = format_datetime(datetime.now(UTC) - timedelta(seconds=40), usegmt=True)
    assert retry.wanted_wait({}) is None
    assert retry.wanted_wait({"retry-after": "12"}) == 12
    assert retry.wanted_wait({"retry-after": "-1"}) == 0
    assert retry.wanted_wait({"retry-after": "soon"}) is None
    assert retry.wanted_wait({"retry-after": past}) == 0
    assert 30 < (retry.wanted_wait({"retry-after": later}) or 0) <= 40
    assert retry.wanted_wait({"retry-after": "12", "retry-after-ms": "1500"}) == 1.5
    assert retry.next_wait(TransientError("", 12), 0) == 12
    assert retry.next_wait(TransientError("", 3600), 0) is None
    assert retry.next_wait(TransientError(""), retry.ATTEMPTS - 1) is None
    waits = [retry.next_wait(TransientError(""), attempt) or 0 for attempt in range(retry.ATTEMPTS - 1)]
    assert all(2**n / 2 <= wait <= 2**n for n, wait in enumerate(waits))


async def test_the_wait_is_shown_and_esc_ends_it(tmp_path: Path) -> None:
    class Busy(ScriptedModel):
        async def stream(self, system, messages, tools):  # type: ignore[no-untyped-def]
            yield Waiting(11.2)
            await asyncio.Event().wait()

    agent: Agent = await open_agent(tmp_path, Busy())
    async with watching(agent) as watcher:
        await agent.submit("问")
        await watcher.until(ev.StatusChanged, lambda event: event.status.activity == "等待 12 秒后重试")
        assert agent.interrupt()
        assert (await watcher.until(ev.TurnFinished)).end is ev.TurnEnd.INTERRUPTED
        assert (await snapshot(agent)).status.activity == ""


async def test_a_wait_ends_with_its_reader() -> None:
    async with OpenAIServer([Answer(status=503, body="{}", headers={"Retry-After": "50"})]) as server:
        model = OpenAICompatibleModel(Connection(server.base_url, "m"))
        async with aclosing(model.stream("", [UserMessage("问")], ())) as events:  # type: ignore[type-var]
            assert await anext(events) == Waiting(50.0)
        await model.close()
    assert len(server.requests) == 1


# --- too long -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "body", "window"),
    [
        (
            400,
            {"error": {"message": "This model's maximum context length is 8192 tokens. However, you"}},
            8192,
        ),
        (400, {"error": {"message": "the request exceeds the available context size", "n_ctx": 2048}}, 2048),
        (400, {"error": {"code": "context_length_exceeded", "message": "too big"}}, 64_000),
        (422, {"detail": [{"msg": "prompt is too long"}]}, 64_000),
        (413, {"error": "input length exceeds 4096 tokens, the context window"}, 64_000),
    ],
)
async def test_a_window_is_learnt_from_a_refusal(status: int, body: object, window: int) -> None:
    async with OpenAIServer([Answer(status=status, body=json.dumps(body))]) as server:
        model = OpenAICompatibleModel(Connection(server.base_url, "m"))
        with pytest.raises(TooLongError):
            async for _event in model.stream("", [UserMessage("问")], ()):
                pass
        await model.close()
    assert model.context_window == window


LONG = "说来话长，从头说起。" * 900


async def test_ollamas_silent_cut_is_explained(tmp_path: Path) -> None:
    async with OpenAIServer([Answer("好", usage=(4096, 3)), Answer("好", usage=(4096, 3))]) as server:
        server.pages["/api/version"] = {"version": "0.12.0"}
        server.pages["/api/ps"] = {"models": [{"name": "qwen3:8b", "context_length": 4096}]}
        model = OpenAICompatibleModel(Connection(server.base_url, "qwen3:8b"))
        events = [event async for event in model.stream("", [UserMessage(LONG)], ())]
        again = [event async for event in model.stream("", [UserMessage(LONG)], ())]
        await model.close()
    (advice,) = [event for event in events if isinstance(event, Advice)]
    assert isinstance(events[-1], Reply)
    assert "4096" in advice.text
    assert "OLLAMA_CONTEXT_LENGTH=16384" in advice.text
    assert not any(isinstance(event, Advice) for event in again)
    assert model.context_window == 4096


@pytest.mark.parametrize(
    "pages",
    [
        {},
        {"/api/version": {}, "/api/ps": {"models": [{"name": "qwen3:8b", "context_length": 32768}]}},
        {"/api/version": "<html>"},
    ],
)
async def test_servers_that_only_count_in_another_way_are_left_alone(pages: dict[str, object]) -> None:
    async with OpenAIServer([Answer("好", usage=(100, 3))] * 5) as server:
        server.pages.update(pages)
        events = await events_of(server, LONG)
    assert not any(isinstance(event, Advice) for event in events)


async def test_advice_reaches_the_chat(tmp_path: Path) -> None:
    class Advising(ScriptedModel):
        async def stream(self, system, messages, tools):  # type: ignore[no-untyped-def]
            yield Advice("请调大上下文")
            yield Reply("好")

    async with watching(await open_agent(tmp_path, Advising())) as watcher:
        await watcher.agent.submit("问")
        assert (await watcher.notice("请调大上下文")).level is ev.Level.WARNING
        await watcher.until(ev.TurnFinished)
