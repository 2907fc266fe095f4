"""Asking a model's server for one JSON answer, within bounds of time and size."""

from __future__ import annotations

import asyncio
import json
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from geekagent_tui.i18n import _
from geekagent_tui.network_context import tls_context
from geekagent_tui.rag.dense.encoder import EncoderError
from geekagent_tui.rag.trouble import in_plain_words
from geekagent_tui.sanitize import clean_line

if TYPE_CHECKING:
    import httpx

SECONDS = 60.0
"""How long one request may take in all."""
_BYTES = 32 * 1024 * 1024
_PAUSES = (1.0, 3.0, 9.0)
"""Seconds before each further attempt, when the server was only busy."""
_LONGEST_PAUSE = 30.0
_BUSY = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
_REFUSED = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})


class Poster:
    """One address of a server; the client is made when first needed.

    Args:
        base_url: As in the settings, such as `http://127.0.0.1:8080/v1`.
        path: What is asked there.
        api_key: Sent to it, unless empty.
        pauses: Seconds before each further attempt.
    """

    def __init__(self, base_url: str, path: str, api_key: str, pauses: tuple[float, ...] = _PAUSES) -> None:
        self._url = f"{base_url.rstrip('/')}/{path}"
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._pauses = pauses
        self._client: httpx.AsyncClient | None = None
        self._making = asyncio.Lock()

    async def post(self, body: dict[str, Any], *, patient: bool) -> Any:
        """The answer, parsed.

        Args:
            body: Sent as JSON.
            patient: Whether to try again when the server is busy.

        Raises:
            EncoderError: There is no usable answer.
        """
        pauses = iter(self._pauses if patient else ())
        while True:
            status, data, wait = await self._once(body)
            if status == HTTPStatus.OK:
                return await asyncio.to_thread(self._parsed, data)
            pause = next(pauses, None)
            if status not in _BUSY or pause is None:
                raise self._refused(status)
            await asyncio.sleep(min(max(pause, wait), _LONGEST_PAUSE))

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()

    async def _once(self, body: dict[str, Any]) -> tuple[int, bytes, float]:
        """Status, body, and the seconds that the server asks to wait."""
        client = await self._made()
        try:
            content = await asyncio.to_thread(lambda: json.dumps(body).encode())
            async with (
                asyncio.timeout(SECONDS),
                client.stream("POST", self._url, content=content, headers=self._headers) as response,
            ):
                data = bytearray()
                async for piece in response.aiter_bytes():
                    data += piece
                    if len(data) > _BYTES:
                        raise EncoderError(_("{url} 的回答太大").format(url=self._url))
                asked = response.headers.get("Retry-After", "")
                return response.status_code, bytes(data), float(asked) if asked.isdecimal() else 0.0
        except TimeoutError:
            raise EncoderError(_("{url} 没有及时回答").format(url=self._url)) from None
        except EncoderError:
            raise
        except Exception as error:
            import httpx

            if not isinstance(error, httpx.HTTPError | httpx.InvalidURL | ValueError | ImportError):
                raise
            raise EncoderError(in_plain_words(error, self._url, SECONDS)) from error

    def _parsed(self, data: bytes) -> Any:
        try:
            return json.loads(data)
        except (ValueError, RecursionError):
            start = clean_line(data[:80].decode("utf-8", "replace"))
            message = _("{url} 的回答不是 JSON（{start}…），请检查 base_url")
            raise EncoderError(message.format(url=self._url, start=start)) from None

    def _refused(self, status: int) -> EncoderError:
        if status in _REFUSED:
            return EncoderError(_("{url} 拒绝了密钥（HTTP {status}）").format(url=self._url, status=status))
        return EncoderError(_("{url} 回答 HTTP {status}").format(url=self._url, status=status))

    async def _made(self) -> httpx.AsyncClient:
        async with self._making:
            if self._client is None:
                self._client = await asyncio.to_thread(_client)
            return self._client


def _client() -> httpx.AsyncClient:
    """Loading httpx and the certificates takes a while."""
    import httpx

    return httpx.AsyncClient(
        timeout=httpx.Timeout(SECONDS, connect=5.0),
        headers={"Content-Type": "application/json", "Accept": "application/json"},
        follow_redirects=False,  # a key must not follow one
        verify=tls_context(),
    )
