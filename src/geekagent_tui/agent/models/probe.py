"""Short questions to a model server besides the chat: which models it has, how long their windows are."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from geekagent_tui.agent.models.trouble import bad_key, is_sendable
from geekagent_tui.network_context import is_loopback, tls_context

if TYPE_CHECKING:
    import httpx

PATIENCE = 1.0
"""Seconds for everything that is asked at once."""
_MOST = 4 << 20
"""Bytes of an answer."""


class ProbeError(Exception):
    """A server did not answer, or with something else than JSON; the text is what it did, for a sentence."""


@asynccontextmanager
async def opened(base_url: str, api_key: str = "") -> AsyncIterator[httpx.AsyncClient]:
    """A client for one server. The key goes with every request, so that it is never made for another one.

    Redirects are not followed, and no proxy of the environment is asked for this machine's own addresses.

    Raises:
        ProbeError: The settings of the environment or the key can't be used.
    """
    if not is_sendable(api_key):
        raise ProbeError(bad_key())
    try:
        client = await asyncio.to_thread(_make, base_url, api_key)
    except (ImportError, ValueError) as error:  # what the environment says about certificates and proxies
        raise ProbeError(str(error)) from error
    async with client:
        yield client


async def get(client: httpx.AsyncClient, path: str, body: Mapping[str, Any] | None = None) -> Any:
    """The JSON a server answers with.

    Args:
        client: From `opened`.
        path: Behind the client's address, or a whole address of the same server.
        body: What is posted; None asks with GET.

    Raises:
        ProbeError: There is no such answer.
    """
    import httpx

    method = "GET" if body is None else "POST"
    try:
        async with client.stream(method, path, json=body) as response:
            if response.status_code != httpx.codes.OK:
                raise ProbeError(f"HTTP {response.status_code}")
            data = bytearray()
            async for piece in response.aiter_bytes():
                data += piece
                if len(data) > _MOST:
                    raise ProbeError(f"> {_MOST} B")
            return json.loads(data)
    except httpx.HTTPError as error:
        raise ProbeError(str(error) or type(error).__name__) from error
    except (ValueError, RecursionError) as error:
        raise ProbeError("≠ JSON") from error


def root_of(base_url: str) -> str:
    """The server's address without the part that its OpenAI-compatible door has."""
    return base_url.rstrip("/").removesuffix("/chat/completions").removesuffix("/v1")


def positive(value: object) -> int | None:
    """The value if it is a count, else None."""
    return value if type(value) is int and value > 0 else None


def _make(base_url: str, api_key: str) -> httpx.AsyncClient:
    import httpx

    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    return httpx.AsyncClient(
        headers=headers,
        timeout=PATIENCE,
        verify=tls_context(),
        trust_env=not is_loopback(base_url),
        follow_redirects=False,
    )
