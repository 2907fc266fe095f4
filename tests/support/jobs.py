"""Functions for worker processes to run."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from geekagent_tui.rag.errors import EmptyContentError


def double(number: int) -> int:
    return 2 * number


def sleep_for_ever(started: str = "") -> None:
    """Write the process id to the file `started`, then never return."""
    if started:
        Path(started).write_text(str(os.getpid()))
    while True:
        time.sleep(1)


def die() -> None:
    os._exit(7)


def refuse() -> None:
    raise EmptyContentError("内容为空，未入库")


def crash() -> None:
    raise ZeroDivisionError("secret detail")


def eat_memory() -> int:
    return len(bytearray(64 * 1024**3))


def chatter() -> str:
    sys.stdout.write("printed into the pipe?")
    sys.stdout.flush()
    os.write(1, b"written into the pipe?")
    return "answer"


def environment(name: str) -> str:
    return os.environ.get(name, "")


def niceness() -> int:
    return os.nice(0)


def unpicklable() -> object:
    return lambda: None
