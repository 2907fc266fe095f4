"""Inside a worker process: take a function and its arguments from a pipe, answer with the result."""

from __future__ import annotations

import contextlib
import os
import pickle
import resource
import signal
import struct
import sys
import threading
import time
import traceback
from dataclasses import dataclass
from typing import IO

from geekagent_tui.i18n import set_language
from geekagent_tui.rag.errors import RagError

_HEADER = struct.Struct(">Q")
_NICENESS = 10
_MEMORY = 4 * 1024**3  # address space; a large page needs a tenth of it
_PR_SET_PDEATHSIG = 1  # <linux/prctl.h>
_WATCH_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Failure:
    """A function raised something.

    Attributes:
        error: What it raised when that was a `RagError`, else None.
        out_of_memory: Whether the memory bound was hit.
        details: The traceback, for the log.
    """

    error: RagError | None
    out_of_memory: bool
    details: str


def write_frame(pipe: IO[bytes], data: bytes) -> None:
    """Send one pickled value.

    Raises:
        OSError: The other end is gone.
    """
    pipe.write(_HEADER.pack(len(data)))
    pipe.write(data)
    pipe.flush()


def read_frame(pipe: IO[bytes]) -> bytes:
    """The next pickled value.

    Raises:
        EOFError: The other end is gone.
    """
    header = pipe.read(_HEADER.size)
    if len(header) < _HEADER.size:
        raise EOFError
    (size,) = _HEADER.unpack(header)
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return data


def main(parent: int) -> None:
    """Answer until the pipe closes.

    Args:
        parent: Process id of the program that started this worker; when it dies, so does the worker.
    """
    _become_modest()
    _die_with(parent)
    # Whatever a library prints must not end up between the answers
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    with requests, answers, contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            write_frame(answers, _answer(read_frame(requests)))


def _answer(request: bytes) -> bytes:
    """Run one call; the pickle of its value in a list, or of a `Failure`."""
    try:
        language, function, args = pickle.loads(request)  # noqa: S301  # written by our own parent
        set_language(language)
        return pickle.dumps([function(*args)], pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        failure = Failure(
            error if isinstance(error, RagError) else None,
            isinstance(error, MemoryError),
            traceback.format_exc(),
        )
        return pickle.dumps(failure, pickle.HIGHEST_PROTOCOL)


def _become_modest() -> None:
    """Leave the processor to the user interface, and bound the memory that one bad page can take."""
    with contextlib.suppress(OSError):
        os.nice(_NICENESS)
    for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA):
        with contextlib.suppress(OSError, ValueError):  # macOS knows the names and refuses the values
            _soft, hard = resource.getrlimit(kind)
            bound = _MEMORY if hard == resource.RLIM_INFINITY else min(_MEMORY, hard)
            resource.setrlimit(kind, (bound, hard))


def _die_with(parent: int) -> None:
    """End when the parent does, even in the middle of a call.

    Linux does it at once for us; elsewhere (and if the parent was gone before we asked) a thread looks.
    """
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_WATCH_SECONDS)
    os._exit(1)
