"""What may come next in the composer: commands, and paths after `/rag add`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.cells import cell_len
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from geekagent_tui.sanitize import clean_line
from geekagent_tui.ui.gateway import CommandHint
from geekagent_tui.ui.text import cell, one_line

_MOST = 50
_SCANNED = 5_000
"""Entries of one folder that are looked at."""
ADD = "/rag add "


@dataclass(frozen=True, slots=True)
class Completion:
    """One possibility.

    Attributes:
        text: The whole line when it is taken.
        label: What it is.
        detail: What it does; may be empty.
    """

    text: str
    label: str
    detail: str = ""


def commands(hints: Sequence[CommandHint], line: str) -> list[Completion]:
    """The commands that begin like a line, with their arguments and what they do."""
    found = []
    for hint in hints:
        label = f"{hint.name} {hint.usage}".strip()
        if hint.name.startswith(line) and line:
            found.append(Completion(hint.name + (" " if hint.usage else ""), label, hint.help))
    return found


def paths(folder: Path, line: str) -> list[Completion]:
    """The files and folders that the last word of a `/rag add` line may become.

    Reads a folder: call it off the event loop. Names that could not be typed or shown as they are, or that
    a quoted word can't hold, are left out.
    """
    start, word = _last_word(line)
    if "://" in word:
        return []
    parent, _slash, begun = word.rpartition("/")
    where = folder / Path(parent + _slash).expanduser() if parent or _slash else folder
    found: list[Completion] = []
    try:
        with os.scandir(where) as entries:
            for _number, entry in zip(range(_SCANNED), entries, strict=False):
                name = entry.name
                hidden = name.startswith(".") and not begun.startswith(".")
                if hidden or not name.startswith(begun) or name != clean_line(name) or '"' in name:
                    continue
                is_folder = entry.is_dir()
                path = parent + _slash + name + ("/" if is_folder else "")
                quoted = f'"{path}' + ("" if is_folder else '"') if " " in path or "'" in path else path
                end = "" if is_folder else " "
                found.append(Completion(line[:start] + quoted + end, path))
    except OSError:
        return []
    return sorted(found, key=lambda c: (not c.label.endswith("/"), c.label.casefold()))[:_MOST]


def _last_word(line: str) -> tuple[int, str]:
    """Where the last word begins, and the word without an opening quote."""
    position = len(ADD)
    start, quote = position, ""
    while position < len(line):
        character = line[position]
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'" and position == start:
            quote = character
        elif character == " ":
            start = position + 1
        position += 1
    return start, line[start:].lstrip("\"'")


def _line(completion: Completion, width: int) -> Content:
    if not completion.detail:
        return Content.styled(one_line(completion.label), "$user")
    return Content.assemble((cell(completion.label, width), "$user"), "   ", (completion.detail, "$muted"))


class Completions(OptionList, can_focus=False):
    """The possibilities, above the composer. The composer keeps the focus and moves the cursor here.

    Attributes:
        line: What they continue; they say nothing about any other line.
        moved: The user has chosen among them.
    """

    DEFAULT_CLASSES = "-closed"

    class Taken(Message):
        """The user clicked on one."""

        def __init__(self, completion: Completion, line: str) -> None:
            super().__init__()
            self.completion = completion
            self.line = line

    def __init__(self) -> None:
        super().__init__(id="completions", compact=True, markup=False)
        self._all: Sequence[Completion] = ()
        self.line = ""
        self.moved = False

    @property
    def is_open(self) -> bool:
        """Whether there is anything to choose from."""
        return not self.has_class("-closed")

    def chosen(self, line: str) -> Completion | None:
        """The one under the cursor, if they continue this line."""
        if not self.is_open or self.highlighted is None or line != self.line:
            return None
        return self._all[self.highlighted]

    def show(self, completions: Sequence[Completion], line: str) -> None:
        """Offer these for a line; none closes the list."""
        self._all, self.line = completions, line
        self.moved = False
        self.clear_options()
        self.set_class(not completions, "-closed")
        if not completions:
            return
        width = min(40, max(cell_len(c.label) for c in completions))
        self.add_options([Option(_line(c, width)) for c in completions])
        self.highlighted = 0

    def close(self, line: str | None = None) -> None:
        """Offer nothing, until the line is another one."""
        self.show((), self.line if line is None else line)

    def move(self, step: int) -> None:
        """Move the cursor, round at the ends."""
        if self.highlighted is not None:
            self.moved = True
            self.highlighted = (self.highlighted + step) % len(self._all)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """A click takes one."""
        event.stop()
        self.post_message(self.Taken(self._all[event.option_index], self.line))
