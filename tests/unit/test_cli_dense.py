"""Dense retrieval from the shell."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from support.bases import PATIENCE, eventually, write_files
from support.pages import PageServer, silence
from support.pages import Reply as PageReply
from support.shell import Shell
from support.vector_server import Reply, VectorServer

pytest.importorskip("numpy", reason="dense retrieval is an extra")


@pytest.fixture
async def server() -> AsyncIterator[VectorServer]:
    async with VectorServer() as running:
        yield running


@pytest.fixture
def shell(tmp_path: Path, server: VectorServer) -> Shell:
    shell = Shell(tmp_path)
    config = f'[dense]\nmodel = "things"\nbase_url = "{server.base_url}"\n'
    write_files(shell.home / ".config" / "geekagent", {"config.toml": config})
    write_files(shell.folder, {"1.md": "The whale sings in deep water, far from any coast."})
    return shell


async def rag(shell: Shell, *words: str) -> CompletedProcess[str]:
    return await asyncio.to_thread(shell.rag, *words)


async def test_what_is_added_has_its_vectors_when_the_command_ends(
    shell: Shell, server: VectorServer
) -> None:
    added = await rag(shell, "add", "1.md", "--yes")
    assert (added.returncode, added.stderr) == (0, "")

    stats = json.loads((await rag(shell, "stats", "--json")).stdout)
    assert stats["dense"] == {"model": "things", "embedded": 1, "passages": 1, "problem": ""}
    assert "向量：1/1 块（things）" in (await rag(shell, "stats")).stdout

    found = await rag(shell, "search", "鲸鱼怎样唱歌？", "--explain")
    assert "向量" in found.stdout
    assert "1.md" in found.stdout
    assert "向量：1/1" in (await rag(shell, "doctor")).stdout

    server.always = Reply(status=503)
    found = await rag(shell, "search", "whale song")
    assert "1.md" in found.stdout
    assert "503" in found.stderr
    doctor = await rag(shell, "doctor")
    assert doctor.returncode != 0
    assert "503" in doctor.stdout


async def test_a_set_of_paragraphs_is_embedded_before_it_is_measured(shell: Shell) -> None:
    paragraphs = [
        {"context": "The whale sings in deep water at night.", "qas": [{"question": "鲸鱼怎样唱歌？"}]},
        {"context": "Bake the bread until its crust is brown.", "qas": [{"question": "面包烤多久？"}]},
    ]
    write_files(shell.folder, {"q.json": json.dumps({"data": [{"paragraphs": paragraphs}]})})
    ran = await rag(shell, "eval", "q.json", "--json")
    assert json.loads(ran.stdout)["recall@1"] == 1.0


@pytest.mark.parametrize("action", ["add", "sync"])
async def test_ctrl_c_does_not_begin_to_embed(shell: Shell, server: VectorServer, action: str) -> None:
    async with PageServer() as web:
        slow = f"{web.url}/slow"
        write_files(shell.folder, {"2.md": "Bake the bread until its crust is brown."})
        if action == "sync":
            web.pages["/slow"] = PageReply(b"<title>t</title><main><p>The ferry leaves at nine.</p></main>")
            await rag(shell, "add", slow, "1.md", "--yes")
            write_files(shell.folder, {"1.md": "Another whale sings in deep water, far from any coast."})
            web.requests.clear()
            server.requests.clear()
        server.always = Reply(hold=asyncio.Event())
        web.pages["/slow"] = silence
        words = [slow, "1.md", "2.md", "--yes"] if action == "add" else []
        process = shell.start("rag", action, *words)

        async def both_asked() -> bool:
            return "/slow" in web.requests and bool(server.requests)

        await eventually(both_asked)
        shell.interrupt(process)
        out, errors = await asyncio.to_thread(process.communicate, timeout=PATIENCE)
    assert process.returncode == 130
    assert out.count("已取消采集") == 1, "what was not done is told"
    assert "向量" not in errors


async def test_ctrl_c_ends_the_embedding(shell: Shell, server: VectorServer) -> None:
    server.always = Reply(hold=asyncio.Event())
    process = shell.start("rag", "add", "1.md", "--yes")

    async def asked() -> bool:
        return bool(server.requests)

    await eventually(asked)
    assert process.stdout is not None
    assert "1.md" in await asyncio.to_thread(process.stdout.readline)
    shell.interrupt(process)
    await asyncio.to_thread(process.communicate, timeout=PATIENCE)
    assert process.returncode == 130
