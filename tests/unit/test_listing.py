from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from geekagent_tui.rag import limits
from geekagent_tui.rag.errors import SourceError
from geekagent_tui.rag.listing import list_files, matcher
from support.documents import archive, epub


def make(folder: Path, files: dict[str, str | bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def names(folder: Path, pattern: str = "**") -> list[str]:
    return [path.relative_to(folder).as_posix() for path in list_files(folder, pattern).files]


def test_order_does_not_depend_on_the_disk(tmp_path: Path) -> None:
    files = ["b.md", "a/z.md", "a.md", "a/b/c.md", "中.md", "a-b.md"]
    for name in reversed(files):
        make(tmp_path, {name: "x"})
    assert names(tmp_path) == sorted(files, key=lambda name: name.split("/"))


def test_hidden_binary_and_special_files_are_counted(tmp_path: Path) -> None:
    make(
        tmp_path,
        {
            "keep.md": "x",
            "no-suffix": "text",
            "utf16": "文字".encode("utf-16"),
            ".env": "KEY=1",
            ".git/config": "x",
            ".geekagent/rag/index.json": "{}",
            "photo.jpg": b"\xff\xd8\xff",
            "tool": b"\x7fELF\0\0",
            "data": b"abc\0def",
            "node_modules/x/index.js": "x",
        },
    )
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link.md").symlink_to("keep.md")
    (tmp_path / "loop").symlink_to(".", target_is_directory=True)
    listing = list_files(tmp_path)
    assert [path.name for path in listing.files] == ["keep.md", "no-suffix", "utf16"]
    assert dict(listing.skipped) == {
        "隐藏": 3,
        "二进制文件": 3,
        "已忽略（.gitignore 等）": 1,
        "特殊文件": 1,
        "符号链接": 2,
    }
    assert listing.size == sum((tmp_path / name).stat().st_size for name in ("keep.md", "no-suffix", "utf16"))


def test_documents_are_listed_archives_are_not(tmp_path: Path) -> None:
    make(
        tmp_path,
        {
            "a.pdf": b"%PDF-1.7",
            "b.docx": b"PK",
            "book": epub({}),
            "c.zip": b"PK",
            "d.xls": b"\xd0\xcf\x11\xe0",
            "e": archive({"a.txt": "text"}),
        },
    )
    listing = list_files(tmp_path)
    assert [path.name for path in listing.files] == ["a.pdf", "b.docx", "book"]
    assert dict(listing.skipped) == {"二进制文件": 3}


def test_gitignore_as_git_reads_it(tmp_path: Path) -> None:
    make(
        tmp_path,
        {
            ".git/HEAD": "x",
            ".gitignore": "*.log\nbuild/\n/top.md\n!keep.log\n",
            "a.log": "x",
            "keep.log": "x",
            "top.md": "x",
            "sub/top.md": "x",
            "sub/.gitignore": "!b.log\nsecret*\n",
            "sub/b.log": "x",
            "sub/secret.md": "x",
            "sub/build/x.md": "x",
            "build/y.md": "x",
        },
    )
    assert names(tmp_path) == ["keep.log", "sub/b.log", "sub/top.md"]
    assert list_files(tmp_path).skipped["已忽略（.gitignore 等）"] == 5


def test_rules_of_the_folders_above_count_too(tmp_path: Path) -> None:
    make(tmp_path, {".git/HEAD": "x", ".gitignore": "*.tmp\n", "sub/a.tmp": "x", "sub/a.md": "x"})
    assert names(tmp_path / "sub") == ["a.md"]


def test_rules_above_the_repository_do_not(tmp_path: Path) -> None:
    make(tmp_path, {".gitignore": "*\n", "repo/.git/HEAD": "x", "repo/a.md": "x"})
    assert names(tmp_path / "repo") == ["a.md"]


def test_a_gitignore_that_is_no_text(tmp_path: Path) -> None:
    make(tmp_path, {".gitignore": b"\xff\xfe\x00[", "a.md": "x"})
    assert names(tmp_path) == ["a.md"]


def test_a_name_that_is_no_utf8(tmp_path: Path) -> None:
    try:
        (tmp_path / os.fsdecode(b"\xc4\xe3.md")).write_text("x")
    except OSError:
        pytest.skip("this file system refuses such names")
    listing = list_files(tmp_path)
    assert listing.files == []
    assert dict(listing.skipped) == {"文件名不是有效的 UTF-8": 1}


def test_a_very_deep_folder(tmp_path: Path) -> None:
    folder = tmp_path
    for _ in range(300):
        folder = folder / "d"
        folder.mkdir()
    (folder / "x.md").write_text("x")
    assert len(list_files(tmp_path).files) == 1


def test_far_too_many_entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "FOLDER_ENTRIES", 3)
    make(tmp_path, {f"{n}.md": "x" for n in range(4)})
    with pytest.raises(SourceError, match="文件太多（超过 3 个）"):
        list_files(tmp_path)


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.md", ["a.md"]),
        ("**/*.md", ["a.md", "x/b.md", "x/y/c.md"]),
        ("x/**/*.md", ["x/b.md", "x/y/c.md"]),
        ("**/y/*", ["x/y/c.md"]),
        ("x/*.md", ["x/b.md"]),
        ("a.??", ["a.md"]),
        ("[!x]*", ["a.md"]),
        ("[", []),
        ("[]a].md", ["a.md"]),
        ("[\\w].md", []),
        ("a+.md", []),
        ("[z-a].md", []),
        ("**", ["a.md", "x/b.md", "x/y/c.md"]),
        ("**/**/c.*", ["x/y/c.md"]),
    ],
)
def test_patterns(tmp_path: Path, pattern: str, found: list[str]) -> None:
    make(tmp_path, {"a.md": "x", "x/b.md": "x", "x/y/c.md": "x"})
    assert names(tmp_path, pattern) == found


@given(st.text("ab*?[]!-/.", max_size=30), st.text("ab/.", max_size=60))
@example("*a" * 12 + "*b", "a" * 60)
@example("**/" * 12 + "b", "a/" * 30 + "a")
def test_no_pattern_fails_or_takes_for_ever(pattern: str, path: str) -> None:  # as backtracking would
    assert matcher(pattern)(path) in (True, False)


def test_a_walk_nobody_waits_for_ends_at_the_next_folder(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.md").write_text("x")
    asked: list[int] = []

    def stopped() -> bool:
        asked.append(1)
        return len(asked) > 2

    assert len(list_files(tmp_path, stopped=stopped).files) == 1
    assert len(list_files(tmp_path).files) == 3
