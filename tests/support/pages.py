"""A real local web server that can also misbehave."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

Handler = Callable[[asyncio.StreamWriter], Awaitable[None]]


@dataclass(frozen=True)
class Reply:
    """An answer, sent as it stands: `length` may lie, None sends no Content-Length."""

    body: bytes = b""
    status: int = 200
    reason: str = "OK"
    content_type: str = "text/html; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)
    length: int | None = -1  # -1: the truth

    async def send(self, writer: asyncio.StreamWriter) -> None:
        lines = [f"HTTP/1.1 {self.status} {self.reason}", "Connection: close"]
        if self.content_type:
            lines.append(f"Content-Type: {self.content_type}")
        if self.length is not None:
            lines.append(f"Content-Length: {len(self.body) if self.length == -1 else self.length}")
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + self.body)
        await writer.drain()


def redirect(location: str, status: int = 302) -> Reply:
    return Reply(status=status, reason="Found", headers={"Location": location})


async def silence(_writer: asyncio.StreamWriter) -> None:
    """Say nothing for ever; the server's end cancels it."""
    await asyncio.Event().wait()


@dataclass(frozen=True)
class Drip:
    """Headers, then one byte after another without end."""

    byte: bytes = b"a"

    async def send(self, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
        while True:
            writer.write(self.byte)
            await writer.drain()
            await asyncio.sleep(0.01)


class PageServer:
    """Serves `pages` by path; `requests` lists the targets asked for, `headers` what came along."""

    def __init__(self, pages: dict[str, Reply | Drip | Handler] | None = None) -> None:
        self.pages = pages or {}
        self.requests: list[str] = []
        self.headers: list[dict[str, str]] = []
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        """`http://127.0.0.1:PORT`, without a slash."""
        return f"http://127.0.0.1:{self.port}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                await self._answer(reader, writer)
        except asyncio.CancelledError:
            pass  # the server is closing; a cancelled handler would be reported as an error
        finally:
            self._tasks.discard(task)
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        target = head[0].split(" ")[1]
        self.requests.append(target)
        self.headers.append(dict(line.split(": ", 1) for line in head[1:] if ": " in line))
        page = self.pages.get(target, Reply(b"gone", 404, "Not Found"))
        if callable(page):
            await page(writer)
        else:
            await page.send(writer)
