from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from geekagent_tui.rag.model import SourceKind
from geekagent_tui.rag.sources import identity_of, resolve, split_words

needs_permissions = pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "work space"
    (folder / "doc").mkdir(parents=True)
    (folder / "a.md").write_text("# A\n")
    (folder / "doc" / "b.txt").write_text("b")
    return folder


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", []),
        ("  \t\u3000 ", []),
        ("http://x/a  doc/b.md", ["http://x/a", "doc/b.md"]),
        ('"my notes.md" c.md', ["my notes.md", "c.md"]),
        ("'x y'", ["x y"]),
        ("“我的 笔记.md” 「第 二」", ["我的 笔记.md", "第 二"]),
        ("it's.md o'neil.md", ["it's.md", "o'neil.md"]),
        ("'tis.md", ["'tis.md"]),
        ('5" disk.md', ['5"', "disk.md"]),
        ('"a"b c" d', ['a"b c', "d"]),
        (r"C:\notes\a.md b\ ", [r"C:\notes\a.md", "b\\"]),
        (r"/home/me/my\ notes.md x", [r"/home/me/my\ notes.md", "x"]),
        (r"~/my\ notes.md", [r"~/my\ notes.md"]),
        ('""', []),
        ('"', ['"']),
    ],
)
def test_words_of_a_line(line: str, words: list[str]) -> None:
    assert split_words(line) == words


def test_a_url_is_one_source_and_nothing_is_asked(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object, **_kwargs: object) -> None:
        raise AssertionError("a preview must not touch the network")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket, "socket", refuse)
    preview = resolve(" HTTP://Example.COM:80/a/../b?q=1#top ", workspace)
    assert preview.kind is SourceKind.URL
    assert preview.typed == "HTTP://Example.COM:80/a/../b?q=1#top"
    assert preview.place == "example.com"
    assert [source.identity for source in preview.sources] == ["http://example.com/b?q=1"]
    assert preview.sources[0].location == preview.sources[0].identity
    assert (preview.size, preview.modified, preview.problem, preview.known) == (None, None, "", 0)


@pytest.mark.parametrize(
    ("typed", "problem"),
    [
        ("", "缺少要采集的来源"),
        ("ftp://example.com/a", "只支持 http/https 链接：ftp://example.com/a"),
        ("file:///etc/passwd", "只支持 http/https 链接：file:///etc/passwd"),
        ("http://", "URL 不合法：http://"),
        ("http://a b/", "URL 不合法：http://a b/"),
        ("http://x:99999/", "URL 不合法：http://x:99999/"),
        ("http://[::1/", "URL 不合法：http://[::1/"),
        ("https://me:secret@example.com/", "链接里不能带用户名或密码，请去掉后再采集"),
        ("missing.md", "文件不存在：missing.md"),
        ("a.md/x", "文件不存在：a.md/x"),
        ("www.example.com", "文件不存在：www.example.com（网页要写完整的 http:// 或 https:// 地址）"),
        ("example.com/a", "文件不存在：example.com/a（网页要写完整的 http:// 或 https:// 地址）"),
        ("no\0good", "路径里有不能使用的字符：no\0good"),
        ("*.pdf", "没有匹配的文件：*.pdf"),
    ],
)
def test_what_cannot_be_taken_in_says_why(workspace: Path, typed: str, problem: str) -> None:
    preview = resolve(typed, workspace)
    assert preview.problem == problem
    assert preview.sources == ()


@pytest.mark.parametrize("typed", ["a.md", "./a.md", "doc/../a.md", " a.md ", "doc/./../a.md"])
def test_every_spelling_of_a_file_is_the_same_document(workspace: Path, typed: str) -> None:
    for words in (typed, str(workspace / typed.strip())):
        preview = resolve(words, workspace)
        assert preview.problem == ""
        assert [source.identity for source in preview.sources] == ["a.md"]


def test_a_file_shows_size_date_and_folder(workspace: Path) -> None:
    os.utime(workspace / "a.md", (1_000_000_000, 1_000_000_000))
    preview = resolve("a.md", workspace)
    assert preview.kind is SourceKind.FILE
    assert preview.place == "."
    assert preview.size == 4
    assert preview.modified is not None
    assert preview.modified.timestamp() == 1_000_000_000
    assert preview.modified.tzinfo is not None


def test_a_file_outside_keeps_its_absolute_path(workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "out.md").write_text("x")
    assert resolve("../out.md", workspace).sources[0].identity == (tmp_path / "out.md").as_posix()


def test_a_file_below_the_home_folder(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(workspace))
    assert resolve("~/a.md", workspace).sources[0].identity == "a.md"
    assert resolve("~nobody-here/a.md", workspace).problem == "文件不存在：~nobody-here/a.md"


def test_a_workspace_reached_through_a_link(workspace: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(workspace, target_is_directory=True)
    assert resolve(str(workspace / "a.md"), link).sources[0].identity == "a.md"
    assert resolve(str(link / "a.md"), workspace).sources[0].identity == "a.md"
    assert identity_of(link / "doc" / "b.txt", workspace) == "doc/b.txt"


def test_a_dragged_path_with_backslashes(workspace: Path) -> None:
    (workspace / "my notes (1).md").write_text("x")
    typed = str(workspace).replace(" ", "\\ ") + r"/my\ notes\ \(1\).md"
    assert split_words(typed) == [typed]
    assert resolve(typed, workspace).sources[0].identity == "my notes (1).md"


def test_a_name_with_a_backslash(workspace: Path) -> None:
    (workspace / r"a\b.md").write_text("x")
    assert resolve(r"a\b.md", workspace).sources[0].identity == r"a\b.md"


@pytest.mark.parametrize(
    "typed", ["../x", "a/../../x", "/etc/passwd", "..", "../*.md", "/etc", "missing/../../x"]
)
def test_outside_the_root(workspace: Path, typed: str) -> None:
    assert resolve(typed, workspace, workspace).problem.startswith(f"路径越界：{typed}（只能采集")


@pytest.mark.parametrize("typed", ["a.md", "..foo", "doc", "doc/*.txt"])
def test_inside_the_root(workspace: Path, typed: str) -> None:
    (workspace / "..foo").write_text("x")
    assert resolve(typed, workspace, workspace).problem == ""
    assert resolve(str(workspace / typed), workspace, workspace).problem == ""


def test_links_that_lead_outside(workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("x")
    (workspace / "link.md").symlink_to(tmp_path / "secret.md")
    (workspace / "dangling.md").symlink_to(tmp_path / "not there yet.md")
    (workspace / "folder").symlink_to(tmp_path, target_is_directory=True)
    for typed in ("link.md", "dangling.md", "folder", "folder/secret.md", "folder/*.md"):
        assert resolve(typed, workspace, workspace).problem.startswith(f"路径越界：{typed}（"), typed
    assert resolve("link.md", workspace).problem == ""


def test_a_link_inside_the_root(workspace: Path) -> None:
    (workspace / "link.md").symlink_to("a.md")
    preview = resolve("link.md", workspace, workspace)
    assert preview.problem == ""
    assert preview.sources[0].identity == "link.md"


def test_special_files(workspace: Path) -> None:
    os.mkfifo(workspace / "pipe")
    assert resolve("pipe", workspace).problem == "不是普通文件：pipe"
    assert resolve("/dev/null", workspace).problem == "不是普通文件：/dev/null"


@needs_permissions
def test_an_unreadable_folder(workspace: Path) -> None:
    (workspace / "doc").chmod(0)
    try:
        assert resolve("doc", workspace).problem.startswith("读不了文件夹")
        assert resolve("doc/b.txt", workspace).problem == "没有读取权限：doc/b.txt"
    finally:
        (workspace / "doc").chmod(0o755)


def test_a_folder_is_all_its_files(workspace: Path) -> None:
    preview = resolve(".", workspace)
    assert preview.kind is SourceKind.FOLDER
    assert preview.place == "."
    assert [source.identity for source in preview.sources] == ["a.md", "doc/b.txt"]
    assert preview.size == 5
    assert preview.modified is None


def test_a_folder_without_usable_files(workspace: Path) -> None:
    (workspace / "empty").mkdir()
    assert resolve("empty", workspace).problem == "没有可以采集的文件：empty"
    (workspace / "empty" / "x.png").write_bytes(b"\x89PNG")
    preview = resolve("empty", workspace)
    assert preview.problem == "没有可以采集的文件：empty（跳过 1：二进制文件 1）"
    assert preview.skipped == {"二进制文件": 1}


def test_patterns(workspace: Path) -> None:
    (workspace / "doc" / "deep").mkdir()
    (workspace / "doc" / "deep" / "c.md").write_text("c")
    found = {
        "*.md": ["a.md"],
        "**/*.md": ["a.md", "doc/deep/c.md"],
        "doc/**": ["doc/b.txt", "doc/deep/c.md"],
        "doc/?.txt": ["doc/b.txt"],
        "[ab].*": ["a.md"],
        "[!b].md": ["a.md"],
        "*/*": ["doc/b.txt"],
    }
    for typed, names in found.items():
        preview = resolve(typed, workspace)
        assert [source.identity for source in preview.sources] == names, typed
        assert preview.kind is SourceKind.FOLDER


def test_a_name_that_looks_like_a_pattern(workspace: Path) -> None:
    (workspace / "a[1].md").write_text("x")
    preview = resolve("a[1].md", workspace)
    assert preview.kind is SourceKind.FILE
    assert preview.sources[0].identity == "a[1].md"
