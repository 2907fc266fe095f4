"""`rag add` and `rag sync` finish first what was killed; no other command reads anything."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from support.bases import PATIENCE, SRC, eventually, write_files
from support.pages import PageServer, Reply, silence

PAGE = Reply("<title>灯塔</title><main><h1>灯塔</h1><p>灯塔照亮海面。</p></main>".encode())


class Shell:
    """A user's shell in a workspace."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "笔记"
        self.folder.mkdir()
        home = folder / "home"
        home.mkdir()
        self._env = {"HOME": str(home), "PYTHONPATH": str(SRC), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}

    async def start(self, *words: str) -> asyncio.subprocess.Process:
        pipe = asyncio.subprocess.PIPE
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "geekagent_tui", "rag", *words),
            cwd=self.folder,
            env=self._env,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=pipe,
            stderr=pipe,
            # A test run in the background of a shell ignores Ctrl+C, and so would what it starts
            preexec_fn=partial(signal.signal, signal.SIGINT, signal.default_int_handler),
        )

    async def __call__(self, *words: str) -> tuple[int | None, str, str]:
        process = await self.start(*words)
        async with asyncio.timeout(PATIENCE):
            out, errors = await process.communicate()
        return process.returncode, out.decode(), errors.decode()

    async def json(self, *words: str) -> dict[str, Any]:
        _code, out, _errors = await self(*words, "--json")
        value: dict[str, Any] = json.loads(out)
        return value


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


async def _stopped(shell: Shell, web: PageServer, sent: signal.Signals, *words: str) -> str:
    """Stop a call while it waits for `/slow`; what it had told by then."""
    web.pages["/slow"] = silence
    process = await shell.start(*words)

    async def asked() -> bool:
        return "/slow" in web.requests

    await eventually(asked)
    process.send_signal(sent)
    async with asyncio.timeout(PATIENCE):
        out, _errors = await process.communicate()
    web.pages["/slow"] = PAGE
    return out.decode()


async def test_the_next_add_finishes_what_was_killed(shell: Shell) -> None:
    names = [f"{at}.md" for at in range(40)]
    write_files(shell.folder, {name: f"# Wal {name}\n\nDer Wal singt." for name in [*names, "neu.md"]})
    async with PageServer() as web:
        slow = f"{web.url}/slow"
        told = await _stopped(shell, web, signal.SIGKILL, "add", slow, *names, "--yes")
        web.requests.clear()
        listed = {each["source"] for each in (await shell.json("list"))["sources"]}
        report = (await shell("doctor"))[1]
        value = await shell.json("doctor")
        assert web.requests == []  # neither reads anything
        code, out, errors = await shell("add", "neu.md", "--yes", "--json")
        again = await shell.json("add", "neu.md", "--yes")

    assert len(listed) >= told.count("已加入知识库")
    assert "被中断的采集：还有" in report
    assert value["interrupted"][0]["total"] == 41
    assert value["ok"]
    results = json.loads(out)["results"]
    assert code == 0
    assert "上次的采集被中断，还有" in errors
    assert results[0]["source"] == "neu.md"
    assert slow in {each["source"] for each in results}
    assert {each["state"] for each in results} <= {"added", "unchanged"}
    assert len({each["source"] for each in results}) == len(results)
    assert [each["state"] for each in again["results"]] == ["unchanged"]
    assert len((await shell.json("list"))["sources"]) == 42


async def test_a_killed_sync_is_finished_by_the_next(shell: Shell) -> None:
    write_files(shell.folder, {"a.md": "# Wal\n\nDer Wal singt."})
    async with PageServer({"/slow": PAGE}) as web:
        await shell("add", "a.md", f"{web.url}/slow", "--yes")
        web.requests.clear()
        await _stopped(shell, web, signal.SIGKILL, "sync")
        _code, out, errors = await shell("sync", "a.md")

    assert "还有 1 个来源没有完成" in errors or "还有 2 个来源没有完成" in errors
    assert out.count("没有变化：《灯塔》") == 1


async def test_ctrl_c_leaves_nothing_to_resume(shell: Shell) -> None:
    async with PageServer() as web:
        await _stopped(shell, web, signal.SIGINT, "add", f"{web.url}/slow", "--yes")
    assert (await shell.json("doctor"))["interrupted"] == []


async def test_ctrl_c_while_resuming_leaves_nothing_and_tells_everything(shell: Shell) -> None:
    write_files(shell.folder, {"neu.md": "# Wal\n\nDer Wal singt."})
    async with PageServer() as web:
        urls = [f"{web.url}/slow?{at}" for at in range(2)]
        running = []
        for url in urls:
            web.pages[url.removeprefix(web.url)] = silence
            running.append(await shell.start("add", url, "--yes"))

        async def asked() -> bool:
            return len(web.requests) == 2

        await eventually(asked)
        for process in running:
            process.kill()
            await process.communicate()
        assert len((await shell.json("doctor"))["interrupted"]) == 2
        web.requests.clear()
        process = await shell.start("add", "neu.md", "--yes", "--json")

        async def resumed() -> bool:
            return bool(web.requests)

        await eventually(resumed)
        process.send_signal(signal.SIGINT)
        async with asyncio.timeout(PATIENCE):
            out, _errors = await process.communicate()
    assert process.returncode == 130
    results = json.loads(out)["results"]
    assert {each["source"]: each["state"] for each in results} == dict.fromkeys(
        [*urls, "neu.md"], "cancelled"
    )
    assert (await shell.json("doctor"))["interrupted"] == []


async def test_a_batch_that_is_not_ours_is_told_of_once(shell: Shell) -> None:
    write_files(shell.folder, {"a.md": "# Wal\n\nDer Wal singt."})
    queue = shell.folder / ".geekagent" / "rag" / "queue"
    queue.mkdir(parents=True)
    (queue / "20260101-000000-abcdefgh.jsonl").write_text('{"version":1}\n')
    code, out, errors = await shell("add", "a.md", "--yes")

    assert (code, out.count("已加入知识库")) == (0, 1)
    assert errors.count("没有继续采集") == 1
    assert (await shell.json("doctor"))["set_aside"][0]["file"].startswith(
        "20260101-000000-abcdefgh.jsonl.broken-"
    )


async def test_refused_means_nothing_is_resumed(shell: Shell) -> None:
    async with PageServer() as web:
        await _stopped(shell, web, signal.SIGKILL, "add", f"{web.url}/slow", "--yes")
        web.requests.clear()
        code, _out, errors = await shell("add", "fehlt.md")
        assert code == 3
        assert "中断" not in errors
        assert web.requests == []
    assert len((await shell.json("doctor"))["interrupted"]) == 1
