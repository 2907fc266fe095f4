"""The `/commands`: one list for running, completing and explaining them."""

from __future__ import annotations

import logging

from geekagent_tui.agent.commands import (
    archive,
    branches,
    files,
    general,
    knowledge,
    memory,
    models,
    selecting,
    sessions,
    skills,
    trust,
)
from geekagent_tui.agent.commands.base import Command, CommandInfo, Context
from geekagent_tui.agent.events import Level
from geekagent_tui.i18n import _
from geekagent_tui.rag.errors import RagError

_log = logging.getLogger(__name__)

__all__ = ["COMMANDS", "Command", "CommandInfo", "Context", "find", "help_text"]


async def _help(context: Context, rest: str) -> None:
    context.say(help_text())


COMMANDS: tuple[Command, ...] = (
    Command("/help", _help, lambda: _("查看命令")),
    *knowledge.COMMANDS,
    *selecting.COMMANDS,
    *sessions.COMMANDS,
    *branches.COMMANDS,
    *archive.COMMANDS,
    *models.COMMANDS,
    *files.COMMANDS,
    *memory.COMMANDS,
    *skills.COMMANDS,
    *trust.COMMANDS,
    *general.COMMANDS,
)
"""Every command, in the order of `/help`."""


def find(line: str) -> tuple[Command | None, str]:
    """The command that a line calls, the longest name first, and the rest of the line."""
    words = line.split(maxsplit=2)
    for count in (2, 1):
        name = " ".join(words[:count])
        for command in COMMANDS:
            if len(words) >= count and command.name == name:
                return command, _rest(line, count)
    return None, ""


async def run_line(context: Context, line: str) -> None:
    """Run a line that begins with `/`; whatever goes wrong is told in the chat."""
    context.journal.command(line)
    command, rest = find(line)
    if command is None:
        name = line.split(maxsplit=1)[0]
        context.say(_("未知命令：{name}（输入 /help 查看）").format(name=name))
        return
    try:
        await command.run(context, rest)
    except RagError as error:
        context.journal.notice(error.message, Level.WARNING)
    except Exception as error:
        _log.exception("command %s", command.name)
        context.journal.notice(_("命令执行失败：{reason}").format(reason=error), Level.ERROR)


def help_text() -> str:
    """What `/help` prints."""
    lines = []
    for command in COMMANDS:
        info = command.described()
        call = f"{info.name} {info.usage}".rstrip()
        lines.append(f"  {call}  {info.help}")
    closing = _(
        "工具权限由 .geekagent/GeekAgent.json 的 allow / ask / deny 控制；文件工具只能访问 root 内的路径。"
    )
    return "\n".join([_("可用命令："), *lines, closing])


def _rest(line: str, count: int) -> str:
    """The line behind its first `count` words."""
    parts = line.split(maxsplit=count)
    return parts[count].strip() if len(parts) > count else ""
