"""Going over to another session: what `/new`, `/open`, `/load`, `/fork` and `/edit` have in common."""

from __future__ import annotations

import asyncio

from geekagent_tui.agent.commands.base import Context
from geekagent_tui.agent.conversation import Conversation
from geekagent_tui.agent.sessions import SessionFile


async def switch(context: Context, file: SessionFile) -> None:
    """Go on in a session that has just been opened; one without a model of its own keeps the chosen one."""
    chosen = context.journal.conversation.chosen
    conversation = await asyncio.to_thread(Conversation.replay, file.session, file.records)
    file.records = []
    await context.journal.replace(file, conversation)
    if chosen is not None and conversation.chosen is None:
        context.journal.record(chosen)
    context.permissions.forget_grants()
    await context.library.focusing.look()
    await asyncio.to_thread(context.sessions.remember, file.session)


def size(context: Context) -> int:
    """How many messages the open session holds."""
    return context.journal.conversation.said
