"""`rag sync`, `remove PATTERN`, `undo`, `export`, `import` and `doctor` as a program sees them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.bases import write_files
from support.shell import Shell

FILES = {
    "notes/a.md": "# 甲\n\n鲸鱼在夜里唱歌。",
    "notes/b.md": "# 乙\n\n灯塔照亮海面。",
    "c.txt": "海浪拍岸。",
}


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    shell = Shell(tmp_path)
    write_files(shell.folder, FILES)
    assert shell.rag("add", "notes", "c.txt", "--yes").returncode == 0
    return shell


def results(shell: Shell, *words: str, code: int = 0) -> list[dict[str, Any]]:
    ran = shell.rag(*words, "--json")
    assert ran.returncode == code
    found: list[dict[str, Any]] = json.loads(ran.stdout)["results"]
    return found


def test_sync(shell: Shell) -> None:
    write_files(shell.folder, {"notes/a.md": "# 甲\n\n鲸鱼在早上唱歌。"})
    (shell.folder / "c.txt").unlink()

    states = {each["source"]: each["state"] for each in results(shell, "sync", code=1)}
    assert states == {"notes/a.md": "updated", "notes/b.md": "unchanged", "c.txt": "failed"}

    ran = shell.rag("sync", "notes/*")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert sorted(ran.stdout.splitlines()) == ["[没有变化：《乙》]", "[没有变化：《甲》]"]
    ran = shell.rag("sync", "c.txt")
    assert ran.returncode == 1
    (line,) = ran.stdout.splitlines()
    assert line.startswith(
        "[来源已不存在，文档仍保留，用 rag sync --prune 移除（采集失败：文件不存在：c.txt）"
    )

    ran = shell.rag("sync", "--prune")
    assert ran.returncode == 0
    assert "[已移除：《c.txt》共 5 字符 / 1 块]" in ran.stdout.splitlines()
    assert results(shell, "sync", "c.txt", code=1)[0]["reason"] == "知识库里没有 c.txt"


def test_sync_is_refused_by_policy(shell: Shell) -> None:
    settings = shell.folder / ".geekagent" / "GeekAgent.json"
    settings.write_text(json.dumps({"tools": {"rag_add": "deny"}}), "utf-8")
    (shell.folder / "c.txt").unlink()
    ran = shell.rag("sync", "--prune", "--json")
    assert ran.returncode == 3
    assert json.loads(ran.stdout)["error"]["code"] == "refused"
    assert len(json.loads(shell.rag("list", "--json").stdout)["sources"]) == 3


def test_a_removal_and_its_undoing(shell: Shell) -> None:
    ran = shell.rag("remove", "notes/*.md")
    assert ran.returncode == 0
    assert sorted(ran.stdout.splitlines()) == [
        "[已移除：《乙》共 12 字符 / 1 块]",
        "[已移除：《甲》共 13 字符 / 1 块]",
    ]
    ran = shell.rag("undo")
    assert ran.returncode == 0
    assert sorted(ran.stdout.splitlines()) == [
        "[已恢复：《乙》共 12 字符 / 1 块]",
        "[已恢复：《甲》共 13 字符 / 1 块]",
    ]
    assert len(json.loads(shell.rag("list", "--json").stdout)["sources"]) == 3

    ran = shell.rag("undo", "--json")
    assert ran.returncode == 1
    assert json.loads(ran.stdout) == {"error": {"code": "nothing_to_undo", "message": "没有可以恢复的移除"}}
    assert ran.stderr == "没有可以恢复的移除\n"

    results(shell, "remove", "c.txt")
    assert [(each["source"], each["state"]) for each in results(shell, "undo")] == [("c.txt", "added")]


def test_export_and_import(shell: Shell, tmp_path: Path) -> None:
    ran = shell.rag("export")
    assert (ran.returncode, ran.stderr) == (0, "")
    kept = (shell.folder / ".geekagent" / "rag" / "index.json").read_text("utf-8")
    assert ran.stdout == kept
    assert shell.rag("export", "-", "--json").stdout == kept

    ran = shell.rag("export", "all.json")
    assert (ran.returncode, ran.stdout) == (0, "已导出 3 个文档到 all.json\n")
    assert (shell.folder / "all.json").read_text("utf-8") == kept
    assert json.loads(shell.rag("export", "all.json", "--force", "--json").stdout) == {
        "file": "all.json",
        "documents": 3,
    }
    assert shell.rag("export", "/dev/null").returncode == 0
    ran = shell.rag("export", "c.txt")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr == "c.txt 已经存在，没有写入；要覆盖请加上 --force\n"
    assert (shell.folder / "c.txt").read_text("utf-8") == FILES["c.txt"]
    assert Path("/dev/null").is_char_device()
    ran = shell.rag("export", "nowhere/all.json", "--json")
    assert ran.returncode == 1
    assert json.loads(ran.stdout)["error"]["code"] == "not_written"
    ran = shell.rag("export", "/dev/full", "--json")
    assert ran.returncode == 1
    assert json.loads(ran.stdout)["error"]["code"] == "not_written"

    (tmp_path / "other").mkdir()
    other = Shell(tmp_path / "other")
    file = str(shell.folder / "all.json")
    assert {each["state"] for each in results(other, "import", file)} == {"added"}
    ran = other.rag("import", file)
    assert ran.returncode == 0
    assert "[已在知识库中，跳过（重复采集）：《甲》]" in ran.stdout.splitlines()
    (other.folder / "bad.json").write_text("[]", "utf-8")
    ran = other.rag("import", "bad.json", "--json")
    assert ran.returncode == 1
    assert json.loads(ran.stdout)["error"]["code"] == "source_error"
    (other.folder / ".geekagent" / "GeekAgent.json").write_text('{"tools": {"rag_add": "deny"}}', "utf-8")
    assert other.rag("import", file).returncode == 3


def test_an_export_cannot_steer_the_terminal(shell: Shell) -> None:
    write_files(shell.folder, {"evil.md": "# x\u009b2J\u202e\n\nhello"})
    shell.rag("add", "evil.md", "--yes")
    text = shell.rag("export").stdout
    assert not {"\u009b", "\u202e"} & set(text)
    kept = (shell.folder / ".geekagent" / "rag" / "index.json").read_text("utf-8")
    assert json.loads(text) == json.loads(kept)


def test_doctor(shell: Shell) -> None:
    shell.rag("remove", "c.txt")
    ran = shell.rag("doctor")
    assert (ran.returncode, ran.stderr) == (0, "")
    lines = ran.stdout.splitlines()
    assert lines[0].startswith("数据库：2 个文档 / 2 块 / ")
    assert lines[1].startswith("索引：2 块（")
    assert lines[2].startswith("index.json：2 个文档（")
    assert lines[3:] == ["可以恢复的移除：1 个文档（rag undo）", "一切正常"]
    value = json.loads(shell.rag("doctor", "--json").stdout)
    assert (value["ok"], value["problems"], value["undoable"]) == (True, [], 1)
    assert value["index_json"]["state"] == "current"

    file = shell.folder / ".geekagent" / "rag" / "index.json"
    file.unlink()
    file.mkdir()
    (file.parent / "x.broken-1").write_text("old", "utf-8")
    ran = shell.rag("doctor")
    assert ran.returncode == 1
    assert "发现 1 个问题：" in ran.stdout
    assert "  x.broken-1 (0.0 KB)" in ran.stdout.splitlines()
    value = json.loads(shell.rag("doctor", "--json").stdout)
    assert not value["ok"]
    assert value["problems"][0]["advice"].startswith("检查磁盘空间和文件夹")


def test_remove_by_id(shell: Shell) -> None:
    listed = json.loads(shell.rag("list", "--json").stdout)["sources"]
    [removed] = results(shell, "remove", str(listed[1]["id"]))
    assert (removed["state"], removed["source"]) == ("removed", listed[1]["source"])
    [missing] = results(shell, "remove", "999", code=1)
    assert missing["state"] == "failed"
