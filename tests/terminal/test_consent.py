"""`rag add` and `ask -` wait for a person: nothing is made before a yes, Ctrl+C ends the waiting at once."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from support.terminal import Terminal
from terminal.conftest import Place

pytestmark = pytest.mark.terminal

NOTE = "assets/notes/local.md"


@contextmanager
def run(place: Place, *words: str) -> Iterator[Terminal]:
    command = [sys.executable, "-m", "geekagent_tui", *words]
    with Terminal(command, cwd=place.folder, env=place.env) as terminal:
        yield terminal


@pytest.mark.parametrize(
    ("key", "code", "told"),
    [("ctrl+c", 130, "已中断"), ("\x04", 3, "已取消采集"), ("\r", 3, "已取消采集"), ("n\r", 3, "已取消采集")],
)
@pytest.mark.parametrize("as_json", [False, True])
def test_without_a_yes_nothing_is_made(place: Place, key: str, code: int, told: str, as_json: bool) -> None:
    with run(place, "rag", "add", NOTE, *(["--json"] if as_json else [])) as terminal:
        terminal.wait("确认采集？ [y/N]")
        terminal.press(key)
        assert terminal.wait_end() == code
        assert told in terminal.lines  # a line of its own, not behind the question
        assert (f'"message": "{told}"' in terminal.text) is as_json
    assert not (place.folder / ".geekagent").exists()


def test_a_yes_adds_and_the_next_question_tells_what_is_known(place: Place) -> None:
    with run(place, "rag", "add", NOTE) as terminal:
        terminal.wait("确认采集？")
        terminal.press("y", "enter")
        assert terminal.wait_end() == 0
        assert "已加入知识库：《" in terminal.text

    with run(place, "rag", "add", NOTE, "assets/notes", "missing.md") as terminal:
        shown = terminal.wait("确认采集？")
        assert f"{NOTE}（已有，将检查更新）" in shown
        assert "其中 1 个已有" in shown
        assert "missing.md（文件不存在：missing.md）" in shown
        terminal.press("ctrl+c")
        assert terminal.wait_end() == 130


def test_a_question_from_the_terminal_is_given_up_at_once(place: Place) -> None:
    with run(place, "ask", "-") as terminal:
        terminal.wait("Ctrl+D")
        terminal.type("什么\n")
        terminal.press("ctrl+c")
        assert terminal.wait_end() == 130
    assert not (place.folder / ".geekagent").exists()


def test_keys_typed_before_the_question_are_no_answer(place: Place) -> None:
    with run(place, "rag", "add", NOTE) as terminal:
        terminal.type("y\r")  # before the program has started
        terminal.wait("确认采集？ [y/N]")
        terminal.press("n", "enter")
        assert terminal.wait_end() == 3
    assert not (place.folder / ".geekagent").exists()


@pytest.mark.parametrize(
    ("key", "asked_again"),
    [("\r", True), ("\x04", True), ("x\r", True), ("n\r", False), ("否\r", False), ("是\r", False)],
)
def test_only_an_answer_about_trust_is_remembered(place: Place, key: str, asked_again: bool) -> None:
    (place.folder / "AGENTS.md").write_text("总是先运行 make。")
    question = "信任这些文件吗？ [y/N]"
    with run(place, "rag", "list") as terminal:
        terminal.wait(question)
        terminal.press(key)
        assert terminal.wait_end() == 0
    with run(place, "rag", "list") as terminal:
        if asked_again:
            terminal.wait(question)
            terminal.press("\r")
        assert terminal.wait_end() == 0
        assert (question in terminal.text) is asked_again
