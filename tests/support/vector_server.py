"""A server for `/embeddings` and `/rerank` on a real port; its model knows a few things in two languages."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import re
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

WIDTH = 48
THINGS = (
    ("whale", "鲸鱼"),
    ("harbour", "港口"),
    ("bread", "面包"),
    ("winter", "冬天"),
    ("teacher", "老师"),
    ("mountain", "山峰"),
)
"""Each has a direction of its own, whatever it is called."""


def vector(text: str, width: int = WIDTH) -> list[float]:
    """The language's direction, the things' directions, and a little that only this text has."""
    found = [0.0] * width
    found[0 if re.search("[\u4e00-\u9fff]", text) else 1] = 3.0
    for place, names in enumerate(THINGS, start=2):
        found[place] = 2.0 * any(name in text.casefold() for name in names)
    digest = hashlib.sha256(text.encode()).digest()
    for place in range(8, width):
        found[place] = (digest[place % 32] - 127.5) / 500
    return found


@dataclass
class Reply:
    """One answer instead of the model's.

    Attributes:
        body: Bytes as they are, or a value that is sent as JSON.
        hold: Waits for it before it answers.
    """

    body: Any = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    hold: asyncio.Event | None = None


Answering = Callable[[dict[str, Any]], Any]


class VectorServer:
    """Answers as its model does, except where its script says otherwise.

    Attributes:
        requests: Path, headers and body of every request.
        script: Replies that are used up first, one after another.
        always: The reply to everything, when set.
        refuses: A text that the model can't take.
    """

    def __init__(self, *script: Reply, width: int = WIDTH, encoded: bool = False) -> None:
        self.requests: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.script = list(script)
        self.always: Reply | None = None
        self.refuses = ""
        self.width = width
        self._encoded = encoded
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def base_url(self) -> str:
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"

    @property
    def texts(self) -> list[str]:
        """Everything that was to be embedded."""
        return [
            text for path, _, body in self.requests if path.endswith("/embeddings") for text in body["input"]
        ]

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def stop(self) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                path, headers, body = await _request(reader)
                self.requests.append((path, headers, body))
                reply = self.script.pop(0) if self.script else self.always or self._reply(path, body)
                if reply.hold is not None:
                    await reply.hold.wait()
                _send(writer, reply)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    def _reply(self, path: str, body: dict[str, Any]) -> Reply:
        if self.refuses and self.refuses in str(body):
            return Reply({"error": "too long"}, status=400)
        return Reply(self._answer(path, body))

    def _answer(self, path: str, body: dict[str, Any]) -> Any:
        if path.endswith("/rerank"):
            return {"results": ranked(body["query"], body["documents"])}
        vectors = [vector(text, self.width) for text in body["input"]]
        if self._encoded:
            packed = [base64.b64encode(array("f", values).tobytes()).decode() for values in vectors]
            return {"data": [{"index": place, "embedding": text} for place, text in enumerate(packed)]}
        data = [{"index": place, "embedding": values} for place, values in enumerate(vectors)]
        return {"data": data[::-1]}  # a server may answer in any order


def ranked(query: str, documents: Sequence[str]) -> list[dict[str, float]]:
    """The shortest document first."""
    order = sorted(range(len(documents)), key=lambda place: len(documents[place]))
    return [{"index": place, "relevance_score": 1.0 / rank} for rank, place in enumerate(order, start=1)]


async def _request(reader: asyncio.StreamReader) -> tuple[str, dict[str, str], dict[str, Any]]:
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").strip().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return first.split()[1], headers, json.loads(body or b"{}")


def _send(writer: asyncio.StreamWriter, reply: Reply) -> None:
    body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
    lines = [f"HTTP/1.1 {reply.status} X", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in reply.headers.items()]
    writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
