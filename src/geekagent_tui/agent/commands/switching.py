"""Going over to another session: what `/new`, `/open`, `/load`, `/fork` and `/edit` have in common."""

from __future__ import annotations

import asyncio

from geekagent_tui.agent.commands.base import Context
from geekagent_tui.agent.conversation import Conversation
from geekagent_tui.agent.sessions import SessionFile


async def switch(context: Context, file: SessionFile) -> None:
    """Go on in a session that has just been opened."""
    conversation = await asyncio.to_thread(Conversation.replay, file.session, file.records)
    file.records = []
    await context.journal.replace(file, conversation)
    if not file.own:
        context.journal.met_foreign()
    context.permissions.forget_grants()
    await context.library.focusing.look()
    await asyncio.to_thread(context.sessions.remember, file.session)


def size(context: Context) -> int:
    """How many messages the open session holds."""
    return context.journal.conversation.said
