"""`rag add` as a program sees it: standard input, list files, crawls."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from support.bases import PATIENCE, SRC
from support.pages import PageServer, Reply


class Shell:
    """A user's shell in a workspace."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "笔记"
        self.folder.mkdir()
        home = folder / "home"
        home.mkdir()
        self._env = {"HOME": str(home), "PYTHONPATH": str(SRC), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}

    async def __call__(self, *words: str, given: bytes = b"") -> tuple[int, str, str]:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "geekagent_tui", "rag", *words),
            cwd=self.folder,
            env=self._env,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
        )
        async with asyncio.timeout(PATIENCE):
            out, errors = await process.communicate(given)
        assert process.returncode is not None
        return process.returncode, out.decode(), errors.decode()

    async def add(self, *words: str, given: bytes = b"") -> list[dict[str, Any]]:
        _code, out, _errors = await self("add", *words, "--yes", "--json", given=given)
        results: list[dict[str, Any]] = json.loads(out)["results"]
        return results


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


async def test_standard_input_is_named_by_what_it_says(shell: Shell) -> None:
    [first] = await shell.add("-", given="# 鲸鱼\n\n鲸鱼在夜里唱歌。\n".encode())
    [again] = await shell.add("-", given="# 鲸鱼\n\n鲸鱼在夜里唱歌。\n".encode())
    [other] = await shell.add("-", given="# 鲸鱼\n\n别的鲸鱼在白天唱歌。\n".encode())

    assert (first["state"], first["title"]) == ("added", "鲸鱼")
    assert first["source"].startswith("stdin:")
    assert len(first["source"]) == len("stdin:") + 16
    assert (again["state"], again["source"]) == ("unchanged", first["source"])
    assert (other["state"], other["title"]) == ("added", "鲸鱼")
    assert other["source"] != first["source"]


async def test_standard_input_with_a_title(shell: Shell) -> None:
    [first] = await shell.add("-", "--title", " 今天\n日志 ", given="# 别的\n第一天。".encode())
    [second] = await shell.add("-", "--title", "今天 日志", given="第二天。".encode())
    code, out, _errors = await shell("remove", "stdin:今天 日志")

    assert (first["source"], first["title"], first["state"]) == ("stdin:今天 日志", "今天 日志", "added")
    assert (second["id"], second["state"]) == (first["id"], "updated")
    assert code == 0
    assert "已移除：《今天 日志》" in out


async def test_a_page_on_standard_input(shell: Shell) -> None:
    page = "<!doctype html><title>灯塔</title><nav>菜单</nav><main><p>灯塔照亮海面。</p></main>"
    [result] = await shell.add("-", given=page.encode())
    _code, out, _errors = await shell("show", result["source"])

    assert result["title"] == "灯塔"
    assert "灯塔照亮海面。" in out
    assert "菜单" not in out


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (b"", "内容为空，未入库"),
        (b"\x89PNG\r\n\x1a\n", "采集失败：标准输入 不是文本，是 PNG，暂不支持"),
        (b"a" * (32 * 1024 * 1024 + 1), "采集失败：原始内容超过 32MB，请拆成几份再采集"),
    ],
)
async def test_standard_input_that_cannot_be_used(shell: Shell, given: bytes, reason: str) -> None:
    [result] = await shell.add("-", given=given)
    assert (result["state"], result["reason"]) == ("failed", reason)


async def test_standard_input_needs_consent_beforehand(shell: Shell) -> None:
    code, out, errors = await shell("add", "-", given="y\n鲸鱼".encode())
    assert (code, out) == (3, "")
    assert "--yes" in errors
    assert not (shell.folder / ".geekagent").exists()


async def test_a_list_file(shell: Shell) -> None:
    folder = shell.folder / "我的 笔记"
    folder.mkdir()
    (folder / "a b.md").write_text("甲", "utf-8")
    (folder / "#1.md").write_text("乙", "utf-8")
    (shell.folder / "@c.md").write_text("丙", "utf-8")
    lines = "# 来源\r\n\r\n  我的 笔记/a b.md  \r\n./我的 笔记/#1.md\r\n#fehlt.md\r\nfehlt.md\r\n"
    (shell.folder / "liste 1.txt").write_bytes("\ufeff".encode() + lines.encode())

    results = await shell.add("@liste 1.txt", "./@c.md", "-", given="丁".encode())

    assert [(result["source"], result["state"]) for result in results[:4]] == [
        ("我的 笔记/a b.md", "added"),
        ("我的 笔记/#1.md", "added"),
        ("fehlt.md", "failed"),
        ("@c.md", "added"),
    ]
    assert results[4]["source"].startswith("stdin:")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("@other.txt\n", "列表里不能再有列表：@other.txt"),
        ("x\n" * 10_001, "列表超过 10000 行，请拆成几份：liste.txt"),
        (None, "文件不存在：liste.txt"),
    ],
)
async def test_a_list_that_cannot_be_used(shell: Shell, content: str | None, words: str) -> None:
    if content is not None:
        (shell.folder / "liste.txt").write_text(content, "utf-8")
    code, _out, errors = await shell("add", "@liste.txt", "--yes")
    assert (code, errors) == (1, words + "\n")


async def test_options_that_do_not_fit(shell: Shell) -> None:
    (shell.folder / "a.md").write_text("甲", "utf-8")
    assert await shell("add", "a.md", "--title", "x", "--yes") == (2, "", "--title 只用于标准输入（-）\n")
    assert await shell("add", "a.md", "--crawl", "5", "--yes") == (2, "", "--crawl 只用于网址\n")


async def test_a_crawl(shell: Shell) -> None:
    def page(title: str, links: str) -> Reply:
        return Reply(f"<title>{title}</title><nav>{links}</nav><main>{'Wale singen. ' * 9}</main>".encode())

    async with PageServer({"/": page("Start", "<a href=/a>a</a>"), "/a": page("A", "")}) as web:
        results = await shell.add(web.url, "--crawl", "9")
        _code, _out, errors = await shell("add", web.url, "--crawl", "0", "--yes")

    assert [(result["title"], result["state"]) for result in results] == [("Start", "added"), ("A", "added")]
    assert "--crawl" in errors
