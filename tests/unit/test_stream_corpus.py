"""Streams as real servers send them, rebuilt from reports, and what each of them comes to."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from geekagent_tui.agent.messages import UserMessage
from geekagent_tui.agent.models import retry
from geekagent_tui.agent.models.base import ModelError, ModelEvent, Reply, ToolSpec, Usage
from geekagent_tui.agent.models.openai_compatible import OpenAICompatibleModel
from geekagent_tui.config import Connection
from support.openai_server import Answer, OpenAIServer

TOOLS = (ToolSpec("search", "", {"type": "object"}), ToolSpec("add", "", {"type": "object"}))
DONE = "data: [DONE]\n\n"


def chunk(finish: str | None = None, **delta: object) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return f"data: {json.dumps({'choices': [choice]}, ensure_ascii=False)}\n\n"


def call(**fields: object) -> str:
    return chunk(tool_calls=[fields])


STOP = chunk("stop") + DONE


@dataclass(frozen=True)
class Case:
    """A stream and what comes of it: the answer, its calls, what was thought; or the words of an error."""

    stream: str
    text: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    reasoning: str = ""
    usage: Usage | None = None
    error: str = ""


CASES = {
    "a first chunk without choices (Azure's content filter)": Case(
        'data: {"choices": [], "prompt_filter_results": []}\n\n' + chunk(content="好") + STOP, "好"
    ),
    "usage in a last chunk without choices": Case(
        chunk(content="好") + chunk("stop") + 'data: {"choices": [], "usage": {"prompt_tokens": 5,'
        ' "completion_tokens": 2}}\n\n' + DONE,
        "好",
        usage=Usage(5, 2),
    ),
    "usage in every chunk (vLLM's continuous_usage_stats)": Case(
        'data: {"choices": [{"delta": {"content": "好"}}], "usage": {"prompt_tokens": 5,'
        ' "completion_tokens": 1}}\n\n'
        'data: {"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 5,'
        ' "completion_tokens": 2}}\n\n' + DONE,
        "好",
        usage=Usage(5, 2),
    ),
    "usage that is null or half": Case(
        'data: {"choices": [{"delta": {"content": "好"}}], "usage": null}\n\n'
        'data: {"choices": [], "usage": {"prompt_tokens": null}}\n\n' + STOP,
        "好",
    ),
    "a delta that is null": Case(
        'data: {"choices": [{"index": 0, "delta": null}]}\n\n' + chunk(content="好") + STOP, "好"
    ),
    "calls without index": Case(
        call(id="a", function={"name": "search", "arguments": '{"q"'})
        + call(function={"arguments": ": 1}"})
        + call(id="b", function={"name": "add", "arguments": "{}"})
        + STOP,
        calls=(("search", '{"q": 1}'), ("add", "{}")),
    ),
    "all calls with index 0 (Gemini)": Case(
        call(index=0, id="a", function={"name": "search", "arguments": "{}"})
        + call(index=0, id="b", function={"name": "add", "arguments": "{}"})
        + STOP,
        calls=(("search", "{}"), ("add", "{}")),
    ),
    "an id in every fragment, a new one each": Case(
        call(index=0, id="a", function={"name": "search", "arguments": '{"q"'})
        + call(index=0, id="x", function={"arguments": ": 1}"})
        + STOP,
        calls=(("search", '{"q": 1}'),),
    ),
    "a name that comes behind its arguments": Case(
        call(index=0, id="a", function={"arguments": '{"q": 1}'})
        + call(index=0, function={"name": "search"})
        + STOP,
        calls=(("search", '{"q": 1}'),),
    ),
    "a name in every fragment": Case(
        call(index=0, id="a", function={"name": "search", "arguments": '{"q"'})
        + call(index=0, id="a", function={"name": "search", "arguments": ": 1}"})
        + STOP,
        calls=(("search", '{"q": 1}'),),
    ),
    "arguments that are an empty string": Case(
        call(index=0, id="a", function={"name": "search", "arguments": ""}) + STOP,
        calls=(("search", "{}"),),
    ),
    "arguments that are null": Case(
        call(index=0, id="a", function={"name": "search", "arguments": None}) + STOP,
        calls=(("search", "{}"),),
    ),
    "arguments that are an object (Ollama's native form)": Case(
        call(index=0, id="a", function={"name": "search", "arguments": {"q": 1}}) + STOP,
        calls=(("search", '{"q": 1}'),),
    ),
    "reasoning in reasoning_content (DeepSeek)": Case(
        chunk(reasoning_content="想") + chunk(content="好") + STOP, "好", reasoning="想"
    ),
    "reasoning in reasoning (OpenRouter, vLLM)": Case(
        chunk(reasoning="想") + chunk(content="好") + STOP, "好", reasoning="想"
    ),
    "reasoning in both at once counts once": Case(
        chunk(reasoning="想", reasoning_content="想") + chunk(content="好") + STOP, "好", reasoning="想"
    ),
    "nothing but reasoning": Case(chunk(reasoning_content="想") + STOP, reasoning="想"),
    "content as a list of parts (Mistral)": Case(
        chunk(content=[{"type": "text", "text": "好"}, {"type": "reference"}]) + STOP, "好"
    ),
    "a refusal": Case(chunk(refusal="不行") + STOP, "不行"),
    "comments that keep the connection alive (OpenRouter)": Case(
        ": OPENROUTER PROCESSING\n\n" + chunk(content="好") + ": ping\n\n" + STOP, "好"
    ),
    "named events": Case("event: message\n" + chunk(content="好") + "event: end\n" + STOP, "好"),
    "no space behind data:": Case(chunk(content="好").replace("data: ", "data:") + "data:[DONE]\n\n", "好"),
    "Unicode line separators inside the text": Case(
        chunk(content="一\u2028二\u0085三\x0b") + STOP, "一\u2028二\u0085三\x0b"
    ),
    "line ends of CR alone": Case((chunk(content="好") + STOP).replace("\n", "\r"), "好"),
    "no empty line at the end": Case(chunk(content="好") + chunk("stop").rstrip("\n"), "好"),
    "a finish reason and no [DONE]": Case(chunk(content="好") + chunk("stop"), "好"),
    "a chunk that is no JSON among good ones": Case(
        chunk(content="一") + "data: {broken\n\n" + chunk(content="二") + STOP, "一二"
    ),
    "a second choice is not mixed in": Case(
        chunk(content="好") + 'data: {"choices": [{"index": 1, "delta": {"content": "别的"}}]}\n\n' + STOP,
        "好",
    ),
    "a whole completion instead of a stream": Case(
        '{"choices": [{"index": 0, "message": {"content": "好"}, "finish_reason": "stop"}]}', "好"
    ),
    "cut off by its length": Case(chunk(content="说到一半") + chunk("length") + DONE, "说到一半"),
    "an error inside the stream": Case(
        chunk(content="说到") + 'data: {"error": {"message": "CUDA out of memory"}}\n\n',
        error="CUDA out of memory",
    ),
    "an error as a string": Case('data: {"error": "no slot"}\n\n', error="no slot"),
    "an error without choices (vLLM)": Case(
        'data: {"object": "error", "message": "bad", "code": 400}\n\n', error="bad"
    ),
    "a full window inside the stream": Case(
        'data: {"error": {"message": "maximum context length is 4096 tokens"}}\n\n', error="上下文长度"
    ),
    "a proxy's page": Case("<html><body>Sign in</body></html>", error="返回的是网页"),
    "an end without a word": Case(chunk(content="说到"), error="连接中断"),
    "nothing at all": Case("", error="空的回答"),
}


@pytest.fixture(autouse=True)
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "FIRST_WAIT", 0.0)


async def heard(stream: str, cut: int) -> Reply:
    answers = [Answer(body=stream, content_type="text/event-stream", cut=cut)] * retry.ATTEMPTS
    async with OpenAIServer(answers) as server:
        model = OpenAICompatibleModel(Connection(server.base_url, "m"))
        try:
            events: list[ModelEvent] = [event async for event in model.stream("", [UserMessage("问")], TOOLS)]
        finally:
            await model.close()
    reply = events[-1]
    assert isinstance(reply, Reply)
    return reply


@pytest.mark.parametrize("name", CASES)
async def test_every_stream_comes_to_something(name: str) -> None:
    case = CASES[name]
    if case.error:
        with pytest.raises(ModelError) as raised:
            await heard(case.stream, 0)
        assert case.error in raised.value.message
        return
    reply = await heard(case.stream, 0)
    calls = tuple((made.name, made.arguments) for made in reply.tool_calls)
    assert (reply.text, calls, reply.reasoning, reply.usage) == (
        case.text,
        case.calls,
        case.reasoning,
        case.usage,
    )
    assert all(made.id for made in reply.tool_calls)
