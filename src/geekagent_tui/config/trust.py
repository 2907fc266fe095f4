"""What came with a folder counts only once the user has agreed to it.

A cloned repository may bring a `.env`, settings, instructions and skills. Each such file is named by the
SHA-256 of its content; what the user said of it is kept in the user's own data, by folder, path and digest:
other content, or the same content elsewhere, is asked about anew.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from geekagent_tui.files import locked, private_folder, set_aside, write_atomically
from geekagent_tui.i18n import _, ngettext
from geekagent_tui.paths import Workspace, trust_file

_log = logging.getLogger(__name__)

_Decided = dict[str, dict[str, dict[str, bool]]]
"""Folder → path → digest → whether the user trusts it."""


@dataclass(frozen=True, slots=True)
class TrustItem:
    """A file, or a skill's folder, that changes how the agent works.

    Attributes:
        path: Relative to the workspace with `/`, or absolute when it is outside; foreign text.
        digest: SHA-256 of the content, hexadecimal.
        effects: What it changes, a sentence each; they may quote foreign text.
        text: Its own words, shortened, where they matter; foreign text.
    """

    path: str
    digest: str
    effects: tuple[str, ...]
    text: str = ""


@dataclass(frozen=True, slots=True)
class Trust:
    """What the user has said of a workspace's files.

    Attributes:
        everything: Everything is trusted, for this run (`--trust`).
    """

    decided: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)
    everything: bool = False

    def accepts(self, path: str, digest: str) -> bool:
        """Whether a file with this content counts."""
        return self.everything or self.decided.get(path, {}).get(digest, False)

    def is_open(self, item: TrustItem) -> bool:
        """Whether the user has yet to be asked about it."""
        return not self.everything and item.digest not in self.decided.get(item.path, {})

    def after(self, items: Sequence[TrustItem], *, trusted: bool) -> Trust:
        """The same once the user has answered about some files."""
        return replace(self, decided={**self.decided, **_said(items, trusted=trusted)})


def digest_of(*contents: bytes) -> str:
    """The name of a content, or of several in order: SHA-256, hexadecimal."""
    import hashlib  # not before there is anything to hash: it would be two hundredths of the first frame

    whole = hashlib.sha256()
    for content in contents:
        whole.update(hashlib.sha256(content).digest())
    return whole.hexdigest()


def read_trust(workspace: Workspace) -> Trust:
    """What was said of a workspace; a file that can't be read trusts nothing. Blocks."""
    try:
        return Trust(_read(trust_file()).get(str(workspace.folder), {}))
    except (OSError, ValueError):
        _log.exception("reading %s", trust_file())
        return Trust()


def remember(workspace: Workspace, items: Sequence[TrustItem], *, trusted: bool) -> None:
    """Keep what the user said of some files; blocks.

    Raises:
        OSError: It can't be written.
    """
    _change(workspace, _said(items, trusted=trusted))


def forget(workspace: Workspace) -> None:
    """Ask about everything of a workspace again; blocks.

    Raises:
        OSError: It can't be written.
    """
    _change(workspace, None)


def untrusted_notice(paths: Sequence[str]) -> str:
    """The sentence about files that do not count."""
    sentence = ngettext(
        "{files} 是随文件夹来的，还没有得到信任，这次没有采用；用 /trust reset 或 --trust 可以改变",
        "{files} 是随文件夹来的，还没有得到信任，这次没有采用；用 /trust reset 或 --trust 可以改变",
        len(paths),
    )
    return sentence.format(files=_("、").join(paths))


def _said(items: Sequence[TrustItem], *, trusted: bool) -> dict[str, dict[str, bool]]:
    return {item.path: {item.digest: trusted} for item in items}


def _change(workspace: Workspace, said: Mapping[str, dict[str, bool]] | None) -> None:
    file, folder = trust_file(), str(workspace.folder)
    private_folder(file.parent)
    with locked(file.with_suffix(".lock")):
        try:
            every = _read(file)
        except ValueError:
            set_aside(file)
            every = {}
        if said is None:
            every.pop(folder, None)
        else:
            # Only the latest content of a path is kept: what it was before would be trusted unseen again.
            every[folder] = {**every.get(folder, {}), **said}
        write_atomically(file, (json.dumps(every, ensure_ascii=True, indent=2) + "\n").encode())


def _read(file: Path) -> _Decided:
    try:
        content = json.loads(file.read_bytes())
        return {
            str(folder): {
                str(path): {str(digest): said is True for digest, said in digests.items()}
                for path, digests in paths.items()
            }
            for folder, paths in content.items()
        }
    except FileNotFoundError:
        return {}
    except (AttributeError, RecursionError) as error:
        raise ValueError(f"no list of trusted files: {error}") from error
