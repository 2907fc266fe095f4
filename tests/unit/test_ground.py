"""The ground that every room stands on: languages, files, workspaces."""

import json
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from geekagent_tui import i18n, paths
from geekagent_tui.files import locked, set_aside, write_atomically


@pytest.mark.parametrize(
    ("environ", "language"),
    [
        ({}, "zh"),
        ({"LANG": "C"}, "zh"),
        ({"LANG": "POSIX"}, "zh"),
        ({"LANG": "C.UTF-8"}, "zh"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_TW"}, "zh"),
        ({"LANG": "en_US.UTF-8"}, "en"),
        ({"LANG": "de_DE@euro"}, "en"),
        ({"LC_ALL": "en_GB.UTF-8", "LANG": "zh_CN.UTF-8"}, "en"),
        ({"LC_MESSAGES": "zh_CN.UTF-8", "LANG": "en_US.UTF-8"}, "zh"),
        ({"LC_ALL": "", "LANG": "en_US.UTF-8"}, "en"),
    ],
)
def test_the_language_comes_from_the_locale_variables(environ: dict[str, str], language: str) -> None:
    assert i18n.detect_language(environ) == language


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(ValueError, match="klingon"):
        i18n.set_language("klingon")


def test_an_atomic_write_is_private_and_leaves_nothing_behind(tmp_path: Path) -> None:
    target = tmp_path / "data.json"
    write_atomically(target, b"old")
    write_atomically(target, b"new")
    assert target.read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [target]


def test_a_failed_write_keeps_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "folder"
    target.mkdir()
    (target / "kept").write_text("here")
    with pytest.raises(OSError, match=r"directory|Directory"):
        write_atomically(target, b"new")
    assert (target / "kept").read_text() == "here"
    assert list(tmp_path.iterdir()) == [target]


def test_a_broken_file_is_set_aside_beside_itself(tmp_path: Path) -> None:
    broken = tmp_path / "index.json"
    broken.write_text("{")
    aside = set_aside(broken)
    assert aside.read_text() == "{"
    assert aside.name.startswith("index.json.broken-")
    assert not broken.exists()


def test_a_lock_keeps_others_out_until_it_is_let_go(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    order: list[str] = []

    def second() -> None:
        with locked(lock):
            order.append("second")

    with locked(lock):
        thread = threading.Thread(target=second)
        thread.start()
        thread.join(0.05)
        order.append("first")
    thread.join()
    assert order == ["first", "second"]


def test_the_nearest_workspace_above_is_found(tmp_path: Path) -> None:
    (tmp_path / paths.FOLDER).mkdir()
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    assert paths.find_workspace(deep).folder == tmp_path.resolve()


def test_a_workspace_is_private_and_out_of_git(tmp_path: Path) -> None:
    workspace = paths.Workspace(tmp_path)
    workspace.create()
    assert stat.S_IMODE(workspace.home.stat().st_mode) == 0o700
    assert "*" in (workspace.home / ".gitignore").read_text().split()


def test_the_help_imports_nothing_heavy() -> None:
    script = (
        "import sys, json\n"
        "from geekagent_tui.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))\n"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = set(json.loads(run.stdout.splitlines()[-1]))
    assert not loaded & {
        "textual",
        "rich",
        "httpx",
        "openai",
        "sqlite3",
        "tantivy",
        "trafilatura",
        "selectolax",
        "asyncio",
    }
