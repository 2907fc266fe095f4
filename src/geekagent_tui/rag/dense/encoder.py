"""What turns texts into vectors, whether a package or a server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from geekagent_tui.i18n import _
from geekagent_tui.rag.errors import RagError


class EncoderError(RagError):
    """Vectors can't be made at the moment; the message says why.

    Attributes:
        lasting: Whether trying again is useless until the user has changed something.
    """

    code = "encoder_error"

    def __init__(self, message: str, *, lasting: bool = False) -> None:
        super().__init__(message)
        self.lasting = lasting


LONGEST_QUESTION = 2000
"""Characters of a question that a model gets."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Vectors, one after another.

    Attributes:
        data: Little-endian 32-bit floats; as bytes, because only threads load NumPy.
        width: How many numbers one vector has.
    """

    data: bytes = field(repr=False)
    width: int


class Encoder(Protocol):
    """An embedding model.

    Attributes:
        name: Names what makes its vectors what they are: the same name, comparable vectors.
        weight: How much a vector's similarity counts beside the words' relevance, both from 0 to 1.
        patience: Seconds that a search waits for its question's vector.
        parts: Vectors that one passage gets at most; see `pieces`.
        job: Characters that one call should have at most, so that a question need not wait long.
    """

    @property
    def name(self) -> str: ...  # noqa: D102  # described above

    @property
    def weight(self) -> float: ...  # noqa: D102

    @property
    def patience(self) -> float: ...  # noqa: D102

    @property
    def parts(self) -> int: ...  # noqa: D102

    @property
    def job(self) -> int: ...  # noqa: D102

    async def embed(self, texts: Sequence[str], *, query: bool) -> Rows:
        """A vector for each text.

        Args:
            texts: At least one; none is blank.
            query: Whether they are questions rather than passages.

        Raises:
            EncoderError: It can't be done at the moment.
        """

    async def close(self) -> None:
        """Let go of processes and connections."""


def load_numpy() -> Any:
    """NumPy, which takes a while: in a thread only.

    Raises:
        EncoderError: It is not installed.
    """
    try:
        import numpy
    except ImportError:
        message = _("没有安装 numpy，向量检索没有启用；请运行 pip install 'geekagent-tui[dense]'")
        raise EncoderError(message, lasting=True) from None
    return numpy
