"""Where things are kept: the workspace's own folder, and the user's."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import platformdirs

from geekagent_tui.files import private_folder, write_atomically

FOLDER = ".geekagent"
_APP = "geekagent"


@dataclass(frozen=True, slots=True)
class Workspace:
    """The folder that a knowledge base belongs to; everything of ours is in `.geekagent/` below it."""

    folder: Path

    @property
    def home(self) -> Path:
        """`.geekagent/`."""
        return self.folder / FOLDER

    @property
    def settings(self) -> Path:
        """Root and tool policies: `GeekAgent.json`."""
        return self.home / "GeekAgent.json"

    @property
    def memory(self) -> Path:
        """Long-term memory, a JSON list of strings."""
        return self.home / "memory.json"

    @property
    def sessions(self) -> Path:
        """One JSON Lines file a session."""
        return self.home / "sessions"

    @property
    def archive(self) -> Path:
        """The reference's own sessions, all in one file; only read."""
        return self.home / "sessions.json"

    @property
    def undo(self) -> Path:
        """The contents that file changes can be undone to."""
        return self.home / "undo"

    @property
    def rag(self) -> Path:
        """The knowledge base's own folder."""
        return self.home / "rag"

    def create(self) -> None:
        """Make `.geekagent/`, owner-only and kept out of git, if it is not there."""
        private_folder(self.home)
        ignore = self.home / ".gitignore"
        if not ignore.exists():
            write_atomically(ignore, b"*\n!mcp.json\n")


def find_workspace(start: Path) -> Workspace:
    """The nearest folder at or above `start` with a `.geekagent/`, else `start` itself."""
    start = start.resolve()
    for folder in (start, *start.parents):
        if (folder / FOLDER).is_dir():
            return Workspace(folder)
    return Workspace(start)


def personal_workspace() -> Workspace:
    """The one base for all folders that `--personal` means."""
    return Workspace(private_folder(Path(platformdirs.user_data_dir(_APP))))


def user_config_file() -> Path:
    """The user's own settings, `config.toml`."""
    return Path(platformdirs.user_config_dir(_APP)) / "config.toml"


def grants_file() -> Path:
    """What the user has allowed tools for good, kept out of any workspace."""
    return Path(platformdirs.user_data_dir(_APP)) / "grants.json"


def trust_file() -> Path:
    """What the user has said of files that came with folders, kept out of any of them."""
    return Path(platformdirs.user_data_dir(_APP)) / "trust.json"


def user_skills() -> Path:
    """The user's own skills, one folder each."""
    return Path(platformdirs.user_config_dir(_APP)) / "skills"


def seal_key() -> Path:
    """The secret that seals what was agreed to and written here, so that no folder from elsewhere can lie."""
    return Path(platformdirs.user_state_dir(_APP)) / "seal.key"


def panel_file() -> Path:
    """How the documents were shown last."""
    return Path(platformdirs.user_state_dir(_APP)) / "panel.json"


def log_file() -> Path:
    """The log with every traceback that the user was spared."""
    return Path(platformdirs.user_log_dir(_APP)) / "geekagent.log"
