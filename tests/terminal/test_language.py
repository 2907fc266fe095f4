"""The screen speaks the language of config.toml; `--lang` overrides it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from support.terminal import Terminal
from terminal.conftest import Place

pytestmark = pytest.mark.terminal


@pytest.mark.parametrize(("words", "told"), [((), "offline"), (("--lang", "zh"), "离线")])
def test_the_language_of_the_screen(place: Place, words: tuple[str, ...], told: str) -> None:
    file = Path(place.env["HOME"]) / ".config" / "geekagent" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text('[ui]\nlanguage = "en"\n')
    command = [sys.executable, "-m", "geekagent_tui", *words]
    with Terminal(command, cwd=place.folder, env=place.env) as screen:
        screen.wait(told)
        screen.press("ctrl+q")
        assert screen.wait_end() == 0
