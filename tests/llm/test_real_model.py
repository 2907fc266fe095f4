"""A real model behind llama.cpp's own server: `make test-llm`. It proves the protocol, not the answers."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import pytest

from geekagent_tui.agent.messages import UserMessage
from geekagent_tui.agent.models.base import Reply, TextDelta, TooLongError
from geekagent_tui.agent.models.discovery import discover
from geekagent_tui.agent.models.openai_compatible import OpenAICompatibleModel
from geekagent_tui.agent.tokens import estimate_tokens
from geekagent_tui.config import Connection

PYTHON, WEIGHTS = os.environ.get("GEEKAGENT_LLM_PYTHON", ""), os.environ.get("GEEKAGENT_LLM_WEIGHTS", "")
WINDOW = 1024
QUESTION = [UserMessage("Answer with one word. What is the capital of France?")]

pytestmark = [
    pytest.mark.skipif(not (PYTHON and WEIGHTS), reason="needs `make test-llm`"),
    pytest.mark.timeout(600),
]


@pytest.fixture
async def server() -> AsyncIterator[Connection]:
    serve = Path(__file__).with_name("serve.py")
    process = await asyncio.create_subprocess_exec(
        PYTHON, serve, WEIGHTS, str(WINDOW),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdin is not None
    try:
        address = (await process.stdout.readline()).decode().strip()
        yield Connection(f"{address}/v1", "smollm2", profile="real")
    finally:
        process.kill()
        await process.wait()


async def test_a_real_server(server: Connection) -> None:
    model = OpenAICompatibleModel(server)
    try:
        await _streams_and_counts(model)
        await _stops_when_told(model)
        await _says_when_it_is_full(model)
    finally:
        await model.close()
    assert model.context_window == WINDOW
    await _is_found(server)
    await _keeps_to_a_schema(server)


async def _streams_and_counts(model: OpenAICompatibleModel) -> None:
    events = [event async for event in model.stream("You are helpful.", QUESTION, ())]
    reply = events[-1]
    assert isinstance(reply, Reply)
    assert reply.text == "".join(event.text for event in events if isinstance(event, TextDelta))
    assert "Paris" in reply.text
    assert reply.finish == "stop"
    assert reply.usage is not None
    assert 20 < reply.usage.prompt < 80
    assert reply.usage.completion < 2 * estimate_tokens(reply.text) + 10


async def _stops_when_told(model: OpenAICompatibleModel) -> None:
    story = [UserMessage("Write a long story about the sea.")]
    for _time in range(3):  # the server has one slot: it is free again each time
        async with aclosing(model.stream("", story, ())) as events:  # type: ignore[type-var]
            assert isinstance(await anext(events), TextDelta)


async def _says_when_it_is_full(model: OpenAICompatibleModel) -> None:
    with pytest.raises(TooLongError):
        async for _event in model.stream("", [UserMessage("word " * 2 * WINDOW)], ()):
            pass


async def _is_found(server: Connection) -> None:
    found = [choice for choice in await discover([server], []) if choice.running]
    assert [choice.context_window for choice in found] == [WINDOW]


async def _keeps_to_a_schema(server: Connection) -> None:
    import httpx

    schema = {"type": "object", "properties": {"city": {"enum": ["Paris", "Rome"]}}, "required": ["city"]}
    body = {
        "messages": [{"role": "user", "content": "The capital of France, as JSON."}],
        "response_format": {"type": "json_schema", "json_schema": {"name": "city", "schema": schema}},
        "max_tokens": 40,
    }
    async with httpx.AsyncClient(trust_env=False, timeout=300) as client:
        answer = (await client.post(f"{server.base_url}/chat/completions", json=body)).json()
    assert json.loads(answer["choices"][0]["message"]["content"])["city"] in {"Paris", "Rome"}
