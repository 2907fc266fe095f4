"""The tools that work on files, the shell and the web, put together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from geekagent_tui.agent.changes import Changes
from geekagent_tui.agent.confined import Confined
from geekagent_tui.agent.consent import Consent
from geekagent_tui.agent.journal import Journal
from geekagent_tui.agent.tools.base import Tool
from geekagent_tui.agent.tools.files_list import Glob, Ls
from geekagent_tui.agent.tools.files_read import Read
from geekagent_tui.agent.tools.files_write import Editor, Patch, Write
from geekagent_tui.agent.tools.planning import TodoWrite
from geekagent_tui.agent.tools.search import Search
from geekagent_tui.agent.tools.shell import RunShell
from geekagent_tui.agent.tools.web import Fetch
from geekagent_tui.config import Config

if TYPE_CHECKING:
    from geekagent_tui.rag.service import RagService


def workspace_tools(
    config: Config, consent: Consent, journal: Journal, rag: RagService, changes: Changes
) -> list[Tool]:
    """`ls`, `read`, `glob`, `search`, `write`, `patch`, `run_shell`, `fetch`, `todo_write`."""
    confined = Confined(config.root)
    editor = Editor(confined, consent, changes)
    return [
        Ls(confined, consent),
        Read(confined, consent, config.mask),
        Glob(confined, consent),
        Search(confined, consent, config.mask),
        Write(editor),
        Patch(editor),
        RunShell(config.root, consent, config.mask, config.secrets),
        Fetch(rag, consent, config.mask),
        TodoWrite(journal),
    ]
