"""From a folder below the workspace, paths mean what they mean in a shell."""

from pathlib import Path

import pytest

from geekagent_tui.cli.here import from_here
from geekagent_tui.paths import Workspace


def test_paths_start_at_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    below = tmp_path / "notes"
    below.mkdir()
    (below / "a.md").touch()
    monkeypatch.chdir(below)
    words = ["a.md", "*.md", "@a.md", "missing.md", "7", "http://a.md/", "/x", "~", "-", "*.txt"]
    here = str(below)
    expected = [f"{here}/a.md", f"{here}/*.md", f"@{here}/a.md", *words[3:]]
    assert from_here(words, Workspace(tmp_path)) == expected
    assert from_here(words, Workspace(below)) == words
