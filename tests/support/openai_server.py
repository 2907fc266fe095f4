"""A scripted server that speaks OpenAI's chat completions, on a real port.

In a test: `async with OpenAIServer([Answer("你好"), ...]) as server`. As a process of its own:
`python -m support.openai_server --script file.json [--port 0] [--log requests.jsonl]`, which prints its port;
the script is a list of strings and of objects with the fields of `Answer`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

QUIRKS = frozenset(
    {
        "carriage_returns",  # lines end with CR LF
        "cut_off",  # the connection ends in the middle
        "empty_choices",  # chunks without any choice
        "finish_stop",  # "stop" although there are tool calls
        "index_zero",  # every tool call has index 0
        "late_name",  # a tool call's name comes after its arguments
        "no_done",  # no [DONE]
        "no_finish",  # no finish reason
        "no_ids",  # tool calls without ids
        "no_index",  # tool calls without index
        "no_stream_options",  # refuses requests with stream_options
        "no_usage",  # never tells usage
        "object_arguments",  # arguments as an object
        "whole",  # one JSON object instead of a stream
        "wide_escapes",  # non-ASCII as \u escapes, cut between the halves of a character
    }
)


@dataclass
class Answer:
    """What the server answers to one request.

    Attributes:
        text: The answer, in fragments when it is a list.
        calls: Tool calls: name, arguments as JSON text, and id if it matters.
        status: 200, or an error that is sent with `body`.
        body: A whole body instead of a completion.
        quirks: Some of `QUIRKS`.
        usage: Tokens of prompt and completion that it tells.
        thinks_in: The field in which it tells its reasoning.
        cut: Bytes in each write; 0 for one event a write.
        hold: Waits for it after the first fragment; in a test only.
    """

    text: str | Sequence[str] = ""
    calls: Sequence[dict[str, str]] = ()
    reasoning: str = ""
    status: int = 200
    body: str | None = None
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    quirks: Sequence[str] = ()
    usage: tuple[int, int] = (12, 34)
    thinks_in: str = "reasoning_content"
    cut: int = 0
    hold: asyncio.Event | None = None

    def __post_init__(self) -> None:
        assert QUIRKS.issuperset(self.quirks), self.quirks


@dataclass(frozen=True)
class Request:
    """What the server was asked."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class OpenAIServer:
    """Answers requests with the answers of its script, one after another, then with `好的。`.

    Attributes:
        requests: Every request for an answer so far.
        pages: What it answers to requests for anything else, JSON by path; what is not there is not found.
        asked: Those requests so far.
        left: The client left before its answer was complete.
        connections: How many were opened.
    """

    def __init__(self, script: Sequence[Answer | str], log: Path | None = None) -> None:
        self.requests: list[Request] = []
        self.pages: dict[str, Any] = {}
        self.asked: list[Request] = []
        self.left = asyncio.Event()
        self.connections = 0
        self._script = [Answer(answer) if isinstance(answer, str) else answer for answer in script]
        self._log = log
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def port(self) -> int:
        assert self._server is not None
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def start(self, port: int = 0) -> None:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", port)

    async def stop(self) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (request := await _read(reader)) is not None:
                if not request.path.endswith("/chat/completions"):
                    self.asked.append(request)
                    await self._page(request, writer)
                    continue
                self.requests.append(request)
                if self._log is not None:
                    with self._log.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(request.body, ensure_ascii=False) + "\n")
                answer = self._script.pop(0) if self._script else Answer("好的。")
                if not await self._answer(request, answer, reader, writer):
                    break
        except ConnectionError:
            self.left.set()
        finally:
            writer.close()

    async def _page(self, request: Request, writer: asyncio.StreamWriter) -> None:
        page = self.pages.get(request.path)
        if isinstance(page, asyncio.Event):
            await page.wait()
        body = page.encode() if isinstance(page, str) else json.dumps(page).encode()
        answer = Answer(status=404 if page is None else 200)
        _head(writer, answer, answer.content_type, f"Content-Length: {len(body)}")
        writer.write(body)
        await writer.drain()

    async def _answer(
        self, request: Request, answer: Answer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Send an answer; returns whether the connection goes on."""
        if "no_stream_options" in answer.quirks and "stream_options" in request.body:
            self._script.insert(0, answer)
            refusal = {"error": {"message": "Unrecognized request argument supplied: stream_options"}}
            answer = Answer(status=400, body=json.dumps(refusal))
        if answer.status != 200 or answer.body is not None or "whole" in answer.quirks:
            body = answer.body if answer.body is not None else json.dumps(_whole(request, answer))
            _head(writer, answer, answer.content_type, f"Content-Length: {len(body.encode())}")
            writer.write(body.encode())
            await writer.drain()
            return True
        _head(writer, answer, "text/event-stream", "Transfer-Encoding: chunked")
        for number, piece in enumerate(_pieces(request, answer)):
            writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            await writer.drain()
            if number == 0 and answer.hold is not None and not await self._held(answer.hold, reader):
                return False
        if "cut_off" in answer.quirks:
            return False
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True

    async def _held(self, hold: asyncio.Event, reader: asyncio.StreamReader) -> bool:
        """Wait; returns False when the client left meanwhile."""
        go_on, gone = asyncio.create_task(hold.wait()), asyncio.create_task(reader.read(1))
        try:
            await asyncio.wait([go_on, gone], return_when=asyncio.FIRST_COMPLETED)
            if gone.done():
                self.left.set()
            return not gone.done()
        finally:
            go_on.cancel()
            gone.cancel()
            await asyncio.gather(go_on, gone, return_exceptions=True)


async def _read(reader: asyncio.StreamReader) -> Request | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.strip().split("\r\n")
    headers = {
        name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)
    }
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(first.split()[1], headers, json.loads(body or b"{}"))


def _head(writer: asyncio.StreamWriter, answer: Answer, content_type: str, length: str) -> None:
    own = [f"{name}: {value}" for name, value in answer.headers.items()]
    lines = [f"HTTP/1.1 {answer.status} Status", f"Content-Type: {content_type}", length, *own]
    writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())


def _pieces(request: Request, answer: Answer) -> Iterator[bytes]:
    """The body as it is written."""
    end = "\r\n" if "carriage_returns" in answer.quirks else "\n"
    wide = "wide_escapes" in answer.quirks
    texts = [
        event if isinstance(event, str) else json.dumps(event, ensure_ascii=wide)
        for event in _events(request, answer)
    ]
    events = [f"data: {text}{end}{end}".encode() for text in texts]
    if "cut_off" in answer.quirks:
        events = events[: len(events) // 2]
    if not answer.cut:
        yield from events
        return
    body = b"".join(events)
    for start in range(0, len(body), answer.cut):
        yield body[start : start + answer.cut]


def _events(request: Request, answer: Answer) -> Iterator[dict[str, Any] | str]:
    quirks = answer.quirks
    if "empty_choices" in quirks:
        yield {"id": "c", "object": "chat.completion.chunk", "choices": []}
    if answer.reasoning:
        yield _chunk({"role": "assistant", "content": None, answer.thinks_in: answer.reasoning})
    for fragment in _fragments(answer):
        yield _chunk({"content": fragment})
    for number, call in enumerate(answer.calls):
        for part in _call_parts(number, call, quirks):
            yield _chunk({"tool_calls": [part]})
    if "no_finish" not in quirks:
        yield _chunk({}, _finish(answer))
    if "no_usage" not in quirks and request.body.get("stream_options", {}).get("include_usage"):
        yield {"id": "c", "choices": [], "usage": _usage(answer)}
    if "no_done" not in quirks:
        yield "[DONE]"


def _fragments(answer: Answer) -> list[str]:
    fragments = [answer.text] if isinstance(answer.text, str) else list(answer.text)
    if "wide_escapes" in answer.quirks:
        units = "".join(fragments).encode("utf-16-le")
        return [units[i : i + 2].decode("utf-16-le", "surrogatepass") for i in range(0, len(units), 2)]
    return [fragment for fragment in fragments if fragment]


def _call_parts(number: int, call: dict[str, str], quirks: Sequence[str]) -> Iterator[dict[str, Any]]:
    """A tool call: a head, then its arguments in two halves."""
    place = {} if "no_index" in quirks else {"index": 0 if "index_zero" in quirks else number}
    own = {} if "no_ids" in quirks else {"id": call.get("id", f"call_{number}"), "type": "function"}
    arguments = call.get("arguments", "{}")
    if "object_arguments" in quirks:
        yield {**place, **own, "function": {"name": call["name"], "arguments": json.loads(arguments)}}
        return
    middle = len(arguments) // 2
    halves = [{**place, "function": {"arguments": half}} for half in (arguments[:middle], arguments[middle:])]
    if "late_name" in quirks:
        yield {**own, **halves[0]}
        yield {**place, "function": {"name": call["name"]}}
        yield halves[1]
        return
    yield {**place, **own, "function": {"name": call["name"], "arguments": ""}}
    yield from halves


def _chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "model": "scripted", "choices": [choice]}


def _whole(request: Request, answer: Answer) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": "".join(_fragments(answer))}
    if answer.calls:
        message["tool_calls"] = [
            {
                "id": call.get("id", f"call_{number}"),
                "type": "function",
                "function": {"name": call["name"], "arguments": call.get("arguments", "{}")},
            }
            for number, call in enumerate(answer.calls)
        ]
    return {
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": _finish(answer)}],
        "usage": _usage(answer),
    }


def _usage(answer: Answer) -> dict[str, int]:
    return {"prompt_tokens": answer.usage[0], "completion_tokens": answer.usage[1]}


def _finish(answer: Answer) -> str:
    return "tool_calls" if answer.calls and "finish_stop" not in answer.quirks else "stop"


async def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--script", type=Path, required=True)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log", type=Path)
    call = parser.parse_args()
    script = json.loads(call.script.read_text("utf-8"))
    server = OpenAIServer(
        [Answer(step) if isinstance(step, str) else Answer(**step) for step in script], call.log
    )
    await server.start(call.port)
    sys.stdout.write(f"{server.port}\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_main())
