"""Decompressing a response body in small steps.

So a bomb can neither fill the memory nor hold up the event loop.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from geekagent_tui.i18n import _
from geekagent_tui.rag.errors import SourceError
from geekagent_tui.rag.failures import failed

ACCEPTED = "gzip, deflate"
"""What to ask servers for in `Accept-Encoding`."""
_STEP = 256 * 1024  # bytes out at a time: about a millisecond
_GZIP, _ZLIB, _BARE = 31, 15, -15  # zlib's window bits for the three wrappings


class Inflater:
    """Decompresses one body.

    Args:
        encoding: The header `Content-Encoding`.

    Raises:
        SourceError: An encoding that was not asked for.
    """

    def __init__(self, encoding: str) -> None:
        encoding = encoding.strip().lower()
        if encoding not in {"", "identity", "gzip", "x-gzip", "deflate"}:
            raise failed(_("服务器用了不支持的压缩方式：{encoding}").format(encoding=encoding[:40]))
        self._bits = {"deflate": _ZLIB}.get(encoding, _GZIP)
        self._stream = None if encoding in {"", "identity"} else zlib.decompressobj(self._bits)
        self._started = False

    @property
    def plain(self) -> bool:
        """Whether the body is not compressed, so that its length is known beforehand."""
        return self._stream is None

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The next pieces of the body, at most `_STEP` bytes each.

        Raises:
            SourceError: The data are damaged.
        """
        if self._stream is None:
            yield data
            return
        try:
            yield from self._inflate(data)
        except zlib.error:
            raise _damaged() from None

    def finish(self) -> None:
        """Check that the body was whole.

        Raises:
            SourceError: It was cut short.
        """
        if self._stream is not None and self._started and not self._stream.eof:
            raise _damaged()

    def _inflate(self, data: bytes) -> Iterator[bytes]:
        if not self._started and self._bits == _ZLIB and data[:1] and data[0] & 0x0F != zlib.DEFLATED:
            self._stream = zlib.decompressobj(_BARE)  # some servers send "deflate" without its header
        while data:
            assert self._stream is not None
            if self._stream.eof:
                if self._bits != _GZIP or not data.startswith(b"\x1f\x8b"):
                    return  # padding after the end
                self._stream = zlib.decompressobj(_GZIP)  # gzip members may follow one another
            self._started = True
            yield self._stream.decompress(data, _STEP)
            data = self._stream.unconsumed_tail or self._stream.unused_data


def _damaged() -> SourceError:
    return failed(_("收到的内容不完整或已损坏，可稍后重试"))
