"""The `openai` client library, kept at arm's length: slow to import, and it reads more settings than ours."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from typing import TYPE_CHECKING, Any

from geekagent_tui.agent.models.assembly import error_text
from geekagent_tui.agent.models.base import ModelError, TooLongError, TransientError
from geekagent_tui.agent.models.retry import is_transient, wanted_wait
from geekagent_tui.agent.models.trouble import (
    CONNECT_SECONDS,
    SILENCE_SECONDS,
    Trouble,
    bad_key,
    is_lasting,
    is_sendable,
    too_long,
    window_in,
)
from geekagent_tui.config import Connection
from geekagent_tui.network_context import CertificateSettingsError, is_loopback, tls_context

if TYPE_CHECKING:
    import openai

_OPTIONAL = ("stream_options", "reasoning_content")
"""Fields that some servers refuse; they are left out from then on."""
_TRANSPORTS = frozenset({"httpx", "httpx2", "httpcore", "httpcore2"})
"""Whose errors pass through the library as they are; its version 3 changed to another one."""
_PATH = "/chat/completions"


class Client:
    """Requests to one server. It is opened at the first one, in a thread: imports take half a second."""

    def __init__(self, connection: Connection, trouble: Trouble) -> None:
        self._connection = connection
        self._trouble = trouble
        self._opening = asyncio.Lock()
        self._library: openai.AsyncOpenAI | None = None
        self._refused: set[str] = set()

    @asynccontextmanager
    async def answer(self, body: Mapping[str, Any]) -> AsyncIterator[AsyncIterator[bytes]]:
        """Send a request; gives the bytes of its answer as they arrive. Leaving the context ends the request.

        Raises:
            ModelError: The server can't be reached, does not take the request, or stops in its answer.
        """
        async with AsyncExitStack() as stack:
            response = await self._respond(stack, body)
            yield await stack.enter_async_context(aclosing(self._pieces(response)))

    async def close(self) -> None:
        """Let go of the connections; safe to call twice."""
        library, self._library = self._library, None
        if library is not None:
            await library.close()

    async def _open(self) -> openai.AsyncOpenAI:
        key = self._connection.api_key
        if not is_sendable(key):
            raise ModelError(bad_key())
        async with self._opening:
            if self._library is None:
                try:
                    self._library = await asyncio.to_thread(_make, self._connection)
                except CertificateSettingsError as error:
                    raise ModelError(str(error)) from error
                except (ImportError, ValueError) as error:  # the proxy's address, or what it needs
                    raise ModelError(self._trouble.network(error, begun=False)) from error
            return self._library

    async def _respond(self, stack: AsyncExitStack, body: Mapping[str, Any]) -> Any:
        """The first answer with status 200, its body unread; `stack` ends it."""
        library = await self._open()
        import openai

        create = library.chat.completions.with_streaming_response.create
        headers = _headers(self._connection)
        stale = False
        while True:
            try:
                fields = _without(body, self._refused)
                # As `extra_body`: the library walks through typed messages, 20 ms for a long history.
                call = create(model="", messages=[], stream=True, extra_body=fields, extra_headers=headers)
                return await stack.enter_async_context(call)
            except openai.APIStatusError as error:
                if not self._can_do_without(error, fields):
                    raise self._refusal(error) from error
            except openai.APIConnectionError as error:
                if stale or not _was_stale(error):
                    raise self._unreached(error) from error
                stale = True

    def _refusal(self, error: openai.APIStatusError) -> ModelError:
        """What an HTTP status of 400 or more means."""
        said = error_text(error.body) or error.message
        whole = f"{said}\n{error.body}"  # some tell a code beside their words, or the window's length
        if too_long(error.status_code, whole):
            return TooLongError(self._trouble.overflow(said), window_in(whole))
        words = self._trouble.status(error.status_code, said)
        if is_transient(error.status_code) and error.code != "insufficient_quota":
            return TransientError(words, wanted_wait(error.response.headers))
        return ModelError(words)

    def _unreached(self, error: Exception) -> ModelError:
        """What a connection that failed means: not every failure is worth another try."""
        words = self._trouble.network(error, begun=False)
        return ModelError(words) if is_lasting(error) else TransientError(words)

    async def _pieces(self, response: Any) -> AsyncGenerator[bytes, None]:
        try:
            async with aclosing(response.iter_bytes()) as pieces:
                async for piece in pieces:
                    yield piece
        except Exception as error:
            if not _is_network(error):
                raise
            words = self._trouble.network(error, begun=True)
            raise (ModelError(words) if is_lasting(error) else TransientError(words)) from error

    def _can_do_without(self, error: openai.APIStatusError, fields: Mapping[str, Any]) -> bool:
        """Whether the server only refuses a field that may as well be left out."""
        if error.status_code not in (400, 422):
            return False
        said = str(error.body) + error.message
        unknown = {name for name in _OPTIONAL if name in said} - self._refused
        if "include_usage" in said:
            unknown.add("stream_options")
        self._refused |= unknown
        return _without(fields, unknown) != fields


def _make(connection: Connection) -> openai.AsyncOpenAI:
    """Blocks: imports the library and reads the certificates."""
    import openai

    library = openai.AsyncOpenAI(
        base_url=connection.base_url.rstrip("/").removesuffix(_PATH),
        api_key=connection.api_key or "none",  # it wants one; `_headers` decides what is sent
        timeout=openai.Timeout(SILENCE_SECONDS, connect=CONNECT_SECONDS),
        max_retries=0,  # `retry` decides
        http_client=openai.DefaultAsyncHttpxClient(
            verify=tls_context(),
            trust_env=not is_loopback(connection.base_url),
            follow_redirects=False,  # the conversation is for this server and no other
        ),
    )
    _ = library.chat.completions  # imported lazily
    return library


def _headers(connection: Connection) -> dict[str, Any]:
    """The headers that matter for who gets what.

    The library also sends an organisation, a project and whatever `OPENAI_CUSTOM_HEADERS` says, keys
    included, to any server. Those belong to the environment's own server and are none of our settings.
    """
    import openai

    custom = os.environ.get("OPENAI_CUSTOM_HEADERS", "").split("\n")
    names = ["OpenAI-Organization", "OpenAI-Project", *(line.partition(":")[0].strip() for line in custom)]
    headers: dict[str, Any] = {name: openai.Omit() for name in names if name}
    headers.pop("Authorization", None)
    key = connection.api_key
    return {**headers, "Authorization": f"Bearer {key}" if key else openai.Omit()}


def _without(fields: Mapping[str, Any], refused: set[str]) -> dict[str, Any]:
    """The fields of a request, and of its messages, but for those that were refused."""
    if not refused:
        return dict(fields)
    kept = {name: value for name, value in fields.items() if name not in refused}
    kept["messages"] = [
        {name: value for name, value in message.items() if name not in refused}
        for message in fields["messages"]
    ]
    return kept


def _was_stale(error: BaseException) -> bool:
    """Whether a kept connection turned out to be closed when it was used again."""
    return type(error.__cause__).__name__ in {"RemoteProtocolError", "ReadError", "WriteError"}


def _is_network(error: Exception) -> bool:
    modules = {kind.__module__.partition(".")[0] for kind in type(error).__mro__}
    return isinstance(error, OSError) or not modules.isdisjoint(_TRANSPORTS)
