"""Tags, selections and badges from the shell; what reading leaves behind, and what the parser says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.bases import write_files
from support.shell import Shell

FILES = {
    "a.md": "# 鲸鱼\n\n鲸鱼在夜里唱歌。",
    "notes/b.md": "Der Wal singt.",
    "notes/deep/c.py": "print('Wal')",
    "notes/d.txt": "Ein Wal.",
}


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    shell = Shell(tmp_path)
    write_files(shell.folder, FILES)
    return shell


def _value(shell: Shell, *words: str) -> Any:
    return json.loads(shell.rag(*words, "--json").stdout)


def _sources(shell: Shell, *options: str) -> list[str]:
    """In the order of their names: which of several files is stored first is chance."""
    return sorted(document["source"] for document in _value(shell, "list", *options)["sources"])


def test_from_tags_to_selections(shell: Shell) -> None:
    assert shell.rag("add", "a.md", "--tag", "读书", "--tag", "鲸", "--yes").returncode == 0
    assert shell.rag("add", "a.md", "notes", "--tag", "Meer", "--yes").returncode == 0
    assert _value(shell, "tag")["tags"] == [
        {"tag": "Meer", "documents": 4},
        {"tag": "读书", "documents": 1},
        {"tag": "鲸", "documents": 1},
    ]
    told = shell.rag("tag", "1", "notes/deep", "--add", "neu", "--remove", "MEER").stdout
    assert told == "《鲸鱼》（a.md）：neu、读书、鲸\n《c.py》（notes/deep/c.py）：neu\n"
    assert shell.rag("tag", "--lang", "en").stdout.startswith("Meer: 2 documents\nneu: 2 documents\n读书: 1 ")

    assert _sources(shell, "--tag", "Neu") == ["a.md", "notes/deep/c.py"]
    assert _sources(shell, "--source", "notes", "--kind", "md", "--kind", "code") == [
        "notes/b.md",
        "notes/deep/c.py",
    ]
    assert set(_sources(shell, "--since", "1d")) == FILES.keys()
    assert _sources(shell, "--until", "1d") == []
    hits = _value(shell, "search", "Wal", "--tag", "Meer")["hits"]
    assert {hit["source"] for hit in hits} == {"notes/b.md", "notes/d.txt"}
    assert "没有文档符合所选的范围" in shell.rag("search", "Wal", "--tag", "none").stdout

    assert _value(shell, "remove", "--tag", "meer", "notes/deep")["results"][0]["state"] == "removed"
    assert _sources(shell) == ["a.md"]
    assert shell.rag("undo").returncode == 0
    assert _sources(shell, "--tag", "neu") == ["a.md", "notes/deep/c.py"]
    synced = _value(shell, "sync", "--tag", "Meer")["results"]
    assert sorted((result["source"], result["state"]) for result in synced) == [
        (source, "unchanged") for source in _sources(shell, "--tag", "Meer")
    ]


def test_nothing_is_not_done_silently(shell: Shell) -> None:
    ran = shell.rag("add", "", "--yes")
    assert (ran.returncode, ran.stderr) == (2, "来源是空的\n")
    write_files(shell.folder, {"list.txt": "# nothing\n", "x\ny.md": "Wal"})
    assert "列表里没有来源：list.txt" in shell.rag("add", "@list.txt", "--yes").stderr
    shell.rag("add", "a.md", "--yes")
    shell.rag("add", "x\ny.md", "--yes")
    assert shell.rag("tag", "a.md", "--remove", "nope").stderr == "标签没有变化\n"
    assert "\n（" not in shell.rag("show", "2").stdout
    assert len(shell.rag("tag", "2").stdout.splitlines()) == 1
    assert "网页要写完整的 http://" in shell.rag("add", "127.0.0.1:8944/gone", "--yes").stdout
    assert "显示版本号并退出" in shell("--help").stdout
    told = shell.rag("eval", "notes").stderr
    assert told == "打不开问题文件 notes：这是一个文件夹\n"


def test_the_list_tells_badges_and_tags(shell: Shell) -> None:
    shell.rag("add", "a.md", "notes/b.md", "--tag", "鲸", "--yes")
    assert "a.md）（新加入，标签：鲸）\n" in shell.rag("list").stdout
    write_files(shell.folder, {"a.md": "Anders."})
    (shell.folder / "notes" / "b.md").unlink()
    assert [each["badge"] for each in _value(shell, "list")["sources"]] == ["stale", "stale"]
    shell.rag("sync")
    listed = {each["source"]: each for each in _value(shell, "list")["sources"]}
    assert listed["a.md"]["badge"] == "changed"
    assert listed["a.md"]["updated_at"] > listed["a.md"]["added_at"]
    assert listed["a.md"]["kind"] == "file"
    assert listed["notes/b.md"]["badge"] == "failed"
    assert "notes/b.md" in listed["notes/b.md"]["problem"]
    assert "（更新失败，标签：鲸）" in shell.rag("list").stdout


def test_the_list_shows_the_ids_that_other_commands_take(shell: Shell) -> None:
    empty = shell.rag("list").stdout
    assert empty == "知识库还是空的（用 geekagent rag add 采集）\n"
    write_files(shell.folder, {"2/e.md": "Ein Delfin."})
    for source in ("a.md", "notes/b.md", "notes/d.txt"):  # one by one, so that their ids are known
        shell.rag("add", source, "--yes")
    shell.rag("remove", "a.md")
    listed = shell.rag("list").stdout
    assert "编号 2：《b.md》（1 块，notes/b.md）" in listed
    assert shell.rag("show", "2").stdout.startswith("《b.md》（notes/b.md）")
    assert _value(shell, "sync", "2")["results"][0]["source"] == "notes/b.md"
    shell.rag("add", "2", "--yes")
    assert _value(shell, "remove", "2")["results"][0]["source"] == "2/e.md"
    assert _value(shell, "remove", "2")["results"][0]["source"] == "notes/b.md"
    assert shell.rag("show", "2").returncode == 1
    assert _sources(shell) == ["notes/d.txt"]


@pytest.mark.parametrize(
    "words",
    [
        ["list"],
        ["stats"],
        ["search", "鲸鱼"],
        ["show", "a.md"],
        ["doctor"],
        ["export"],
        ["tag"],
        ["remove", "a.md"],
        ["undo"],
        ["sync"],
    ],
    ids=lambda words: words[0],
)
def test_reading_makes_no_base(shell: Shell, words: list[str]) -> None:
    before = sorted(shell.folder.rglob("*"))
    nothing = shell.rag(*words)
    assert sorted(shell.folder.rglob("*")) == before
    (shell.folder / ".geekagent").mkdir()
    empty = shell.rag(*words)
    assert (nothing.returncode, nothing.stderr) == (empty.returncode, empty.stderr)
    if words != ["doctor"]:  # it tells sizes
        assert nothing.stdout == empty.stdout


def test_what_is_foreseen_leaves_one_line_in_the_log(shell: Shell) -> None:
    assert shell.rag("import", "none.json").returncode == 1
    log = shell("--log").stdout.strip()
    (line,) = Path(log).read_text("utf-8").splitlines()
    assert line.endswith("command failed: 采集失败：文件不存在：none.json")


def test_notices_about_settings_are_told(shell: Shell) -> None:
    file = shell.home / ".config" / "geekagent" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text("[ui]\nlanguage = 3\n")
    assert "ui.language" in shell.rag("list").stderr


@pytest.mark.parametrize(
    ("words", "chinese", "english"),
    [
        (["list", "--dance"], "geekagent: 不认识的参数：--dance", "unrecognized arguments: --dance"),
        (["search"], "缺少参数：QUERY", "the following arguments are required: QUERY"),
        (["search", "a", "-k"], "参数 -k：后面要写一个值", "argument -k: expected one argument"),
        (["dance"], "不能是 'dance'（可选：", "invalid choice: 'dance' (choose from "),
        (["list", "--json=1"], "参数 --json：这个选项不带值，不能写 '1'", "takes no value, not '1'"),
        (["list", "--personal", "--workspace", "."], "不能与", "not allowed with argument"),
    ],
)
def test_the_parser_speaks_both_languages(shell: Shell, words: list[str], chinese: str, english: str) -> None:
    told = shell.rag(*words)
    assert told.returncode == 2
    assert chinese in told.stderr
    assert told.stderr.startswith("用法：geekagent")
    told = shell("--lang", "en", "rag", *words)
    assert english in told.stderr
    assert told.stderr.startswith("usage: geekagent")


def test_help_in_both_languages(shell: Shell) -> None:
    chinese = shell.rag("tag", "--help").stdout.splitlines()
    assert chinese[0].startswith("用法：geekagent rag tag [-h]")
    assert chinese[1].index("[") == chinese[0].index("[") + len("用法：")  # each of them two columns wide
    assert "参数：" in chinese
    assert "选项：" in chinese
    assert "options:" in shell("rag", "tag", "--help", "--lang", "en").stdout.splitlines()
