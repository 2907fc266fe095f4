"""With ripgrep, `search` says exactly what it says without it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from geekagent_tui.agent.tools.ripgrep import candidates
from support.tooling import Workbench

needs_ripgrep = pytest.mark.skipif(shutil.which("rg") is None, reason="ripgrep is not installed")


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    bench = Workbench(tmp_path)
    bench.put("sub/.gitignore", "gone.txt\n")
    bench.put(".ignore", "*.md\n")
    for path in ("a.txt", "sub/b.md", "sub/gone.txt", "node_modules/c.txt", ".hidden/d.txt", "-e.txt"):
        bench.put(path, "first\nthe Needle here\n")
    bench.put("gbk.txt", "这是一些中文内容，后面有 needle。\n".encode("gb18030"))
    bench.put("utf16.txt", "\ufeffneedle 中文".encode("utf-16-le"))
    bench.put("other.txt", "nothing")
    return bench


@needs_ripgrep
@pytest.mark.parametrize("pattern", ["needle", "needle|other", "the needle", "NEEDLE", "nothing-there", "-e"])
@pytest.mark.parametrize("path", [".", "sub"])
async def test_answers_are_the_same(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch, pattern: str, path: str
) -> None:
    with_it = await bench.call("search", pattern=pattern, path=path)
    monkeypatch.setenv("PATH", "/nowhere")
    assert await bench.call("search", pattern=pattern, path=path) == with_it


@needs_ripgrep
def test_it_leaves_out_what_holds_no_match(bench: Workbench) -> None:
    with bench.confined.spot(".") as spot:
        found = candidates("needle", spot)
    assert found is not None
    assert "a.txt" in found
    assert "other.txt" not in found


@pytest.mark.parametrize("pattern", ["a.b", "知识库", "x+", "(a|b)", "a||b", "\\d", "a", ""])
def test_it_is_asked_for_plain_words_only(bench: Workbench, pattern: str) -> None:
    with bench.confined.spot(".") as spot:
        assert candidates(pattern, spot) is None
