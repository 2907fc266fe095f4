"""An embedding model behind an OpenAI-compatible `/embeddings`."""

from __future__ import annotations

import asyncio
import base64
import binascii
import math
import re
from array import array
from collections.abc import Sequence
from typing import Any

from geekagent_tui.config import Embeddings
from geekagent_tui.i18n import _
from geekagent_tui.rag.dense.encoder import EncoderError, Rows
from geekagent_tui.rag.dense.post import Poster

_TEXTS = 32
"""Most texts of one request: what small servers accept."""
_LONGEST = 8000
"""Characters of one text that are sent."""
_WIDEST = 8192

# https://huggingface.co/intfloat/multilingual-e5-small#faq and https://docs.nomic.ai: what the models were
# trained with
_PREFIXES = (
    (re.compile(r"(?:^|[^a-z0-9])e5(?![a-z0-9])(?!.*instruct)", re.IGNORECASE), "query: ", "passage: "),
    (re.compile(r"nomic-embed", re.IGNORECASE), "search_query: ", "search_document: "),
)


class ServerEncoder:
    """See `Encoder`."""

    weight = 0.8
    patience = 2.0
    parts = 1  # such vectors are wide, and their models made for long texts
    job = 12_000

    def __init__(self, settings: Embeddings) -> None:
        self._settings = settings
        self.name = settings.model + (f"@{settings.dimensions}" if settings.dimensions else "")
        self._poster = Poster(settings.base_url, "embeddings", settings.api_key)
        self._query, self._passage = next(
            ((query, passage) for name, query, passage in _PREFIXES if name.search(settings.model)), ("", "")
        )

    async def embed(self, texts: Sequence[str], *, query: bool) -> Rows:
        """See `Encoder.embed`."""
        prefix = self._query if query else self._passage
        found: list[Rows] = []
        for at in range(0, len(texts), _TEXTS):
            batch = [prefix + text[:_LONGEST] for text in texts[at : at + _TEXTS]]
            body: dict[str, Any] = {"model": self._settings.model, "input": batch}
            if self._settings.dimensions:
                body["dimensions"] = self._settings.dimensions
            answer = await self._poster.post(body, patient=not query)
            found.append(await asyncio.to_thread(self._rows, answer, len(batch)))
        if len({rows.width for rows in found}) != 1:
            raise EncoderError(_("向量服务的回答长短不一"))
        return Rows(b"".join(rows.data for rows in found), found[0].width)

    async def close(self) -> None:
        """Close the connections."""
        await self._poster.close()

    def _rows(self, answer: Any, count: int) -> Rows:
        entries = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise EncoderError(_("向量服务的回答里没有 data，请检查 base_url"))
        if len(entries) != count:
            message = _("向量服务给了 {found} 个向量，要的是 {wanted} 个")
            raise EncoderError(message.format(found=len(entries), wanted=count))
        ordered: list[array[float] | None] = [None] * count
        for place, entry in enumerate(entries):
            index = entry.get("index", place)
            if type(index) is not int or not 0 <= index < count or ordered[index] is not None:
                raise EncoderError(_("向量服务的回答里序号不对"))
            ordered[index] = _vector(entry.get("embedding"))
        vectors = [vector for vector in ordered if vector is not None]
        width = self._settings.dimensions or len(vectors[0])
        if any(len(vector) != width for vector in vectors):
            wrong = next(len(vector) for vector in vectors if len(vector) != width)
            message = _("向量服务给了 {found} 维的向量，要的是 {wanted} 维，请检查 dimensions")
            raise EncoderError(message.format(found=wrong, wanted=width))
        return Rows(b"".join(vector.tobytes() for vector in vectors), width)


def _vector(given: object) -> array[float]:
    """One vector, which may come in base64; refused unless it is made of numbers and has a direction."""
    try:
        if isinstance(given, str):
            vector = array("f", base64.b64decode(given, validate=True))
        elif isinstance(given, list):
            vector = array("f", given)
        else:
            raise EncoderError(_("向量服务的回答里没有向量"))
    except (TypeError, ValueError, OverflowError, binascii.Error):
        raise EncoderError(_("向量服务的回答里有不是数的值")) from None
    length = math.fsum(value * value for value in vector)
    if not 0 < len(vector) <= _WIDEST or not math.isfinite(length) or length <= 0:
        raise EncoderError(_("向量服务的回答里有不可用的向量"))
    return vector
