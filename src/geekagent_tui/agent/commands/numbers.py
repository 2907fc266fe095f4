"""Numbers where sources are wanted: what `/rag` counts is a place in a list, and no document's name."""

from __future__ import annotations

from collections.abc import Sequence

from geekagent_tui.agent.commands.base import Context
from geekagent_tui.i18n import _
from geekagent_tui.rag.model import Selection


async def refuses_numbers(context: Context, words: Sequence[str]) -> bool:
    """Whether one of the words is a bare number that no source is called; it is told then.

    The list of `/rag` counts places, the command line's shows ids: a number could mean either, and the wrong
    document would be removed.
    """
    for word in words:
        if word.isdecimal() and not await context.rag.documents(Selection(sources=(word,))):
            message = _(
                "「{number}」不是来源：/rag 里的序号会变，请写出文档的来源；"
                "编号只在命令行用（geekagent rag list 列出）"
            )
            context.say(message.format(number=word))
            return True
    return False
