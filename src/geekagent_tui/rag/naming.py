"""A document's names: how its source may be spelled."""

from __future__ import annotations

import os
from pathlib import Path

from geekagent_tui.rag.addresses import is_url, normalise
from geekagent_tui.rag.errors import SourceError
from geekagent_tui.rag.sources import identity_of


def spellings(typed: str, workspace: Path) -> tuple[str, str]:
    """What a document could be stored under: the words as they stand, and its one proper spelling.

    Args:
        typed: A URL or a path, in any spelling; the file need not exist.
        workspace: Absolute path of the workspace.
    """
    typed = typed.encode("utf-8", "replace").decode()  # the database takes no half characters
    try:
        return typed, normalise(typed.strip()) if is_url(typed.strip()) else _path(typed, workspace)
    except (SourceError, ValueError):
        return typed, typed


def _path(typed: str, workspace: Path) -> str:
    try:
        path = Path(typed).expanduser()
    except RuntimeError:  # `~nobody`: no such user, so the name is meant literally
        path = Path(typed)
    return identity_of(Path(os.path.normpath(workspace / path)), workspace)
