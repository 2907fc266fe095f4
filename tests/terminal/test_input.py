"""What terminals send that people don't type, and what people type faster than they can."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pytest

from support.terminal import Terminal
from terminal.conftest import Place

pytestmark = [pytest.mark.terminal, pytest.mark.timeout(180)]


def log_of(place: Place) -> str:
    logs = list(Path(place.env["HOME"]).rglob("*.log"))
    return "".join(log.read_text(encoding="utf-8") for log in logs)


@pytest.mark.parametrize(
    "sent",
    [b"\xff", b"\xc3(", b"\x1b[M \xc8\xe0", b"\xe4\xb8", b"\x1b[48;a;b;c;dt", b"\x80\x9b31m"],
    ids=["byte", "pair", "mouse", "half", "resize", "c1"],
)
def test_bytes_that_are_no_text_end_nothing(place: Place, sent: bytes) -> None:
    with place.open() as app:
        app.wait("离线")
        app.type("这是草稿")
        app.wait("这是草稿")
        app.send(sent)
        app.type("还在")
        app.wait(lambda screen: "这是草稿" in screen and "还在" in screen)
        app.press("ctrl+q")
        assert app.wait_end() == 0


def test_a_terminal_that_goes_away_is_no_fault(place: Place) -> None:
    with place.open() as app:
        app.wait("离线")
        assert app.hang_up() == 0
    assert "Traceback" not in log_of(place)


BROKEN = """
from geekagent_tui.ui.driver import TerminalDriver

def broken(self):
    raise ValueError("cannot read")

TerminalDriver.run_input_thread = broken
import runpy
runpy.run_module("geekagent_tui", run_name="__main__")
"""


def test_input_that_can_not_be_read_at_all_is_told(place: Place) -> None:
    with Terminal([sys.executable, "-c", BROKEN], cwd=place.folder, env=place.env) as app:
        assert app.wait_end() == 1
        assert "界面出错，已退出" in app.text
    assert "cannot read" in log_of(place)


def test_fifty_messages_in_one_burst_are_fifty(place: Place) -> None:
    with place.open() as app:
        app.wait("离线")
        wanted = [f"第 {number} 条 burst" for number in range(50)]
        for first in range(0, 50, 10):  # as much as the terminal's own buffer takes
            app.type("".join(f"{text}\r" for text in wanted[first : first + 10]))
            app.pump()
        app.wait(
            lambda screen: "第 49 条 burst" in screen and "等待中" not in screen and "思考中" not in screen,
            120,
        )
        app.press("ctrl+q")
        assert app.wait_end() == 0
    records = [
        json.loads(line)
        for session in place.folder.rglob("*.jsonl")
        for line in session.read_text(encoding="utf-8").splitlines()
    ]
    assert [record["text"] for record in records if record.get("type") == "user"] == wanted


def test_ctrl_z_suspends_and_coming_back_draws_everything(place: Place) -> None:
    with place.open() as app:
        app.wait("离线")
        app.type("草稿在")
        app.wait("草稿在")
        app.press("ctrl+z")
        until = time.monotonic() + 20
        while not app.stopped:
            assert time.monotonic() < until
            app.pump()
        app.pump()
        app.resume()
        app.wait(lambda screen: "草稿在" in screen and "知识库" in screen)
        app.type("这里")
        app.wait("草稿在这里")
        app.press("ctrl+q")
        assert app.wait_end() == 0
