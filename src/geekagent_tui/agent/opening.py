"""The parts of opening an agent that block; each runs in a thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from geekagent_tui.agent.conversation import Conversation
from geekagent_tui.agent.sessions import SessionFile, Sessions
from geekagent_tui.config import create_settings
from geekagent_tui.paths import Workspace

if TYPE_CHECKING:
    from geekagent_tui.rag.service import RagService


def prepare(workspace: Workspace) -> None:
    """Make `.geekagent/` with its default settings, for the user to edit."""
    workspace.create()
    create_settings(workspace)


def load_service() -> type[RagService]:
    """The rag service's class; loading its modules takes a while."""
    from geekagent_tui.rag.service import RagService

    return RagService


def take_up(sessions: Sessions, *, resume: bool) -> tuple[SessionFile, Conversation]:
    """The session to go on with, the last one or a new one, and what was said in it."""
    file = sessions.resume() if resume else sessions.begin()
    if resume:
        sessions.remember(file.session)
    conversation = Conversation.replay(file.session, file.records)
    file.records = []
    return file, conversation
