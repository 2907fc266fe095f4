"""A command and everything it starts, as one group that is ended as one."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import signal
import subprocess
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Mapping
from dataclasses import dataclass
from pathlib import Path

GRACE = 2.0
"""Seconds between the request to end and the end."""
LINGER = 0.5
"""Seconds that what a finished command left running may still print."""
_PROCESSES = Path("/proc")
_CHUNK = 64 * 1024
_POLL = 0.05

_SECRET_NAME = re.compile("KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL", re.IGNORECASE)
_PASSWORD_IN_URL = re.compile(r"://[^/\s:@]*:[^/\s@]+@")
_QUIET = {"GIT_TERMINAL_PROMPT": "0", "GIT_PAGER": "cat", "PAGER": "cat", "TERM": "dumb", "NO_COLOR": "1"}


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended.

    Attributes:
        code: Its exit code; negative for the signal that ended it.
        timed_out: It was ended because its time was over.
        left_running: It had left processes running, which were ended.
    """

    code: int
    timed_out: bool = False
    left_running: bool = False


def clean_environment(environ: Mapping[str, str], secrets: Collection[str]) -> dict[str, str]:
    """The variables that a command may see: none that holds a secret.

    Args:
        environ: The program's own.
        secrets: Values that are known to be secret.
    """
    kept = {
        name: value
        for name, value in environ.items()
        if not _SECRET_NAME.search(name)
        and not _PASSWORD_IN_URL.search(value)
        and not any(secret in value for secret in secrets)
    }
    return {**kept, **_QUIET}


async def run(
    command: str, folder: Path, environ: Mapping[str, str], seconds: float, on_bytes: Callable[[bytes], None]
) -> Ended:
    """Run a command to its end, or to that of its time; cancelling ends all of it as well.

    Args:
        command: For bash, or for sh where there is none.
        folder: Where.
        environ: All variables that it sees.
        seconds: How long it may take.
        on_bytes: Told what it prints, both streams as they come.

    Raises:
        OSError: It can't be started.
    """
    async with _pipe(on_bytes) as (write_end, printed):
        try:
            process = await asyncio.create_subprocess_exec(
                shutil.which("bash") or "/bin/sh",
                "-c",
                command,
                cwd=folder,
                env=dict(environ),
                stdin=subprocess.DEVNULL,
                stdout=write_end,
                stderr=write_end,
                start_new_session=True,
            )
        finally:
            os.close(write_end)
        timed_out = left_running = False
        try:
            async with asyncio.timeout(seconds):
                await process.wait()
            # Whatever still holds the pipe was left running
            await asyncio.wait([printed], timeout=LINGER)
            left_running = await _is_alive(process.pid)
        except TimeoutError:
            timed_out = True
        finally:
            await _settled(_end(process, printed))
    return Ended(process.returncode or 0, timed_out, left_running)


@contextlib.asynccontextmanager
async def _pipe(on_bytes: Callable[[bytes], None]) -> AsyncIterator[tuple[int, asyncio.Task[None]]]:
    """A pipe's end to write to, and the task that reads the other one until nobody can write any more."""
    read_end, write_end = os.pipe()
    reader = asyncio.StreamReader()
    transport, _protocol = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(read_end, "rb", 0)
    )
    reading = asyncio.create_task(_read(reader, on_bytes), name="shell-output")
    try:
        yield write_end, reading
    finally:
        # Something that left the group may hold the pipe for ever
        reading.cancel()
        await asyncio.wait([reading])
        transport.close()
        if not reading.cancelled():
            reading.exception()


async def _read(reader: asyncio.StreamReader, on_bytes: Callable[[bytes], None]) -> None:
    while data := await reader.read(_CHUNK):
        on_bytes(data)
        await asyncio.sleep(0)  # a command that never stops printing must not keep the loop to itself


async def _end(process: asyncio.subprocess.Process, printed: asyncio.Task[None]) -> None:
    """End the group: ask, then insist; then take what was printed before the end."""
    group = process.pid
    _signal(group, signal.SIGTERM)
    await _wait_for(group)
    _signal(group, signal.SIGKILL)
    await process.wait()
    await _wait_for(group)
    await asyncio.wait([printed], timeout=LINGER)


async def _wait_for(group: int) -> None:
    """Wait until a group has ended, for a while."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(GRACE):
            while await _is_alive(group):  # noqa: ASYNC110  # nothing tells of a group's end
                await asyncio.sleep(_POLL)


async def _settled(work: Coroutine[None, None, None]) -> None:
    """Await something to its end even when this task is cancelled meanwhile."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


def _signal(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


async def _is_alive(group: int) -> bool:
    """Whether any process of a group is still running."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return await asyncio.to_thread(_has_running, group)


def _has_running(group: int) -> bool:
    """Whether a group has more than dead processes that nobody has taken notice of; true when in doubt."""
    if not (_PROCESSES / "self/stat").exists():
        return True
    for folder in _PROCESSES.iterdir():
        if folder.name.isdecimal():
            with contextlib.suppress(OSError, ValueError, IndexError):
                # pid (name) state parent group …; a name may hold anything
                fields = (folder / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
                if int(fields[2]) == group and fields[0] not in "ZX":
                    return True
    return False
