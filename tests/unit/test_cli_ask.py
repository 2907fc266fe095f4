"""`geekagent ask` limited to some documents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.bases import write_files
from support.shell import Shell

QUESTION = "鲸鱼什么时候唱歌？"


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    running = Shell(tmp_path_factory.mktemp("ask"))
    write_files(
        running.folder,
        {"a.md": "# 甲\n\n鲸鱼什么时候唱歌？在夜里。", "notes/b.md": "# 乙\n\n鲸鱼什么时候唱歌？在白天。"},
    )
    assert running("rag", "add", "a.md", "--yes").returncode == 0
    assert running("rag", "add", "notes", "--yes", "--tag", "海").returncode == 0
    return running


@pytest.mark.parametrize(
    ("words", "titles"),
    [
        ([], {"甲", "乙"}),
        (["--tag", "海"], {"乙"}),
        (["--source", "a.md"], {"甲"}),
        (["--only", "#海"], {"乙"}),
        (["--only", "notes", "--only", "a.md"], {"甲", "乙"}),
    ],
)
def test_a_question_to_some_documents(shell: Shell, words: list[str], titles: set[str]) -> None:
    asked = shell("ask", QUESTION, "--json", *words)
    assert asked.returncode == 0, asked.stderr
    value = json.loads(asked.stdout)
    found = value["tools"][0]["result"]
    assert {title for title in ("甲", "乙") if f"《{title}》" in found} == titles
    assert ("选定" in found) == bool(words)
    assert {citation["title"] for citation in value["citations"]} <= titles


def test_a_question_to_no_document(shell: Shell) -> None:
    asked = shell("ask", QUESTION, "--json", "--tag", "nichts")
    assert (asked.returncode, json.loads(asked.stdout)["error"]["code"]) == (1, "not_selected")
    plain = shell("ask", QUESTION, "--only", str(Path("fehlt.md")))
    assert (plain.returncode, plain.stdout) == (1, "")
    assert "没有文档符合所选的范围" in plain.stderr


def test_what_is_wrong_with_memory_is_told(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    home = shell.folder / ".geekagent"
    home.mkdir()
    (home / "memory.json").write_text('["a",\n')
    asked = shell("ask", "在吗？", "--json")
    assert asked.returncode == 0, asked.stderr
    assert "memory.json 读取失败（第 2 行不是合法 JSON），已另存为" in asked.stderr
    assert list(home.glob("memory.json.broken-*"))
