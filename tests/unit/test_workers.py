from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from geekagent_tui.rag.errors import EmptyContentError, SourceError
from geekagent_tui.rag.workers import Workers
from support import jobs

LONG = 60.0


@pytest.fixture
async def workers() -> AsyncIterator[Workers]:
    pool = Workers(2)
    yield pool
    await pool.close()


def is_gone(pid: int) -> bool:
    """Whether a process has ended; one that waits to be collected has."""
    state = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True
    ).stdout.strip()
    return state == "" or state.startswith("Z")


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.01)


async def test_runs_in_another_process_and_keeps_it(workers: Workers) -> None:
    first = await workers.run(os.getpid, timeout=LONG)
    assert first != os.getpid()
    assert await workers.run(os.getpid, timeout=LONG) == first


async def test_runs_several_at_once(workers: Workers) -> None:
    assert await asyncio.gather(*(workers.run(jobs.double, n, timeout=LONG) for n in range(20))) == [
        2 * n for n in range(20)
    ]


async def test_errors_of_the_service_arrive_as_they_are(workers: Workers) -> None:
    with pytest.raises(EmptyContentError, match=r"^内容为空，未入库$") as caught:
        await workers.run(jobs.refuse, timeout=LONG)
    assert caught.value.message == "内容为空，未入库"


async def test_other_errors_become_a_sentence_without_details(workers: Workers) -> None:
    with pytest.raises(SourceError, match=r"^采集失败：内容无法解析$"):
        await workers.run(jobs.crash, timeout=LONG)
    assert await workers.run(jobs.double, 4, timeout=LONG) == 8


async def test_result_that_does_not_pickle(workers: Workers) -> None:
    with pytest.raises(SourceError, match="内容无法解析"):
        await workers.run(jobs.unpicklable, timeout=LONG)


async def test_a_dead_worker_is_replaced(workers: Workers) -> None:
    with pytest.raises(SourceError, match=r"^采集失败：处理进程意外退出$"):
        await workers.run(jobs.die, timeout=LONG)
    assert await workers.run(jobs.double, 4, timeout=LONG) == 8


async def test_a_slow_worker_is_killed_and_replaced(workers: Workers, tmp_path: Path) -> None:
    started = tmp_path / "pid"
    with pytest.raises(SourceError, match=r"^采集失败：处理超时（0\.5s），已停止$"):
        await workers.run(jobs.sleep_for_ever, str(started), timeout=0.5)
    assert is_gone(int(started.read_text()))
    assert await workers.run(jobs.double, 4, timeout=LONG) == 8


@pytest.mark.skipif(sys.platform != "linux", reason="the bound works on Linux only")
async def test_memory_is_bounded(workers: Workers) -> None:
    with pytest.raises(SourceError, match="内存不足"):
        await workers.run(jobs.eat_memory, timeout=LONG)
    assert await workers.run(jobs.double, 4, timeout=LONG) == 8


async def test_what_a_library_prints_does_not_disturb(workers: Workers) -> None:
    assert await workers.run(jobs.chatter, timeout=LONG) == "answer"


async def test_workers_are_niced_and_know_no_secrets(
    workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("HARMLESS", "yes")
    assert await workers.run(jobs.environment, "OPENAI_API_KEY", timeout=LONG) == ""
    assert await workers.run(jobs.environment, "HARMLESS", timeout=LONG) == "yes"
    assert await workers.run(jobs.niceness, timeout=LONG) >= min(19, os.nice(0) + 10)


async def test_cancelling_ends_the_process(workers: Workers, tmp_path: Path) -> None:
    started = tmp_path / "pid"
    call = asyncio.create_task(workers.run(jobs.sleep_for_ever, str(started), timeout=LONG))
    await until(lambda: started.exists() and started.read_text() != "")
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert is_gone(int(started.read_text()))
    assert await workers.run(jobs.double, 4, timeout=LONG) == 8


async def test_closing_ends_running_calls(tmp_path: Path) -> None:
    workers = Workers(1)
    started = tmp_path / "pid"
    call = asyncio.create_task(workers.run(jobs.sleep_for_ever, str(started), timeout=LONG))
    await until(lambda: started.exists() and started.read_text() != "")
    await workers.close()
    with pytest.raises(SourceError, match="知识库已关闭"):
        await call
    with pytest.raises(SourceError, match="知识库已关闭"):
        await workers.run(jobs.double, 1, timeout=LONG)
    assert is_gone(int(started.read_text()))


async def test_idle_workers_end_and_come_back() -> None:
    workers = Workers(1, idle=0.05)
    first = await workers.run(os.getpid, timeout=LONG)
    await until(lambda: is_gone(first))
    assert await workers.run(os.getpid, timeout=LONG) != first
    await workers.close()


async def test_nothing_is_started_before_the_first_call() -> None:
    workers = Workers()
    await workers.close()
    await workers.close()


PARENT = """
import asyncio, sys
from support import jobs
from geekagent_tui.rag.workers import Workers

async def main():
    await Workers(1).run(jobs.sleep_for_ever, sys.argv[1], timeout=600)

asyncio.run(main())
"""


async def test_workers_die_with_a_killed_parent_even_when_busy(tmp_path: Path) -> None:
    # No `if __name__ == "__main__"`: the program's main module must not run again in the worker
    program, started = tmp_path / "program.py", tmp_path / "pid"
    program.write_text(PARENT)
    path = os.pathsep.join(p for p in sys.path if p)
    parent = subprocess.Popen(
        [sys.executable, str(program), str(started)], env={**os.environ, "PYTHONPATH": path}
    )
    try:
        await until(lambda: started.exists() and started.read_text() != "")
        parent.send_signal(signal.SIGKILL)
        await until(lambda: parent.poll() is not None)
        await until(lambda: is_gone(int(started.read_text())))
    finally:
        parent.kill()
        parent.wait()


async def test_a_file_in_the_current_folder_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("open('ran', 'w')")
    monkeypatch.chdir(tmp_path)
    workers = Workers(1)
    assert await workers.run(jobs.double, 2, timeout=LONG) == 4
    await workers.close()
    assert not (tmp_path / "ran").exists()


async def test_the_event_loop_stays_free_during_a_call(workers: Workers) -> None:
    call = asyncio.create_task(workers.run(time.sleep, 0.2, timeout=LONG))
    turns = 0
    while not call.done():
        await asyncio.sleep(0)
        turns += 1
    assert turns > 10
