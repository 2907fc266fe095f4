"""Which models there are: on the servers of the settings, and on this machine.

Nothing is asked before the user wants to know, and everything at once. Only addresses of this machine are
tried besides the configured ones, without any key.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from geekagent_tui.agent.events import ModelChoice
from geekagent_tui.agent.models.probe import PATIENCE, ProbeError, get, opened, positive, root_of
from geekagent_tui.config import Connection
from geekagent_tui.i18n import _

if TYPE_CHECKING:
    import httpx

_MOST = 500
"""Models of one server that are listed."""
_NAME_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Local:
    """A kind of server that people run on their own machine.

    Attributes:
        kind: Its name for the user.
        port: Where it listens unless told otherwise.
    """

    kind: str
    port: int

    @property
    def base_url(self) -> str:
        """Its OpenAI-compatible door."""
        return f"http://127.0.0.1:{self.port}/v1"


LOCALS = (
    Local("Ollama", 11434),
    Local("LM Studio", 1234),
    Local("llama.cpp", 8080),
    Local("vLLM", 8000),
)


@dataclass(frozen=True, slots=True)
class _Found:
    name: str
    window: int | None = None
    running: bool | None = None


async def discover(
    connections: Sequence[Connection], locals_: Sequence[Local] = LOCALS
) -> tuple[ModelChoice, ...]:
    """Ask all servers at once, within `probe.PATIENCE`.

    A configured server that does not answer is told, with its configured model still to be chosen; one of
    this machine that is not there is not.
    """
    known = {root_of(connection.base_url) for connection in connections}
    nearby = [local for local in locals_ if root_of(local.base_url) not in known]
    asked = [_configured(connection) for connection in connections] + [_local(local) for local in nearby]
    answers = await asyncio.gather(*asked)
    return tuple(choice for answer in answers for choice in answer)


async def _configured(connection: Connection) -> list[ModelChoice]:
    server = connection.profile or connection.place
    own = ModelChoice(
        connection.model, server, connection.base_url, connection.profile, connection.context_window
    )
    try:
        found = await _ask(connection.base_url, connection.api_key)
    except ProbeError as error:
        problem = _("问不到这个服务有哪些模型（{reason}）").format(reason=error)
        return [replace(own, problem=problem)]
    choices = [
        ModelChoice(
            model.name,
            server,
            connection.base_url,
            connection.profile,
            model.window or (connection.context_window if model.name == connection.model else None),
            model.running,
        )
        for model in found
    ]
    return choices if any(model.name == connection.model for model in found) else [own, *choices]


async def _local(local: Local) -> list[ModelChoice]:
    try:
        found = await _ask(local.base_url)
    except ProbeError:
        return []
    return [
        ModelChoice(model.name, local.kind, local.base_url, "", model.window, model.running)
        for model in found
    ]


async def _ask(base_url: str, api_key: str = "") -> list[_Found]:
    """The models of a server, whatever kind it is.

    Raises:
        ProbeError: It is none, or too slow.
    """
    try:
        async with opened(base_url, api_key) as client, asyncio.timeout(PATIENCE):
            listed = _listed(await get(client, f"{base_url.rstrip('/')}/models"))
            more = {model.name: model async for model in _told_more(client, root_of(base_url), listed)}
    except TimeoutError as error:
        raise ProbeError(_("{n:g} 秒内没有回应").format(n=PATIENCE)) from error
    return [more.get(model.name, model) for model in listed]


async def _told_more(client: httpx.AsyncClient, root: str, listed: Sequence[_Found]) -> AsyncIterator[_Found]:
    """What the kinds of servers tell in ways of their own; the first that knows this server's models."""
    for ask in (_ollama, _lm_studio, _llama_cpp):
        try:
            found = await ask(client, root, listed)
        except ProbeError:
            continue
        for model in found:
            yield model
        return


async def _ollama(client: httpx.AsyncClient, root: str, listed: Sequence[_Found]) -> list[_Found]:
    """`/api/ps`: the loaded models, with the context length they were loaded with."""
    await get(client, f"{root}/api/version")
    loaded = {
        str(entry.get("name")): positive(entry.get("context_length"))
        for entry in _entries(await get(client, f"{root}/api/ps"), "models")
    }
    return [_Found(model.name, loaded.get(model.name), model.name in loaded) for model in listed]


async def _lm_studio(client: httpx.AsyncClient, root: str, listed: Sequence[_Found]) -> list[_Found]:
    """`/api/v0/models`: state and context length; embedding models can't chat."""
    return [
        _Found(
            str(entry.get("id")),
            positive(entry.get("loaded_context_length")) or positive(entry.get("max_context_length")),
            entry.get("state") == "loaded",
        )
        for entry in _entries(await get(client, f"{root}/api/v0/models"), "data")
    ]


async def _llama_cpp(client: httpx.AsyncClient, root: str, listed: Sequence[_Found]) -> list[_Found]:
    """`/props`: the context length of the one model that is loaded."""
    props = await get(client, f"{root}/props")
    settings = props.get("default_generation_settings") if isinstance(props, Mapping) else None
    window = positive(settings.get("n_ctx")) if isinstance(settings, Mapping) else None
    return [_Found(model.name, window or model.window, True) for model in listed]


def _listed(answer: object) -> list[_Found]:
    """The models in the answer of `/v1/models`; vLLM and OpenRouter tell the window there."""
    found = {}
    for entry in _entries(answer, "data"):
        name = entry.get("id")
        if isinstance(name, str) and 0 < len(name) <= _NAME_LENGTH:
            window = positive(entry.get("max_model_len")) or positive(entry.get("context_length"))
            found[name] = _Found(name, window)
    if not found and not isinstance(answer, Mapping):
        raise ProbeError("≠ /v1/models")
    return list(found.values())[:_MOST]


def _entries(answer: object, name: str) -> Iterable[Mapping[str, Any]]:
    entries = answer.get(name) if isinstance(answer, Mapping) else None
    return [entry for entry in entries if isinstance(entry, Mapping)] if isinstance(entries, list) else []
