"""The terminal while the application fills it, and after it."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

RESET = (
    "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1016l"  # mouse
    "\x1b[?1004l\x1b[?2004l\x1b[?2048l\x1b[<u"  # focus, bracketed paste, resize reports, Kitty's keys
    "\x1b[?1049l\x1b[?25h\x1b[0m"  # normal screen, cursor, colours
)
"""Undoes everything a full-screen application may have asked a terminal for."""


class _ExtraKey(Enum):
    ALT_ENTER = "alt+enter"


def teach_keys() -> None:
    """Teach Textual's parser (8.2.8) what it gets wrong.

    Alt+Enter as ESC CR loses its Alt, and mouse reports with NaN, which VS Code's terminal sends, are
    typed into the composer.
    """
    from textual._ansi_sequences import ANSI_SEQUENCES_KEYS, IGNORE_SEQUENCE

    sequences: dict[str, object] = ANSI_SEQUENCES_KEYS  # type: ignore[assignment]
    sequences["\x1b\r"] = (_ExtraKey.ALT_ENTER,)
    for button in range(128):
        for end in "mM":
            sequences[f"\x1b[<{button};NaN;NaN{end}"] = IGNORE_SEQUENCE


class _Drawing(io.FileIO):
    """The terminal, written to. One that is gone takes everything: there is nobody to tell.

    Otherwise Textual's writing thread ends with a traceback, and what draws waits for it for ever.
    """

    def write(self, data: ReadableBuffer, /) -> int:
        """Write; lost when the terminal is gone (EIO)."""
        try:
            return super().write(data)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            return memoryview(data).nbytes


@contextlib.contextmanager
def guarded(log: Path) -> Iterator[None]:
    """Keep stray writes to stderr off the screen: they go to the log.

    Textual itself draws through `sys.__stderr__`; that keeps the terminal, under another descriptor. When the
    application ends by an exception the terminal is put back by hand.
    """
    terminal = os.dup(2)
    drawing = io.BufferedWriter(_Drawing(os.dup(terminal), "w"))
    screen = io.TextIOWrapper(drawing, encoding="utf-8", errors="replace", line_buffering=True)
    before = sys.stderr, sys.__stderr__
    sys.stderr, sys.__stderr__ = screen, screen  # type: ignore[misc]
    try:
        with contextlib.suppress(OSError):
            log.parent.mkdir(parents=True, exist_ok=True)
            stray = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
            os.dup2(stray, 2)
            os.close(stray)
        yield
    except BaseException:
        with contextlib.suppress(OSError):
            os.write(terminal, RESET.encode())
        raise
    finally:
        os.dup2(terminal, 2)
        os.close(terminal)
        sys.stderr, sys.__stderr__ = before  # type: ignore[misc]
        screen.close()
