"""The parts of opening an agent; what blocks runs in a thread."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from geekagent_tui.agent.conversation import Conversation
from geekagent_tui.agent.journal import Journal
from geekagent_tui.agent.session_import import waits
from geekagent_tui.agent.session_summary import ASKED
from geekagent_tui.agent.sessions import SessionFile, Sessions
from geekagent_tui.config import Config, create_settings
from geekagent_tui.i18n import _
from geekagent_tui.paths import Workspace
from geekagent_tui.rag.settings import Settings

if TYPE_CHECKING:
    from geekagent_tui.rag.service import RagService


def prepare(workspace: Workspace) -> None:
    """Make `.geekagent/` with its default settings, for the user to edit."""
    workspace.create()
    create_settings(workspace)


async def open_knowledge(workspace: Workspace, config: Config) -> RagService:
    """A workspace's knowledge base, as the settings want it.

    Raises:
        RagError: It can't be opened.
    """
    service = await asyncio.to_thread(_load_service)
    return await service.open(workspace, root=config.root, settings=Settings.of(config))


def _load_service() -> type[RagService]:
    """The rag service's class; loading its modules takes a while."""
    from geekagent_tui.rag.service import RagService

    return RagService


def take_up(sessions: Sessions, *, resume: bool) -> tuple[SessionFile, Conversation]:
    """The session to go on with, the last one or a new one, and what was said in it."""
    file = sessions.resume() if resume else sessions.begin(ASKED)
    if resume:
        sessions.remember(file.session)
    return file, replayed(file)


def replayed(file: SessionFile) -> Conversation:
    """What was said in a session that has just been opened; its file is closed when that can't be told."""
    try:
        conversation = Conversation.replay(file.session, file.records)
    except BaseException:
        file.close()
        raise
    file.records = []
    return conversation


async def offer_archive(sessions: Sessions, workspace: Workspace, journal: Journal) -> None:
    """Tell of sessions of the reference that can be taken over."""
    if await asyncio.to_thread(waits, sessions, workspace.archive):
        told = _("这里有 GeekAgent 教程版保存的会话（{path}），输入 /load 导入；原文件不会改动")
        journal.remark(told.format(path=workspace.archive))
