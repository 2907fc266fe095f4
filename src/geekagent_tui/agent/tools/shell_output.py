"""What a command prints, kept within bounds: the beginning and the end, however much lies between."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Collection

from geekagent_tui.i18n import _

HEAD = 4000
"""Characters kept from the beginning."""
TAIL = 8000
"""Characters kept from the end."""


class Output:
    """Takes bytes as they come and tells the text so far. Secrets are hidden before anything is cut.

    Args:
        mask: Hides secrets.
        secrets: What it hides: what may be the beginning of one is held back until more is known.
    """

    def __init__(self, mask: Callable[[str], str], secrets: Collection[str]) -> None:
        self._mask = mask
        self._secrets = secrets
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._pending = ""
        self._head = ""
        self._tail = ""
        self._length = 0

    def feed(self, data: bytes, *, final: bool = False) -> None:
        """Take what was printed next.

        Args:
            data: The bytes.
            final: There will be no more.
        """
        pending = self._mask(self._pending + self._decoder.decode(data, final))
        cut = len(pending) if final else len(pending) - self._doubtful(pending)
        self._pending = pending[cut:]
        self._add(pending[:cut])

    def text(self) -> str:
        """What is known so far; where something was left out between, it says how long all of it is."""
        left_out = self._length - len(self._head) - len(self._tail)
        if left_out <= 0:
            return self._head + self._tail
        notice = _("...(输出已截断，原共 {n} 字符)").format(n=self._length)
        return f"{self._head}\n{notice}\n{self._tail}"

    def _doubtful(self, text: str) -> int:
        """How many characters at the end may be the beginning of a secret."""
        lengths = (
            length
            for secret in self._secrets
            for length in range(1, len(secret))
            if text.endswith(secret[:length])
        )
        return max(lengths, default=0)

    def _add(self, text: str) -> None:
        self._length += len(text)
        room = HEAD - len(self._head)
        self._head += text[:room]
        self._tail = (self._tail + text[room:])[-TAIL:]
