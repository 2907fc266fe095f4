"""Whether what was pasted is something for the knowledge base."""

from __future__ import annotations

import re
from pathlib import Path

from geekagent_tui.agent.typed import split_words

_CHARACTERS = 4_000
_WORDS = 50
_ADDRESS = re.compile(r"https?://[^\s/?#]+\S*\Z", re.I)
_PATH = re.compile(r"[/~.]|.*[/\\]")


def only_sources(text: str, folder: Path) -> bool:
    """Whether a text is nothing but web addresses and paths of what exists.

    Blocks on the file system, so call it in a thread.

    Args:
        text: As pasted; longer ones than a few dozen sources are taken for prose.
        folder: Where relative paths begin.
    """
    if len(text) > _CHARACTERS:
        return False
    words = split_words(text)
    return 0 < len(words) <= _WORDS and all(_is_source(word, folder) for word in words)


def _is_source(word: str, folder: Path) -> bool:
    if _ADDRESS.match(word):
        return True
    if not _PATH.match(word):
        return False
    return any(_exists(folder, spelling) for spelling in (word, re.sub(r"\\(.)", r"\1", word)))


def _exists(folder: Path, spelling: str) -> bool:
    try:
        return (folder / Path(spelling).expanduser()).exists()
    except (OSError, RuntimeError, ValueError):  # too long, no such user, a NUL
        return False
