"""A page that knows its version, as a careful web server serves it."""

from __future__ import annotations

import asyncio

from support.pages import PageServer, Reply

_PAGE = "<html><head><title>{title}</title></head><body><main><h1>{title}</h1>{body}</main></body></html>"


def page(title: str, sentence: str = "Wale sind große Tiere, die im Meer leben und singen. ") -> bytes:
    return _PAGE.format(title=title, body=f"<p>{sentence * 10}</p>").encode()


class Versioned:
    """A handler for `PageServer.pages`.

    Args:
        server: Where the request's headers are.
        body: The page; change it together with `etag` or `modified`.
        etag: Sent as `ETag`, and compared with `If-None-Match`.
        modified: Sent as `Last-Modified`, and compared with `If-Modified-Since`.

    Attributes:
        answers: The status of each answer so far.
    """

    def __init__(self, server: PageServer, body: bytes, etag: str = "", modified: str = "") -> None:
        self.body = body
        self.etag = etag
        self.modified = modified
        self.answers: list[int] = []
        self._server = server

    async def __call__(self, writer: asyncio.StreamWriter) -> None:
        asked = {name.lower(): value for name, value in self._server.headers[-1].items()}
        known = self.etag and asked.get("if-none-match") == self.etag
        known = known or (self.modified and asked.get("if-modified-since") == self.modified)
        self.answers.append(304 if known else 200)
        if known:
            await Reply(status=304, reason="Not Modified", content_type="", length=None).send(writer)
            return
        headers = {"ETag": self.etag, "Last-Modified": self.modified}
        await Reply(self.body, headers={name: value for name, value in headers.items() if value}).send(writer)
