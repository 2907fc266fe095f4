"""Ollama's silent cut: a request over its context length loses its beginning, and nobody is told.

Its OpenAI-compatible door takes no `num_ctx`, so that only the server's own settings help (ollama#2963).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from geekagent_tui.agent.models.base import Usage
from geekagent_tui.agent.models.probe import PATIENCE, ProbeError, get, opened, positive, root_of
from geekagent_tui.config import Connection
from geekagent_tui.i18n import _

_SUSPICIOUS = 0.6
"""Of our estimate: a server that counts less has cut the request, or counts in another way."""
_LEAST = 1500
"""Tokens by our estimate below which no server cuts anything."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A request that was cut.

    Attributes:
        window: Tokens the server has for a request and its answer.
        advice: What happened and what to do about it, for the user.
    """

    window: int
    advice: str


def looks_cut(estimate: int, usage: Usage) -> bool:
    """Whether a server counted far fewer tokens than the request has."""
    return estimate >= _LEAST and usage.prompt < _SUSPICIOUS * estimate


async def explain(connection: Connection, estimate: int, usage: Usage) -> Cut | None:
    """Why a server counted so little; None when it is no Ollama, or its window was long enough.

    Args:
        connection: The server.
        estimate: Tokens of the request as we count.
        usage: Tokens as the server counts.
    """
    root = root_of(connection.base_url)
    with suppress(ProbeError, TimeoutError):
        async with opened(connection.base_url) as client, asyncio.timeout(PATIENCE):
            await get(client, f"{root}/api/version")
            window = _window(await get(client, f"{root}/api/ps"), connection.model) or usage.prompt
            return _cut(window, estimate, usage)
    return None


def _cut(window: int, estimate: int, usage: Usage) -> Cut | None:
    if window >= estimate:
        return None
    enough = 1 << max(13, (estimate * 2 - 1).bit_length())
    advice = _(
        "Ollama 只读了这次请求的后 {read} 个 token（共约 {estimate} 个），更早的内容被它丢掉了："
        "它的上下文长度是 {window}。请用 OLLAMA_CONTEXT_LENGTH={enough} 重新启动 ollama serve，"
        "或在 Modelfile 里写 PARAMETER num_ctx {enough}；在那之前，对话会按 {window} 来压缩"
    )
    text = advice.format(read=usage.prompt, estimate=estimate, window=window, enough=enough)
    return Cut(window, text)


def _window(running: object, model: str) -> int | None:
    """The context length with which a model was loaded, in the answer of `/api/ps`."""
    models = running.get("models") if isinstance(running, Mapping) else None
    for entry in models if isinstance(models, list) else ():
        if isinstance(entry, Mapping) and _same(entry, model):
            return positive(entry.get("context_length"))
    return None


def _same(entry: Mapping[str, Any], model: str) -> bool:
    names = {entry.get("name"), entry.get("model")}
    return model in names or f"{model}:latest" in names
