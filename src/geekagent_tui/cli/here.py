"""Paths as a shell's user means them: from the current folder, wherever above the workspace begins."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from geekagent_tui.paths import Workspace
from geekagent_tui.rag.addresses import is_url
from geekagent_tui.rag.list_file import MARK
from geekagent_tui.rag.listing import is_pattern


def from_here(words: Sequence[str], workspace: Workspace) -> list[str]:
    """Typed words, those that name something from the current folder made absolute.

    Others stay: they are addresses, ids, or sources as the knowledge base lists them.
    """
    here = Path.cwd()
    if here == workspace.folder:
        return list(words)
    return [_meant(word, here) for word in words]


def _meant(word: str, here: Path) -> str:
    mark = MARK if word.startswith(MARK) else ""
    path = word.removeprefix(mark)
    if not path or path == "-" or is_url(path) or path.startswith(("~", "/")) or "\0" in path:
        return word
    found = here / path
    try:
        there = found.exists() or (is_pattern(path) and any(here.glob(path)))
    except (OSError, ValueError, RuntimeError):  # too long for a name, `a**`, a loop of links: no file's name
        return word
    return f"{mark}{found}" if there else word
