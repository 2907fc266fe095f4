"""Fetching one web page, within bounds of time, size, type and place."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Self
from urllib.parse import urljoin

from geekagent_tui import __version__
from geekagent_tui.i18n import _
from geekagent_tui.network_context import tls_context
from geekagent_tui.rag import limits
from geekagent_tui.rag.addresses import host_of, normalise
from geekagent_tui.rag.errors import GoneError, SourceError, UnmodifiedError
from geekagent_tui.rag.failures import failed, too_many_bytes
from geekagent_tui.rag.inflate import ACCEPTED, Inflater
from geekagent_tui.rag.media import parse_content_type, refuse_binary, refuse_type
from geekagent_tui.rag.model import SourceKind
from geekagent_tui.rag.network import Zone, is_proxied, zone_of, zone_of_url
from geekagent_tui.rag.raw import Raw, Validators
from geekagent_tui.rag.reading import read_file
from geekagent_tui.rag.sniff import HEAD
from geekagent_tui.rag.trouble import in_plain_words
from geekagent_tui.sanitize import clean_line

if TYPE_CHECKING:
    import httpx

__all__ = ["Fetcher", "Leash", "Raw", "read_file"]

OnBytes = Callable[[int, int | None], None]
"""Called with the bytes received so far and the bytes expected, None when the server did not tell."""

_HEADERS = {
    "User-Agent": f"Mozilla/5.0 (compatible; GeekAgent-TUI/{__version__})",
    "Accept": "text/html,application/xhtml+xml,text/markdown,text/plain;q=0.9,*/*;q=0.5",
    "Accept-Language": "zh-CN,zh;q=0.9,en;q=0.8",
    "Accept-Encoding": ACCEPTED,
}
_PHRASE = 80  # most characters of a server's own words
_STANDARD_PHRASES = {
    status.value: status.phrase for status in HTTPStatus
}  # HTTP/2 and some servers send none
_UNKNOWN = Validators()
_GONE = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.GONE})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


Before = Callable[[str, Zone | None], Awaitable[None]]
"""Awaited with each address before it is requested, and the closest zone it may lead to; None means any."""


@dataclass(frozen=True, slots=True)
class Leash:
    """What one fetch has to keep to beside its address.

    Attributes:
        closest: The closest zone that any of its addresses may lead to; None leaves the first one free.
        before: Refuses an address by raising a SourceError, or delays it.
        packed: Whether a gzip file is welcome.
        known: The version that is there already, so that the same one is not sent again.
    """

    closest: Zone | None = None
    before: Before | None = None
    packed: bool = False
    known: Validators = _UNKNOWN


_FREE = Leash()


class Fetcher:
    """An HTTP client that is made when first needed; use it as an asynchronous context manager.

    Args:
        silence: Seconds without a connection or data before a server is given up.
        total: Seconds that one fetch may take in all.
    """

    def __init__(self, *, silence: float = limits.SILENCE, total: float = limits.TOTAL) -> None:
        self._silence = silence
        self._total = total
        self._client: httpx.AsyncClient | None = None
        self._making = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close every connection."""
        if self._client is not None:
            await self._client.aclose()

    async def fetch(self, url: str, on_bytes: OnBytes | None = None, *, leash: Leash = _FREE) -> Raw:
        """Get one page.

        Args:
            url: A normalised http or https address.
            on_bytes: Told about progress, on the event loop.
            leash: What else it has to keep to.

        Raises:
            UnmodifiedError: The page is still that version.
            GoneError: There is no such page any more.
            SourceError: The whole sentence to show: `抓取失败：HTTP S TEXT` or `采集失败：…`.
        """
        try:
            async with asyncio.timeout(self._total):
                client = await self._made()
                return await self._follow(client, url, on_bytes, leash)
        except TimeoutError:
            raise failed(_("抓取超时（{n:g}s），可稍后重试").format(n=self._total)) from None
        except Exception as error:
            if isinstance(error, SourceError):
                raise
            raise failed(in_plain_words(error, url, self._silence)) from error

    async def _made(self) -> httpx.AsyncClient:
        async with self._making:
            if self._client is None:
                # Reading the certificates takes tens of milliseconds
                self._client = await asyncio.to_thread(_new_client, self._silence)
            return self._client

    async def _follow(
        self, client: httpx.AsyncClient, url: str, on_bytes: OnBytes | None, leash: Leash
    ) -> Raw:
        closest = leash.closest  # None: the user agreed to the first address, wherever it leads
        for _hop in range(limits.REDIRECTS + 1):
            if closest is not None and await zone_of_url(url) > closest:
                raise _leads_inside(url)
            if leash.before is not None:
                await leash.before(url, closest)
            asked = leash.known.headers(url)
            async with client.stream("GET", url, headers=asked) as response:
                zone = await _zone(response, url)
                if closest is not None and zone > closest:
                    raise _leads_inside(url)
                if response.status_code not in _REDIRECTS or "location" not in response.headers:
                    if asked and response.status_code == HTTPStatus.NOT_MODIFIED:
                        raise UnmodifiedError(_("没有变化"))
                    raw = await _read(response, url, on_bytes, packed=leash.packed)
                    return replace(raw, zone=zone)
                url = _target(response, url)
            closest = zone
        raise failed(_("重定向超过 {n} 次").format(n=limits.REDIRECTS))


def _new_client(silence: float) -> httpx.AsyncClient:
    from http.cookiejar import CookieJar, DefaultCookiePolicy

    import httpx

    no_cookies = CookieJar(DefaultCookiePolicy(allowed_domains=[]))  # one page must not recognise the next
    return httpx.AsyncClient(
        headers=_HEADERS, cookies=no_cookies, timeout=silence, follow_redirects=False, verify=tls_context()
    )


async def _zone(response: httpx.Response, url: str) -> Zone:
    """Where the answer really came from: a name may lead elsewhere a moment after it was looked up."""
    stream = response.extensions.get("network_stream")
    address = None if stream is None or is_proxied(url) else stream.get_extra_info("server_addr")
    return zone_of(str(address[0])) if address else await zone_of_url(url)


def _target(response: httpx.Response, url: str) -> str:
    location = clean_line(response.headers["location"])
    try:
        return normalise(urljoin(url, location))
    except ValueError:
        reason = _("URL 不合法：{url}").format(url=location)
    except SourceError as error:
        reason = error.message
    raise failed(_("被重定向到不能采集的地址（{reason}）").format(reason=reason))


def _leads_inside(url: str) -> SourceError:
    return failed(
        _("外部网页重定向到了本机或内网地址 {host}，已拒绝；确需采集请直接添加该地址").format(
            host=host_of(url)
        )
    )


async def _read(response: httpx.Response, url: str, on_bytes: OnBytes | None, *, packed: bool) -> Raw:
    if not response.is_success:
        raise _http_error(response)
    media, charset = parse_content_type(response.headers.get("content-type", ""))
    if not packed:
        refuse_type(media, url)
    return Raw(
        data=await _body(response, on_bytes, packed=packed),
        kind=SourceKind.URL,
        name=url,
        content_type=media,
        charset=charset,
        etag=response.headers.get("etag", ""),
        last_modified=response.headers.get("last-modified", ""),
        final_url=url,
    )


def _http_error(response: httpx.Response) -> SourceError:
    status = response.status_code
    text = clean_line(response.reason_phrase)[:_PHRASE] or _STANDARD_PHRASES.get(status, "")
    kind = GoneError if status in _GONE else SourceError
    error = kind(_("抓取失败：HTTP {status} {text}").format(status=status, text=text).rstrip())
    error.status = status
    return error


async def _body(response: httpx.Response, on_bytes: OnBytes | None, *, packed: bool) -> bytes:
    inflater = Inflater(response.headers.get("content-encoding", ""))
    length = response.headers.get("content-length", "")
    expected = int(length) if length.isdecimal() and inflater.plain else None
    if expected is not None and expected > limits.BYTES:
        raise too_many_bytes()
    pieces: list[bytes] = []
    received = 0
    async for chunk in response.aiter_raw():
        for piece in inflater.feed(chunk):
            if received < HEAD and not packed:
                refuse_binary(b"".join((*pieces, piece))[:HEAD])
            pieces.append(piece)
            received += len(piece)
            if received > limits.BYTES:
                raise too_many_bytes()
            if on_bytes is not None:
                on_bytes(received, expected)
            await asyncio.sleep(0)  # other tasks get their turn between two pieces
    inflater.finish()
    return await asyncio.to_thread(b"".join, pieces)
