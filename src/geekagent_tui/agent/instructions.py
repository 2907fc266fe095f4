"""`AGENTS.md`: what a project wants the agent to know and to do."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from geekagent_tui.config import Trust, TrustItem
from geekagent_tui.config.trust import digest_of, untrusted_notice
from geekagent_tui.files import read_regular
from geekagent_tui.i18n import ngettext
from geekagent_tui.sanitize import clean

NAME = "AGENTS.md"
LONGEST = 16_000
"""Characters of all files together, at most 10k tokens; the farthest from the workspace is cut first."""

_BYTES = 256 * 1024
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Instructions:
    """The instructions that count.

    Attributes:
        text: As the model gets it; "" when there are none.
        files: Where it comes from, the nearest last, as the user knows them.
        notices: What did not count or was cut, a sentence each.
    """

    text: str = ""
    files: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _File:
    label: str
    digest: str
    text: str


def read_instructions(folder: Path, trust: Trust, home: Path) -> Instructions:
    """The instructions for a workspace, wherever its tools may go; blocks.

    Args:
        folder: The workspace's.
        trust: Which files count.
        home: The user's home: nothing above it is looked at.
    """
    found = _find(folder, home)
    kept = [file for file in found if trust.accepts(file.label, file.digest)]
    refused = [file.label for file in found if file not in kept]
    notices = [untrusted_notice(refused)] if refused else []
    pieces, room = [], LONGEST
    for file in reversed(kept):  # the nearest matters most
        if len(file.text) > room:
            told = ngettext("{file} 太长，只采用了前 {n} 字", "{file} 太长，只采用了前 {n} 字", room)
            notices.append(told.format(file=file.label, n=room))
        if room:
            pieces.append(f"（{file.label}）\n{file.text[:room]}")
        room = max(0, room - len(file.text))
    text = "\n\n".join(reversed(pieces))
    return Instructions(text, tuple(file.label for file in kept), tuple(notices))


def instruction_items(folder: Path, home: Path) -> list[TrustItem]:
    """The files that would count, for the user to judge; blocks."""
    items = []
    for file in _find(folder, home):
        told = ngettext(
            "其中的 {n} 个字会作为项目指令发给模型",
            "其中的 {n} 个字会作为项目指令发给模型",
            len(file.text),
        )
        items.append(TrustItem(file.label, file.digest, (told.format(n=len(file.text)),), file.text))
    return items


def _find(folder: Path, home: Path) -> list[_File]:
    """The files, the nearest to the workspace last; blank ones say nothing."""
    folders = _folders(folder.resolve(), home.resolve())
    found = []
    for place in reversed(folders):
        path = place / NAME
        if not path.is_file() or not path.resolve().is_relative_to(folders[-1]):
            continue  # a link out of the project would put the user's own files before the model
        try:
            content = read_regular(path.resolve(), _BYTES)
        except OSError:
            _log.exception("reading %s", path)
            continue
        # What nobody can see must not reach the model either.
        if text := clean(content.decode("utf-8-sig", "replace")).strip():
            found.append(_File(_label(path, folder.resolve()), digest_of(content), text))
    return found


def _folders(folder: Path, home: Path) -> Sequence[Path]:
    """The folder and those above it, up to the repository's own or the home; else the folder alone."""
    folders = []
    for place in (folder, *folder.parents):
        folders.append(place)
        if (place / ".git").exists() or place == home:
            return folders
    return folders[:1]


def _label(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else str(path)
