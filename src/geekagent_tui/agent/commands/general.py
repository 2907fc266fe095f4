"""`/help`, `/memory`, `/exit`."""

from __future__ import annotations

from geekagent_tui.agent.commands.base import Command, Context
from geekagent_tui.agent.events import ExitRequested
from geekagent_tui.i18n import _


async def show_memory(context: Context, rest: str) -> None:
    """`/memory`: every entry."""
    entries = await context.memory.load()
    if not entries:
        context.say(_("（暂无长期记忆）"))
        return
    lines = (f"{number}. {entry}" for number, entry in enumerate(entries, start=1))
    context.say("\n".join([_("长期记忆："), *lines]))


async def leave(context: Context, rest: str) -> None:
    """`/exit`."""
    context.publish(ExitRequested())


COMMANDS = (
    Command("/memory", show_memory, lambda: _("查看长期记忆")),
    Command("/exit", leave, lambda: _("退出")),
)
