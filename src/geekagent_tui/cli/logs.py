"""The log file: every traceback that the user was spared."""

from __future__ import annotations

import contextlib
import logging
import os
from io import TextIOWrapper

from geekagent_tui.files import private_folder
from geekagent_tui.paths import log_file
from geekagent_tui.sanitize import clean

_LIMIT = 1_000_000
"""Bytes above which the next start begins a new file and keeps this one as the last."""


class _Formatter(logging.Formatter):
    """Makes foreign text in a record harmless, and keeps it from looking like a record of its own."""

    def format(self, record: logging.LogRecord) -> str:
        return clean(super().format(record)).replace("\n", "\n    ")


class _LogFile(logging.FileHandler):
    """A log that only its owner reads; one that can't be written keeps nobody from working."""

    def _open(self) -> TextIOWrapper:
        return TextIOWrapper(
            os.fdopen(_private(self.baseFilename), "ab"), encoding=self.encoding, errors=self.errors
        )

    def emit(self, record: logging.LogRecord) -> None:
        with contextlib.suppress(OSError):
            super().emit(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  # the base class's name
        """Say nothing: the screen belongs to others."""


def _private(path: str) -> int:
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    with contextlib.suppress(OSError):  # an older file, of whatever mode
        os.fchmod(descriptor, 0o600)
    return descriptor


def start_logging() -> None:
    """Send this program's log records to the log file, and none to the terminal.

    Without a writable folder there is no log; that must not keep anyone from working.
    """
    root = logging.getLogger()
    path = log_file()
    try:
        private_folder(path.parent)
        if path.exists() and path.stat().st_size > _LIMIT:
            path.replace(path.with_suffix(".log.1"))
        # Not `logging.handlers`: importing it would cost a twentieth of the time to the first frame.
        handler: logging.Handler = _LogFile(path, encoding="utf-8", errors="backslashreplace", delay=True)
    except OSError:
        handler = logging.NullHandler()
    handler.setFormatter(_Formatter("%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"))
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
