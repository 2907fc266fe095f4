"""A user's shell: runs `geekagent` as a program, in a folder and a home of its own, without a terminal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from support.bases import SRC


class Shell:
    """Runs commands in `folder`.

    Attributes:
        folder: Where the user is.
        home: The user's home.
        env: The environment of every command.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.home = folder / "笔记", folder / "home"
        self.folder.mkdir()
        self.home.mkdir()
        self.env = {
            "HOME": str(self.home),
            "PYTHONPATH": str(SRC),
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
        }

    def __call__(self, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return subprocess.run(
            self._command(words),
            cwd=self.folder,
            env=self.env,
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    def rag(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run an action on the knowledge base to its end."""
        return self("rag", *words)

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Run a command beside; `interrupt` reaches it even when the tests run in the background."""
        return subprocess.Popen(
            self._command(words),
            cwd=self.folder,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            preexec_fn=_listen_to_interrupts,
        )

    def interrupt(self, process: subprocess.Popen[str]) -> None:
        """Press Ctrl+C."""
        process.send_signal(signal.SIGINT)

    def _command(self, words: tuple[str, ...]) -> list[str]:
        return [sys.executable, "-m", "geekagent_tui", *words]


def _listen_to_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
