"""No path leads out of the root: not by dots, links, links to nothing, odd names, or a race."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from geekagent_tui.agent import spots
from geekagent_tui.agent.confined import Confined, PathError


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("secret")
    root = tmp_path / "root"
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / "file").write_text("inside")
    return root


def read(root: Path, path: str) -> str:
    with Confined(root).spot(path) as spot:
        return spots.read(spot).decode()


def path_of(root: Path, path: str) -> str:
    with Confined(root).spot(path) as spot:
        return spot.path


@pytest.mark.parametrize(
    "path",
    [
        "..",
        "../outside/secret",
        "a/../../outside/secret",
        "/etc/passwd",
        "~",
        "~/x",
        "a/b/../../..",
        "/",
        "//",
    ],
)
def test_dots_and_absolute_paths_stay_inside(root: Path, path: str) -> None:
    with pytest.raises(PathError, match="路径越界"):
        path_of(root, path)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a/file", "a/file"),
        ("./a//b/../file", "a/file"),
        ("", "."),
        (".", "."),
        ("a/..", "."),
        ("..foo", "..foo"),
        ("new/deep/file", "new/deep/file"),
        ("./~", "~"),
    ],
)
def test_paths_have_one_spelling(root: Path, path: str, expected: str) -> None:
    assert path_of(root, path) == expected
    assert path_of(root, str(root / path.removeprefix("./"))) == expected


def test_odd_names_are_refused_or_found(root: Path) -> None:
    with pytest.raises(PathError, match="NUL"):
        path_of(root, "a\0b")
    with pytest.raises(PathError, match="不能用作文件名"):
        path_of(root, "a\ud800b")
    (root / os.fsdecode(b"\xff\xfe")).write_text("bytes")
    assert read(root, os.fsdecode(b"\xff\xfe")) == "bytes"
    with pytest.raises(PathError):
        path_of(root, "x" * 300)


def test_links_inside_are_followed_to_their_real_path(root: Path) -> None:
    (root / "rel").symlink_to("a/file")
    (root / "abs").symlink_to(root / "a")
    (root / "a" / "b" / "up").symlink_to("../../rel")
    assert path_of(root, "rel") == path_of(root, "abs/file") == path_of(root, "a/b/up") == "a/file"
    assert path_of(root, "abs/new") == "a/new"
    assert read(root, "a/b/up") == "inside"


@pytest.mark.parametrize("target", ["../outside/secret", "/etc/passwd", "../outside", "a/../../outside"])
def test_links_to_the_outside_are_refused(root: Path, target: str) -> None:
    (root / "link").symlink_to(target)
    for path in ("link", "link/secret"):
        with pytest.raises(PathError, match="路径越界"):
            path_of(root, path)


def test_links_to_nothing_are_refused(root: Path) -> None:
    (root / "inside").symlink_to("not/there")
    (root / "outside").symlink_to("../outside/new.txt")
    (root / "chain").symlink_to("inside")
    for path in ("inside", "chain", "inside/x"):
        with pytest.raises(PathError, match="不存在"):
            path_of(root, path)
    with pytest.raises(PathError, match="路径越界"):
        path_of(root, "outside")


def test_links_in_a_circle_end(root: Path) -> None:
    (root / "x").symlink_to("y")
    (root / "y").symlink_to("x")
    with pytest.raises(PathError, match="符号链接太多"):
        path_of(root, "x")


def test_special_files_are_not_read(root: Path) -> None:
    os.mkfifo(root / "pipe")
    with pytest.raises(PathError, match="不是普通文件"):
        read(root, "pipe")
    with pytest.raises(PathError, match="是文件夹"):
        read(root, "a")


def test_a_new_file_makes_its_folders_and_leaves_nothing_else(root: Path) -> None:
    with Confined(root).spot("x/y/z") as spot:
        spots.replace(spot, b"data")
    assert (root / "x/y/z").read_bytes() == b"data"
    assert [file.name for file in (root / "x/y").iterdir()] == ["z"]


def test_replacing_keeps_permissions_and_links(root: Path) -> None:
    (root / "a/file").chmod(0o751)
    (root / "link").symlink_to("a/file")
    with Confined(root).spot("link") as spot:
        spots.replace(spot, b"new")
    assert (root / "link").is_symlink()
    assert (root / "a/file").read_bytes() == b"new"
    assert (root / "a/file").stat().st_mode & 0o777 == 0o751


def test_a_folder_swapped_for_a_link_leads_nowhere(root: Path) -> None:
    """A thread swaps a folder for a link to the outside as fast as it can: nothing there is touched."""
    (root / "flip").mkdir()
    (root / "flip/secret").write_text("inside")
    outside = root.parent / "outside"
    stop = threading.Event()
    swaps = 0

    def swap() -> None:
        nonlocal swaps
        while not stop.is_set():
            (root / "flip").rename(root / "kept")
            (root / "flip").symlink_to(outside)
            (root / "flip").unlink()
            (root / "kept").rename(root / "flip")
            swaps += 1

    thread = threading.Thread(target=swap)
    thread.start()
    confined = Confined(root)
    done = 0
    try:
        while done < 300 or swaps < 300:
            done += 1
            try:
                with confined.spot("flip/secret") as spot:
                    if spot.missing:
                        continue
                    content = spots.read(spot)
                    spots.replace(spot, b"inside")
            except PathError:
                continue
            assert content == b"inside"
    finally:
        stop.set()
        thread.join()
    assert [file.name for file in outside.iterdir()] == ["secret"]
    assert (outside / "secret").read_text() == "secret"
