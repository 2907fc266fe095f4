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


@pytest.mark.parametrize(
    "word",
    ["a**", "**b", "x" * 300, "x" * 300 + "/*.md", "[", "[a-", "***", "a\udcff", "loop/x", "..", "a/../**"],
)
def test_odd_words_are_no_reason_to_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    below = tmp_path / "notes"
    below.mkdir()
    (below / "loop").symlink_to("loop")
    monkeypatch.chdir(below)
    (meant,) = from_here([word], Workspace(tmp_path))
    assert meant in {word, f"{below}/{word}"}
