"""Where things are kept: the workspace's own folder, and the user's."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from geekagent_tui.files import private_folder, write_atomically
from geekagent_tui.i18n import _
from geekagent_tui.sanitize import clean_line

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
        """Make `.geekagent/`, owner-only and kept out of git, if it is not there.

        Raises:
            OSError: It can't be made, or leads elsewhere; its `strerror` is a sentence then.
        """
        if link := self.link():
            raise OSError(link_refusal(link))
        private_folder(self.home)
        ignore = self.home / ".gitignore"
        if not ignore.exists():
            write_atomically(ignore, b"*\n!mcp.json\n")

    def link(self) -> Path | None:
        """What of `.geekagent/` leads elsewhere, so that a clone could read or write there; None is right.

        That is a link in the place of the folder or of one that is written in it, or any link among the
        knowledge base's files: the database and the locks are opened by their names.
        """
        for each in (self.home, self.sessions, self.undo, self.rag):
            if each.is_symlink():
                return each
        below = (each for folder, _names, _files in os.walk(self.rag) for each in _inside(Path(folder)))
        return next((each for each in below if each.is_symlink()), None)


def link_refusal(link: Path) -> str:
    """The sentence about what `Workspace.link` found."""
    sentence = _("{path} 是一个链接，会把知识库和设置引到别的文件夹，没有打开；请删除这个链接")
    return sentence.format(path=clean_line(str(link)))


def _inside(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:  # it is not there, or nothing can be read or written in it
        return []


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
