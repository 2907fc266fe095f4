"""What a `/command` is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from geekagent_tui.agent.changes import Changes
from geekagent_tui.agent.events import Event
from geekagent_tui.agent.inbox import Inbox
from geekagent_tui.agent.journal import Journal
from geekagent_tui.agent.library import Library
from geekagent_tui.agent.memory import Memory
from geekagent_tui.agent.models.switch import Models
from geekagent_tui.agent.permissions import Permissions
from geekagent_tui.agent.sessions import Sessions
from geekagent_tui.agent.skilled import Skilled
from geekagent_tui.agent.turn import Turns
from geekagent_tui.paths import Workspace

if TYPE_CHECKING:
    from geekagent_tui.rag.service import RagService


@dataclass(frozen=True, slots=True)
class Context:
    """What commands work with."""

    rag: RagService
    memory: Memory
    sessions: Sessions
    journal: Journal
    permissions: Permissions
    library: Library
    publish: Callable[[Event], None]
    inbox: Inbox
    workspace: Workspace
    models: Models
    turns: Turns
    changes: Changes
    skilled: Skilled

    def say(self, text: str) -> None:
        """Answer in the chat."""
        self.journal.notice(text)


@dataclass(frozen=True, slots=True)
class Command:
    """One command: for running, completing and explaining it.

    Attributes:
        name: One or two words, `/rag add`.
        run: Given the context and the rest of the line, without white space around it.
        help: One line, in the current language.
        usage: The arguments as help and completion show them, in the current language.
        changes_session: It has to wait until the running turn has ended.
    """

    name: str
    run: Callable[[Context, str], Awaitable[None]]
    help: Callable[[], str]
    usage: Callable[[], str] = lambda: ""
    changes_session: bool = False

    def described(self) -> CommandInfo:
        """What front ends show of it, in the current language."""
        return CommandInfo(self.name, self.usage(), self.help())


@dataclass(frozen=True, slots=True)
class CommandInfo:
    """A command as completion, palette and help show it.

    Attributes:
        usage: Its arguments in short; "" when it has none.
        help: What it does, one line.
    """

    name: str
    usage: str
    help: str
