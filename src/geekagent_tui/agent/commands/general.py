"""`/exit`."""

from __future__ import annotations

from geekagent_tui.agent.commands.base import Command, Context
from geekagent_tui.agent.events import ExitRequested
from geekagent_tui.i18n import _


async def leave(context: Context, rest: str) -> None:
    """`/exit`."""
    context.publish(ExitRequested())


COMMANDS = (Command("/exit", leave, lambda: _("退出")),)
