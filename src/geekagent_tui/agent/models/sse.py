"""Server-sent events, as forgiving as real servers need it."""

from __future__ import annotations

from collections.abc import Iterator

LIMIT = 8 << 20
"""Bytes of one event, or of an answer that has no events, at most."""


class EventTooLongError(Exception):
    """A server sent an event beyond all measure."""


class EventDecoder:
    """Bytes in any pieces → the data of events.

    Lines end with CR, LF or both and nothing else: the Unicode separators that `str.splitlines` knows stand
    inside JSON strings.

    Attributes:
        stray: The bytes that are no fields of events: a whole answer sent as plain JSON, or a web page.
    """

    def __init__(self) -> None:
        self.stray = bytearray()
        self._line = bytearray()
        self._data: list[bytes] = []
        self._held = 0
        self._after_cr = False

    def feed(self, piece: bytes) -> Iterator[str]:
        """The data of the events that end in this piece.

        Raises:
            EventTooLongError: An event, or what is none, is over `LIMIT`.
        """
        if not piece:
            return
        rest_of_end = self._after_cr and piece.startswith(b"\n")
        self._after_cr = piece.endswith(b"\r")
        piece = piece[1:] if rest_of_end else piece
        first, *others = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._line += first
        for rest in others:
            line = bytes(self._line)
            self._line[:] = rest
            yield from self._read(line)
        if len(self._line) + self._held + len(self.stray) > LIMIT:
            raise EventTooLongError

    def close(self) -> Iterator[str]:
        """The data of the last event, when the server did not end it with an empty line."""
        line = bytes(self._line)
        self._line.clear()
        yield from self._read(line)
        yield from self._read(b"")

    def _read(self, line: bytes) -> Iterator[str]:
        name, colon, value = line.partition(b":")
        if not line:
            if self._data:
                yield b"\n".join(self._data).decode("utf-8", "replace")
                self._data.clear()
                self._held = 0
        elif name == b"data" and colon:
            self._data.append(value.removeprefix(b" "))
            self._held += len(line) + 1
        elif name not in (b"", b"event", b"id", b"retry"):  # a line that begins with ":" is a comment
            self.stray += line + b"\n"
