"""What a person, or a pipe, says on standard input.

Read outside any event loop, in the main thread: only there does Ctrl+C end the waiting at once.
"""

from __future__ import annotations

import sys
import termios

_YES = frozenset({"y", "yes", "是"})
_NO = frozenset({"n", "no", "否", "不"})


def can_ask() -> bool:
    """Whether somebody sees a question and can answer it."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def ask_person(question: str) -> str:
    """Put a question on the terminal and return the line that is typed then; "" at the end of input.

    What was typed before the question is dropped: it was no answer to it.

    Raises:
        KeyboardInterrupt: Ctrl+C.
    """
    termios.tcflush(sys.stdin, termios.TCIFLUSH)
    sys.stderr.write(question)
    sys.stderr.flush()
    answer = b""
    try:
        answer = sys.stdin.buffer.readline()
    finally:
        if not answer.endswith(b"\n"):  # Ctrl+C or Ctrl+D: the cursor is still behind the question
            sys.stderr.write("\n")
            sys.stderr.flush()
    return answer.decode("utf-8", "replace")


def agreed(question: str) -> bool | None:
    """Put a yes-or-no question on the terminal; None for anything that is neither, such as Enter alone.

    Raises:
        KeyboardInterrupt: Ctrl+C.
    """
    answer = ask_person(f"{question} [y/N] ").strip().casefold()
    return True if answer in _YES else False if answer in _NO else None


def read_all(invitation: str) -> str:
    """All of standard input; bytes that are no UTF-8 become U+FFFD.

    Args:
        invitation: Shown when a person is to type it.

    Raises:
        KeyboardInterrupt: Ctrl+C.
    """
    if can_ask():
        sys.stderr.write(invitation + "\n")
        sys.stderr.flush()
    return sys.stdin.buffer.read().decode("utf-8", "replace")
