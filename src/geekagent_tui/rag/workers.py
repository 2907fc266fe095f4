"""Worker processes for hostile or heavy work: parsing pages, analysing text.

Plain subprocesses with pickles on their pipes rather than `multiprocessing`: they inherit nothing but their
pipes (no store handle, no lock), and the program's main module is never run again in them.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import pickle
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar, cast

from geekagent_tui.i18n import _, language
from geekagent_tui.rag.failures import failed
from geekagent_tui.rag.worker import Failure, read_frame, write_frame

_T = TypeVar("_T")
_log = logging.getLogger(__name__)

_START = """
import json, sys
path, parent = json.loads(sys.argv[1])
sys.path[:] = path
from geekagent_tui.rag.worker import main
main(parent)
"""
_SECRET = re.compile("KEY|TOKEN|SECRET|PASSWORD", re.IGNORECASE)


class Workers:
    """A few processes that run one function at a time each, started when first needed.

    Args:
        count: How many; by default one fewer than the machine has cores, at least one.
        idle: Seconds without a call after which all of them end, to give their memory back.
    """

    def __init__(self, count: int | None = None, *, idle: float = 60.0) -> None:
        count = count or max(1, (os.cpu_count() or 2) - 1)
        self._idle: list[_Worker] = []
        self._busy: set[_Worker] = set()
        self._free = asyncio.Semaphore(count)
        # Linux ends a child with the thread that started it, so these threads must live as long as we do
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="rag-workers")
        self._idle_seconds = idle
        self._retirement: asyncio.TimerHandle | None = None
        self._closed = False

    async def run(self, function: Callable[..., _T], *args: object, timeout: float) -> _T:  # noqa: ASYNC109
        """Call a module-level function in a worker process and return its result.

        Cancelling kills the worker and returns once it is gone; another one takes its place.

        Args:
            function: Found by its name in its module; it, its arguments and its result must pickle.
            args: Passed on.
            timeout: Seconds after which the worker is killed.

        Raises:
            RagError: What the function raised, unchanged.
            SourceError: The time was over, the process died, or the function raised anything else.
        """
        async with self._free:
            if self._closed:
                raise failed(_("知识库已关闭"))
            worker = self._idle.pop() if self._idle else _Worker()
            self._busy.add(worker)
            self._stay()
            loop = asyncio.get_running_loop()
            job = loop.run_in_executor(self._threads, worker.call, function, args)
            job.add_done_callback(partial(self._finished, worker))
            timer = loop.call_later(timeout, worker.kill, _("处理超时（{n:g}s），已停止").format(n=timeout))
            try:
                await asyncio.wait([job])
            except asyncio.CancelledError:
                worker.kill(_("已取消"))
                await asyncio.wait([job])
                raise
            finally:
                timer.cancel()
            return cast(_T, job.result())

    def _finished(self, worker: _Worker, job: asyncio.Future[object]) -> None:
        if not job.cancelled():
            job.exception()  # a cancelled caller does not ask for it
        self._busy.discard(worker)
        if worker.alive:
            self._idle.append(worker)
        elif not self._closed:
            self._threads.submit(worker.reap)  # it may have been killed just as it answered
        if self._idle and not self._busy and not self._closed:
            self._stay()
            self._retirement = asyncio.get_running_loop().call_later(self._idle_seconds, self._retire)

    def _stay(self) -> None:
        if self._retirement is not None:
            self._retirement.cancel()

    def _retire(self) -> None:
        for worker in self._idle:
            worker.kill(_("已空闲"))
            self._threads.submit(worker.reap)
        self._idle.clear()

    async def close(self) -> None:
        """Kill all workers and wait until they are gone; calls still running fail."""
        self._closed = True
        self._stay()
        workers = (*self._idle, *self._busy)
        for worker in workers:
            worker.kill(_("知识库已关闭"))
        await asyncio.to_thread(self._bury, workers)

    def _bury(self, workers: Iterable[_Worker]) -> None:
        self._threads.shutdown()
        for worker in workers:
            worker.reap()


class _Worker:
    """One process, seen from the program; `call` blocks, `kill` may come from another thread."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._killed_because = ""

    @property
    def alive(self) -> bool:
        return self._process is not None and not self._killed_because

    def call(self, function: Callable[..., object], args: tuple[object, ...]) -> object:
        request = pickle.dumps((language(), function, args), pickle.HIGHEST_PROTOCOL)
        try:
            answer = self._exchange(request)
        except (EOFError, OSError):
            self.kill(_("处理进程意外退出"))
            self.reap()
            raise failed(self._killed_because) from None
        if not isinstance(answer, Failure):
            return answer[0]
        if answer.error is not None:
            raise answer.error
        _log.error("%s failed in a worker:\n%s", function.__qualname__, answer.details)
        raise failed(_("处理时内存不足") if answer.out_of_memory else _("内容无法解析"))

    def _exchange(self, request: bytes) -> list[object] | Failure:
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        write_frame(process.stdin, request)
        return cast("list[object] | Failure", pickle.loads(read_frame(process.stdout)))  # noqa: S301

    def _started(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._killed_because:
                raise EOFError
            if self._process is None:
                self._process = _start()
            return self._process

    def kill(self, reason: str) -> None:
        """End the process; the first reason given is the one that a running call reports."""
        with self._lock:
            self._killed_because = self._killed_because or reason
            if self._process is not None:
                self._process.kill()

    def reap(self) -> None:
        """Wait for the killed process and close its pipes."""
        process = self._process
        if process is None:
            return
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):  # closing writes what a dead process did not read
                if pipe is not None:
                    pipe.close()


def _start() -> subprocess.Popen[bytes]:
    environment = {name: value for name, value in os.environ.items() if not _SECRET.search(name)}
    return subprocess.Popen(  # noqa: S603  # our own interpreter and our own code
        # -P: a `json.py` in the current folder must not be run instead of the library's
        [sys.executable, "-P", "-c", _START, json.dumps([sys.path, os.getpid()])],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,  # hostile pages are parsed there: no keys
        start_new_session=True,  # Ctrl+C in the terminal is the program's business
    )
