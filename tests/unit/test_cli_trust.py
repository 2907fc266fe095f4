"""On the command line: without a terminal nothing of a folder is trusted, `--trust` trusts it once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.shell import Shell


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    shell = Shell(tmp_path)
    (shell.folder / ".env").write_text("OPENAI_BASE_URL=http://127.0.0.1:9/v1\n")
    (shell.folder / "AGENTS.md").write_text("x")
    return shell


def test_ask_uses_nothing_of_the_folder_and_says_so(shell: Shell) -> None:
    ran = shell("ask", "你好", "--json")
    assert ran.returncode == 0, "the offline model answers"
    assert json.loads(ran.stdout)["answer"]
    assert ".env 是随文件夹来的，还没有得到信任" in ran.stderr
    assert "AGENTS.md 是随文件夹来的" in ran.stderr
    again = shell("ask", "你好")
    assert ".env 是随文件夹来的" in again.stderr, "nobody was there to be asked, so nothing is remembered"


def test_trust_lasts_for_one_run(shell: Shell) -> None:
    ran = shell("ask", "你好", "--trust")
    assert ran.returncode == 1, "the folder's server is asked, and is not there"
    assert "随文件夹来的" not in ran.stderr
    assert shell("ask", "你好").returncode == 0


def test_rag_tells_it_too(shell: Shell) -> None:
    home = shell.folder / ".geekagent"
    home.mkdir()
    (home / "GeekAgent.json").write_text(json.dumps({"root": "../.."}))
    outside = shell.folder.parent / "outside.md"
    outside.write_text("外面的文件")
    refused = shell("rag", "add", str(outside), "--yes", "--json")
    assert refused.returncode == 1
    assert "GeekAgent.json 是随文件夹来的" in refused.stderr
    assert shell("--trust", "rag", "add", str(outside), "--yes").returncode == 0
