"""Time to the first frame, against a minimal three-panel Textual app, in a real pseudo-terminal."""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import pexpect

RUNS = 9
MINIMAL = """
from textual.app import App
from textual.containers import Horizontal, Vertical
from textual.widgets import Static, TextArea
class Minimal(App):
    def compose(self):
        with Horizontal():
            with Vertical():
                yield Static("chat")
                yield TextArea()
            with Vertical():
                yield Static("knowledge")
                yield Static("tools")
Minimal().run()
"""
SOURCES = Path(__file__).resolve().parents[1] / "src"


def first_frame(command: list[str], shown: str, home: Path) -> float:
    """Seconds until `shown` is written to the terminal."""
    env = {
        **os.environ,
        "HOME": str(home),
        "PYTHONPATH": str(SOURCES),
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
    }
    start = time.perf_counter()
    child = pexpect.spawn(command[0], command[1:], dimensions=(40, 140), env=env, cwd=str(home), timeout=30)
    child.expect_exact(shown.encode())
    seconds = time.perf_counter() - start
    child.close(force=True)
    return seconds


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        ours, theirs = [], []
        for _ in range(RUNS):
            theirs.append(first_frame([sys.executable, "-c", MINIMAL], "knowledge", home))
            ours.append(first_frame([sys.executable, "-m", "geekagent_tui"], "知识库", home))
    mine, peer = statistics.median(ours), statistics.median(theirs)
    print("| app | first frame, median of", RUNS, "|")
    print("|---|---|")
    print(f"| minimal three-panel Textual app | {peer * 1000:.0f} ms |")
    print(f"| geekagent | {mine * 1000:.0f} ms |")
    print(f"| ratio (bar 1.5) | {mine / peer:.2f} |")


if __name__ == "__main__":
    main()
