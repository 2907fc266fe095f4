"""How the command line speaks: values on stdout, messages on stderr, nothing that steers the terminal."""

from __future__ import annotations

import codecs
import json
import os
import sys
from dataclasses import dataclass, field
from typing import Any

from geekagent_tui.i18n import _
from geekagent_tui.reasons import reason_of
from geekagent_tui.sanitize import clean, clean_line

_COLUMNS = 80
"""Of a terminal that does not tell how wide it is."""


class OutputError(Exception):
    """The result can't be written; `message` is a sentence."""

    code = "output_error"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@dataclass(slots=True)
class Output:
    """Writes for people, or with `--json` one JSON value for programs."""

    as_json: bool
    _told: bool = field(default=False, init=False)

    def value(self, value: Any) -> None:
        """Print the command's one JSON value, on one line that is safe to show; any other is dropped."""
        if not self._told:
            self._told = True
            _print(_harmless(value) + "\n")

    def json_piece(self, text: str) -> None:
        """Print a piece of a JSON value that is the result itself; what a terminal may obey is escaped."""
        self._told = True
        _print(_escaped_in(text))

    def line(self, text: str) -> None:
        """Print a line of the result for people; silent with `--json`."""
        if not self.as_json:
            self.write(text + "\n")

    def write(self, text: str) -> None:
        """Print a fragment of the result for people; silent with `--json`."""
        if not self.as_json:
            _print(clean(text))

    def message(self, text: str) -> None:
        """Tell people something beside the result."""
        sys.stderr.write(clean(text) + "\n")
        sys.stderr.flush()

    def progress(self, text: str) -> None:
        """Show where the work stands on one line that is written over, on a terminal only; "" removes it."""
        if sys.stderr.isatty():
            sys.stderr.write("\r\x1b[2K" + _fitting(clean_line(text)))
            sys.stderr.flush()

    def error(self, code: str, message: str) -> None:
        """Tell that the command failed: a sentence, and with `--json` the error value."""
        self.message(message)
        if self.as_json:
            self.value({"error": {"code": code, "message": message}})


def _fitting(line: str) -> str:
    """As much of a line as the terminal shows in one: what wraps can't be written over."""
    from rich.cells import cell_len, set_cell_size

    try:
        columns = os.get_terminal_size(sys.stderr.fileno()).columns or _COLUMNS
    except OSError:
        columns = _COLUMNS
    room = columns - 1  # in the last column some terminals wrap already
    return line if cell_len(line) <= room else set_cell_size(line, room - 1).rstrip() + "…"


def silence_closed_pipe() -> None:
    """Write to nowhere from now on, so that the interpreter's last flush can't fail either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print(text: str) -> None:
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        silence_closed_pipe()  # what is still buffered would fail again at the end
        raise OutputError(_("写不出结果：{reason}").format(reason=reason_of(error))) from error


def _harmless(value: Any) -> str:
    """A value as JSON in which whatever `clean` would remove or replace is escaped: nothing is lost."""
    utf8 = codecs.lookup(sys.stdout.encoding or "utf-8").name == "utf-8"
    return _escaped_in(json.dumps(value, ensure_ascii=not utf8, default=str))


def _escaped_in(text: str) -> str:
    odd = (character for character in set(text) if clean(character) != character)
    return text.translate({ord(character): _escaped(character) for character in odd})


def _escaped(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))
