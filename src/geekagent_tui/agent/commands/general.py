"""`/queue`, `/theme`, `/log`, `/exit`."""

from __future__ import annotations

from geekagent_tui.agent.commands.base import Command, Context
from geekagent_tui.agent.commands.options import number, parse
from geekagent_tui.agent.events import ComposerFilled, ExitRequested, ThemeChosen
from geekagent_tui.i18n import _
from geekagent_tui.paths import log_file
from geekagent_tui.sanitize import clean_line

_SHOWN = 200
"""Characters of a waiting message that are told."""


async def queue(context: Context, rest: str) -> None:
    """`/queue`: what waits for the turn to end; taken back, or taken back into the composer."""
    waiting = context.inbox.queued()
    match parse(rest).words:
        case ():
            lines = (f"{place}. {clean_line(item.text)[:_SHOWN]}" for place, item in enumerate(waiting, 1))
            context.say("\n".join([_("等待中："), *lines]) if waiting else _("（没有等待中的消息）"))
        case ("rm" | "edit" as action, typed) if (place := number(typed, len(waiting))) is not None:
            item = waiting[place - 1]
            if context.inbox.remove(item.key):
                context.say(_("（已从队列取出：{text}）").format(text=clean_line(item.text)[:_SHOWN]))
            if action == "edit":
                context.publish(ComposerFilled(item.text))
        case _:
            context.say(_("用法：/queue 查看等待中的消息；/queue rm <n> 移除；/queue edit <n> 取回输入框"))


async def theme(context: Context, rest: str) -> None:
    """`/theme [name]`: other colours."""
    words = parse(rest).words
    if len(words) > 1:
        context.say(_("用法：/theme [名称]，不带名称时在浅色与深色之间切换"))
    else:
        context.publish(ThemeChosen(words[0] if words else ""))


async def log(context: Context, rest: str) -> None:
    """`/log`: where the log is."""
    context.say(_("日志：{path}").format(path=log_file()))


async def leave(context: Context, rest: str) -> None:
    """`/exit`."""
    context.publish(ExitRequested())


COMMANDS = (
    Command("/queue", queue, lambda: _("查看、移除或取回等待中的消息"), lambda: "[rm <n> | edit <n>]"),
    Command("/theme", theme, lambda: _("切换配色"), lambda: _("[名称]")),
    Command("/log", log, lambda: _("查看日志文件的位置")),
    Command("/exit", leave, lambda: _("退出")),
    Command("/quit", leave, lambda: _("退出")),
)
