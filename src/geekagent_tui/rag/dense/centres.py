"""Where a model puts each script's statements and questions; see `probes`."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from geekagent_tui.i18n import _
from geekagent_tui.rag.dense.encoder import Encoder, EncoderError, Rows, load_numpy
from geekagent_tui.rag.dense.probes import QUESTIONS, STATEMENTS, script_of

VERSION = 2
"""Grows when the probes, the pieces or the arithmetic change: then vectors are made again."""

_Key = tuple[str, bool]


def stored_name(encoder: Encoder) -> str:
    """What this program's vectors of a model are stored under."""
    return f"{encoder.name}#{VERSION}"


@dataclass(frozen=True, slots=True)
class Centres:
    """The mean vectors of a model, by script and by whether they are of questions.

    Attributes:
        width: How many numbers a vector has.
        means: Little-endian 32-bit floats.
    """

    width: int
    means: Mapping[_Key, bytes]

    @classmethod
    async def measured(cls, encoder: Encoder) -> Self:
        """Ask a model.

        Raises:
            EncoderError: It can't be asked.
        """
        await asyncio.to_thread(load_numpy)
        width, means = 0, {}
        for query, probes in ((False, STATEMENTS), (True, QUESTIONS)):
            texts = [text for sentences in probes.values() for text in sentences]
            rows = await encoder.embed(texts, query=query)
            width, at = rows.width, 0
            for script, sentences in probes.items():
                size = len(sentences) * width * 4
                part = Rows(rows.data[at : at + size], width)
                means[script, query] = await asyncio.to_thread(_mean, part)
                at += size
        return cls(width, means)

    @classmethod
    def loads(cls, text: str) -> Self:
        """What `dumps` wrote.

        Raises:
            ValueError: It is something else.
        """
        try:
            width, given = json.loads(text)
            means = {
                (name.removesuffix("?"), name.endswith("?")): base64.b64decode(mean)
                for name, mean in given.items()
            }
            whole = type(width) is int and all(len(mean) == 4 * width > 0 for mean in means.values())
        except (TypeError, AttributeError) as error:
            raise ValueError("no centres") from error
        if not whole or means.keys() != {(script, query) for script in STATEMENTS for query in (False, True)}:
            raise ValueError("no centres")
        return cls(width, means)

    def dumps(self) -> str:
        """As text, for the database."""
        means = {
            script + "?" * query: base64.b64encode(mean).decode()
            for (script, query), mean in self.means.items()
        }
        return json.dumps([self.width, means])

    def centred(self, rows: Rows, texts: Sequence[str], *, query: bool) -> Any:
        """A model's vectors of some texts as unit vectors around their script's mean; loads NumPy.

        Raises:
            EncoderError: The model's vectors have another width by now.
        """
        np = load_numpy()

        if rows.width != self.width:
            message = _("向量模型的维数变了（{old} → {new}），请检查设置")
            raise EncoderError(message.format(old=self.width, new=rows.width))
        vectors = _unit(np.frombuffer(rows.data, "<f4").reshape(-1, rows.width))
        means = np.stack([np.frombuffer(self.means[script_of(text), query], "<f4") for text in texts])
        return _unit(vectors - means)


def _mean(rows: Rows) -> bytes:
    np = load_numpy()

    mean = _unit(np.frombuffer(rows.data, "<f4").reshape(-1, rows.width)).mean(axis=0)
    return bytes(mean.astype("<f4").tobytes())


def _unit(vectors: Any) -> Any:
    np = load_numpy()

    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
