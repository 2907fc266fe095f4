"""A real pseudo-terminal with a program in it, read as a person would: by what is on the screen."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType

import pexpect
import pyte

# Sequences that pyte prints instead of obeying: Kitty keyboard (CSI > u, CSI < u), mode queries (CSI ? $ p),
# window operations (CSI t), device attributes with a prefix (CSI > q).
_UNKNOWN = re.compile(rb"\x1b\[[<>=][0-9;]*[a-zA-Z]|\x1b\[\?[0-9;]*\$p|\x1b\[[0-9;]*t|\x1b\[[0-9 ]+ q")

KEYS = {
    "enter": "\r",
    "escape": "\x1b",
    "tab": "\t",
    "shift+tab": "\x1b[Z",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "ctrl+c": "\x03",
    "ctrl+j": "\n",
    "ctrl+p": "\x10",
    "ctrl+q": "\x11",
    "ctrl+z": "\x1a",
    "f1": "\x1bOP",
    "f2": "\x1bOQ",
    "f3": "\x1bOR",
    "f4": "\x1bOS",
    "f5": "\x1b[15~",
}


class Terminal:
    """A program running in a pseudo-terminal of a given size."""

    def __init__(
        self, command: Sequence[str], *, size: tuple[int, int] = (140, 40), cwd: Path, env: Mapping[str, str]
    ) -> None:
        columns, rows = size
        self.raw = b""
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._child = pexpect.spawn(
            command[0],
            list(command[1:]),
            dimensions=(rows, columns),
            cwd=str(cwd),
            env={"TERM": "xterm-256color", "PATH": os.environ["PATH"], **env},
            timeout=30,
            # A test run in the background of a shell ignores Ctrl+C, and so would what it starts
            preexec_fn=partial(signal.signal, signal.SIGINT, signal.default_int_handler),
        )

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._child.close(force=True)

    @property
    def text(self) -> str:
        """What is on the screen now, one line a row; a wide character counts once."""
        return "\n".join(self.lines)

    @property
    def lines(self) -> list[str]:
        """The rows of the screen."""
        buffer = self._screen.buffer
        return [
            "".join(buffer[row][column].data for column in range(self._screen.columns)).rstrip()
            for row in range(self._screen.lines)
        ]

    def type(self, text: str) -> None:
        """Type text."""
        self._child.send(text)

    def send(self, data: bytes) -> None:
        """Send bytes as they are."""
        os.write(self._child.child_fd, data)

    def hang_up(self, seconds: float = 30) -> int:
        """Take the terminal away, as closing its window does; return the program's exit code."""
        child = self._child.ptyproc
        child.fileobj.close()
        child.closed = True
        until = time.monotonic() + seconds
        while child.isalive():
            assert time.monotonic() < until, "the program did not end"
            time.sleep(0.05)
        return int(child.exitstatus if child.exitstatus is not None else -1)

    @property
    def stopped(self) -> bool:
        """Whether the program is suspended, as by Ctrl+Z."""
        asked = ["ps", "-o", "stat=", "-p", str(self._child.pid)]
        return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.startswith("T")

    def resume(self) -> None:
        """Wake the suspended program, as `fg` does, on a screen that the shell has used meanwhile."""
        self._screen.reset()
        os.kill(self._child.pid, signal.SIGCONT)

    def press(self, *keys: str) -> None:
        """Press keys by name, or single characters."""
        for key in keys:
            self._child.send(KEYS.get(key, key))

    def click(self, text: str) -> None:
        """Click the first place on the screen that shows `text` (SGR mouse reports)."""
        for row, line in enumerate(self.lines):
            if (at := line.find(text)) >= 0:
                column = sum(2 if len(c.encode()) > 2 else 1 for c in line[:at]) + 1
                for end in "Mm":
                    self._child.send(f"\x1b[<0;{column + 1};{row + 1}{end}")
                return
        raise AssertionError(f"{text!r} is not on the screen:\n{self.text}")

    def resize(self, columns: int, rows: int) -> None:
        """Change the window's size, as a window manager does."""
        self._screen.resize(rows, columns)
        self._child.setwinsize(rows, columns)

    def pump(self, seconds: float = 0.05) -> None:
        """Read what the program writes, for a moment."""
        try:
            data = self._child.read_nonblocking(1 << 16, timeout=seconds)
        except (pexpect.TIMEOUT, pexpect.EOF):
            return
        self.raw += data
        self._stream.feed(_UNKNOWN.sub(b"", data))

    def wait(self, condition: str | Callable[[str], bool], seconds: float = 30) -> str:
        """Read until the screen shows a text, or a condition on it holds; return the screen."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.pump()
            shown = self.text
            if condition in shown if isinstance(condition, str) else condition(shown):
                return shown
            if not self._child.isalive() and self._child.flag_eof:
                break
        wanted = condition if isinstance(condition, str) else condition.__name__
        raise AssertionError(f"waited for {wanted!r}; the screen shows:\n{self.text}")

    def wait_end(self, seconds: float = 30) -> int:
        """Read until the program ends; return its exit code."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.pump()
            if not self._child.isalive():
                self.pump(0)
                return int(self._child.exitstatus if self._child.exitstatus is not None else -1)
        raise AssertionError(f"the program did not end; the screen shows:\n{self.text}")
