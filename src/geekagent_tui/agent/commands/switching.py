"""Going over to another session: what `/new`, `/open`, `/load`, `/fork` and `/edit` have in common."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from geekagent_tui.agent.commands.base import Context
from geekagent_tui.agent.conversation import Conversation
from geekagent_tui.agent.opening import replayed
from geekagent_tui.agent.sessions import SessionFile


async def switch(context: Context, opened: Callable[[], SessionFile]) -> SessionFile:
    """Go on in another session, once everything in this one is on the disk: memory is about to let go of it.

    One without a model of its own keeps the chosen one.

    Args:
        context: What commands work on.
        opened: Opens or makes the session's file; blocks.

    Raises:
        SessionError: This session can't be written, or `opened` says so.
        OSError: `opened` says so.
    """
    await context.journal.saved()
    chosen = context.journal.conversation.chosen
    file, conversation = await asyncio.to_thread(_opened, opened)
    await context.journal.replace(file, conversation)
    if not file.own:
        context.journal.met_foreign()
    if chosen is not None and conversation.chosen is None:
        context.journal.record(chosen)
    context.permissions.forget_grants()
    await context.library.focusing.look()
    await asyncio.to_thread(context.sessions.remember, file.session)
    return file


def _opened(opened: Callable[[], SessionFile]) -> tuple[SessionFile, Conversation]:
    file = opened()
    return file, replayed(file)


def size(context: Context) -> int:
    """How many messages the open session holds."""
    return context.journal.conversation.said
