"""`/trust`: what came with the folder, and whether it counts."""

from __future__ import annotations

import asyncio

from geekagent_tui.agent.commands.base import Command, Context
from geekagent_tui.agent.trust import brought
from geekagent_tui.config import ConfigError
from geekagent_tui.config.trust import forget, read_trust
from geekagent_tui.i18n import _
from geekagent_tui.reasons import reason_of

_RESET = "reset"


async def trust(context: Context, rest: str) -> None:
    """`/trust`: show it; `/trust reset`: ask again when the workspace is opened next."""
    if rest not in ("", _RESET):
        context.say(_("用法：/trust 查看随文件夹来的文件；/trust reset 下次打开时重新询问"))
        return
    try:
        if rest == _RESET:
            await asyncio.to_thread(forget, context.workspace)
            context.say(_("（下次打开这个工作区时会重新询问是否信任）"))
            return
        context.say(await asyncio.to_thread(_listed, context))
    except ConfigError as error:
        context.say(error.message)
    except OSError as error:
        context.say(_("信任记录保存失败：{reason}").format(reason=reason_of(error)))


def _listed(context: Context) -> str:
    known, lines = read_trust(context.workspace), []
    for item in brought(context.workspace):
        counts = known.accepts(item.path, item.digest)
        lines.append(f"{'*' if counts else ' '} {item.path}")
        lines += [f"    {effect}" for effect in item.effects]
    if not lines:
        return _("（这个文件夹没有带来会改变助手行为的文件）")
    head = _("随文件夹来的文件（* 表示信任；/trust reset 后下次打开时重新询问）：")
    return "\n".join([head, *lines])


COMMANDS = (Command("/trust", trust, lambda: _("查看随文件夹来的设置、指令与技能"), lambda: _("[reset]")),)
