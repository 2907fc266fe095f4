"""Files that steer the agent, and files that hold secrets: touching them needs a question every time.

What the agent may change on its own it must not be able to change its own rules with. A folder's spelling
does not matter: some file systems ignore case, some the form of Unicode.
"""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import platformdirs

from geekagent_tui.paths import grants_file, user_config_file
from geekagent_tui.sanitize import clean

_FOLDERS = frozenset({".geekagent", ".git", "skills", "plugins"})
_NAMES = frozenset({"agents.md", "skill.md", "geekagent.json", "mcp.json", ".env"})
_SECRET = re.compile(
    r"\.env(\..+)?|\.netrc|\.pgpass|\.npmrc|\.pypirc|\.git-credentials|credentials(\.json)?"
    r"|id_(rsa|dsa|ecdsa|ed25519)|.*\.(pem|key|p12|pfx|keystore|kdbx)"
)
_SAMPLES = re.compile(r"\.env\.(example|sample|template)")
_SECRET_FOLDERS = frozenset({".geekagent", ".ssh", ".gnupg", ".aws"})
_MENTIONED = re.compile(
    r"\.geekagent|\.git(?![\w-])|agents\.md|skill\.md|\bskills\b|\bplugins\b|geekagent\.json|mcp\.json"
    r"|config\.toml|grants\.json|trust\.json|\.env\b|\bgit\b[^;&|\n]*\bconfig\b",
    re.IGNORECASE,
)


def is_protected(path: str, root: Path) -> bool:
    """Whether a file, given relative to the root with links resolved, is one of the agent's own rules.

    These are its configuration, instructions, skills, plugins and grants, and what git runs.
    """
    parts = [_plain(part) for part in path.split("/")]
    if parts[-1] in _NAMES or _FOLDERS.intersection(parts):
        return True
    absolute = root / path
    own = (user_config_file(), grants_file())
    return absolute in own or any(absolute.is_relative_to(folder) for folder in _own_folders(root))


def is_secret(path: str) -> bool:
    """Whether a file probably holds secrets, or what was said in other sessions."""
    parts = [_plain(part) for part in path.split("/")]
    if _SECRET_FOLDERS.intersection(parts):
        return True
    return _SECRET.fullmatch(parts[-1]) is not None and not _SAMPLES.fullmatch(parts[-1])


def mentions_protected(command: str) -> bool:
    """Whether a shell command names any of these files. It can hide it: this catches accidents."""
    return _MENTIONED.search(command) is not None


def _own_folders(root: Path) -> tuple[Path, ...]:
    """The program's own folders; not those that the root is in, as with the personal workspace."""
    folders = (platformdirs.user_config_dir("geekagent"), platformdirs.user_data_dir("geekagent"))
    return tuple(Path(folder) for folder in folders if not root.is_relative_to(folder))


def _plain(part: str) -> str:
    return unicodedata.normalize("NFKC", clean(part).replace("\u200c", "").replace("\u200d", "")).casefold()
