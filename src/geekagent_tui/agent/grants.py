"""What the user has allowed for good: kept in the user's own data, never in a workspace."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from geekagent_tui.files import locked, private_folder, set_aside, write_atomically

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Grant:
    """A tool may do something without being asked about.

    Attributes:
        target: The scope it is limited to.
        informed: It was given with foreign text in the conversation; one that was not does not count then.
    """

    tool: str
    target: str
    informed: bool = False


_Change = Callable[[list[Grant]], list[Grant]]


class GrantFile:
    """The grants of all workspaces, in one file; every operation reads it anew and blocks.

    Args:
        file: `paths.grants_file()`.
        workspace: Whose grants these are.
    """

    def __init__(self, file: Path, workspace: Path) -> None:
        self._file = file
        self._workspace = str(workspace)

    def load(self) -> list[Grant]:
        """The grants of this workspace, oldest first; a file that can't be read grants nothing."""
        try:
            return self._read().get(self._workspace, [])
        except (OSError, ValueError):
            _log.exception("reading %s", self._file)
            return []

    def add(self, grant: Grant) -> None:
        """Keep a grant, in place of one for the same tool and target.

        Raises:
            OSError: It can't be written.
        """
        self._change(lambda grants: [*_without(grants, grant), grant])

    def remove(self, grant: Grant) -> None:
        """Forget a grant.

        Raises:
            OSError: It can't be written.
        """
        self._change(lambda grants: _without(grants, grant))

    def _change(self, changed: _Change) -> None:
        private_folder(self._file.parent)
        with locked(self._file.with_suffix(".lock")):
            try:
                every = self._read()
            except ValueError:
                set_aside(self._file)
                every = {}
            every[self._workspace] = changed(every.get(self._workspace, []))
            content = {
                folder: [asdict(grant) for grant in grants] for folder, grants in every.items() if grants
            }
            write_atomically(self._file, (json.dumps(content, indent=2) + "\n").encode())

    def _read(self) -> dict[str, list[Grant]]:
        try:
            content = json.loads(self._file.read_bytes())
            return {folder: list(map(_grant, grants)) for folder, grants in content.items()}
        except FileNotFoundError:
            return {}
        except (TypeError, AttributeError, KeyError, RecursionError) as error:
            raise ValueError(f"no list of grants: {error}") from error


def _grant(value: Mapping[str, Any]) -> Grant:
    return Grant(str(value["tool"]), str(value["target"]), value.get("informed") is True)


def _without(grants: list[Grant], grant: Grant) -> list[Grant]:
    return [each for each in grants if (each.tool, each.target) != (grant.tool, grant.target)]
