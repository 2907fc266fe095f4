"""What was pasted is offered to the knowledge base only when it is nothing but sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from geekagent_tui.ui.pasted import only_sources


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "my notes.md").write_text("x")
    return tmp_path


@pytest.mark.parametrize(
    "text",
    [
        "https://example.org/a?b=c#d",
        "http://a.example/\nhttp://b.example/x\n",
        "./docs",
        "docs/",
        '"docs/my notes.md" http://a.example/',
    ],
)
def test_sources(folder: Path, text: str) -> None:
    assert only_sources(text, folder)


def test_a_dropped_path_with_escaped_spaces(folder: Path) -> None:
    assert only_sources(str(folder / "docs" / "my notes.md").replace(" ", "\\ "), folder)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "docs",
        "看看 https://example.org/ 说了什么",
        "/help",
        "/rag add docs/",
        "./missing.md",
        "and/or",
        "javascript:alert(1)",
        "~nobody-here/x",
        "https://",
        "/" + "a" * 5000,
        "./" + "a" * 3000,
        "./a\0b",
        "http://a.example/ " * 60,
    ],
)
def test_no_sources(folder: Path, text: str) -> None:
    assert not only_sources(text, folder)
