"""The command line's own parts: what it prints, what it logs, which language it speaks, what it refuses."""

from __future__ import annotations

import io
import json
import logging
import stat
import sys
from pathlib import Path

import pytest

from geekagent_tui.cli import logs
from geekagent_tui.cli.output import Output
from geekagent_tui.sanitize import clean
from support.shell import Shell

HOSTILE = "a\x1b]52;c;x\x07\x9b\u061c\u200b\u202e\u2066\ufeff\u2028\U000e0041\udc80\ufffe中😀\u200d"


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
def test_a_json_value_is_harmless_and_whole_in_every_encoding(
    monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding))
    output = Output(as_json=True)
    output.value({"text": HOSTILE})
    output.error("interrupted", "too late for a second value")
    shown = raw.getvalue().decode(encoding)
    assert shown == clean(shown)
    assert shown.count("\n") == 1
    assert json.loads(shown) == {"text": HOSTILE}
    assert ("中😀\u200d" in shown) is (encoding == "utf-8")


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "log" / "geekagent.log"
    monkeypatch.setattr(logs, "log_file", lambda: path)
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", [])
    monkeypatch.setattr(root, "level", root.level)
    logs.start_logging()
    return path


def logger() -> logging.Logger:
    """A logger that writes to the log file alone: pytest can't carry what these tests write."""
    alone = logging.Logger("a")
    alone.addHandler(logging.getLogger().handlers[0])
    return alone


def close_log() -> None:
    logging.getLogger().handlers[0].close()


def test_no_record_of_the_log_can_be_forged(log: Path) -> None:
    forged = "2026-01-01 00:00:00,000 1 ERROR x: forged"
    try:
        raise ValueError(f"\x1b[2J\r{forged}\u2028{forged}")
    except ValueError:
        logger().exception("title %s", f"\n{forged}\u202e\ud800")
    close_log()
    text = log.read_text(encoding="utf-8")
    assert text == clean(text)
    first, *others = text.splitlines()
    assert first.endswith(" ERROR a: title ")
    assert sum(forged in line for line in others) >= 3
    assert all(line.startswith("    ") for line in others)


@pytest.mark.parametrize("old", [False, True])
def test_the_log_is_its_owner_s(log: Path, old: bool) -> None:
    if old:
        log.touch()
        log.chmod(0o644)
    logger().warning("b")
    close_log()
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert log.read_text(encoding="utf-8").endswith(" WARNING a: b\n")


@pytest.mark.parametrize("writable", [False, True])
def test_what_can_not_be_logged_stops_nobody(
    log: Path, capfd: pytest.CaptureFixture[str], writable: bool
) -> None:
    if not writable:
        log.mkdir()
    logger().warning("%d", "no number")
    close_log()
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("toml", "words", "locale", "told"),
    [
        ('[ui]\nlanguage = "en"', [], "C.UTF-8", "knowledge base"),
        ('[ui]\nlanguage = "zh"', [], "en_US.UTF-8", "知识库"),
        ('[ui]\nlanguage = "en"', ["--lang", "zh"], "en_US.UTF-8", "知识库"),
        ('[ui]\nlanguage = "zh"', ["--lang=en"], "C.UTF-8", "knowledge base"),
        ('[ui]\nlanguage = "en"', ["--lang", "en", "--lang", "zh"], "C.UTF-8", "知识库"),
        ('[ui]\nlanguage = "klingon"', [], "en_US.UTF-8", "knowledge base"),
        ("[ui\nlanguage", [], "C.UTF-8", "知识库"),
        ("ui = 3", [], "en_US.UTF-8", "knowledge base"),
        (None, [], "C.UTF-8", "知识库"),
    ],
)
def test_the_language(shell: Shell, toml: str | None, words: list[str], locale: str, told: str) -> None:
    shell.env["LANG"] = locale
    if toml is not None:
        file = shell.home / ".config" / "geekagent" / "config.toml"
        file.parent.mkdir(parents=True)
        file.write_text(toml)
    helped = shell("--help", *words)
    assert (helped.returncode, told in helped.stdout) == (0, True), helped.stderr
    missing = shell("rag", "show", "x", *words)
    assert (missing.returncode, told in missing.stderr) == (1, True)


def test_ask_tells_that_a_named_model_can_not_be_used(shell: Shell) -> None:
    named = shell("ask", "你好", "--model", "gpt-5")
    assert (named.returncode, named.stderr.count("\n")) == (0, 1)
    assert "没有配置模型服务，「gpt-5」用不上" in named.stderr
    for words in (["--model", "offline"], []):
        asked = shell("ask", "你好", *words)
        assert (asked.returncode, asked.stdout, asked.stderr) == (0, named.stdout, "")


def test_reading_the_settings_makes_no_workspace(shell: Shell) -> None:
    (shell.folder / "a.md").write_text("鲸鱼在夜里唱歌。")
    assert shell("rag", "add", "a.md").returncode == 3
    assert list(shell.folder.iterdir()) == [shell.folder / "a.md"]
