"""`/fork` and `/edit`: another course for a conversation, the old one untouched."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

from geekagent_tui.agent.commands.base import Command, Context
from geekagent_tui.agent.commands.options import missing, number, parse
from geekagent_tui.agent.commands.switching import size, switch
from geekagent_tui.agent.conversation import Conversation
from geekagent_tui.agent.events import ComposerFilled
from geekagent_tui.agent.records import Focused, Named, Record, SkillUsed, encode
from geekagent_tui.agent.session_lines import before, questions, read_lines, through
from geekagent_tui.agent.sessions import SessionError
from geekagent_tui.i18n import _, ngettext
from geekagent_tui.reasons import reason_of


async def fork(context: Context, rest: str) -> None:
    """`/fork [n | id]`: copy the session, to its n-th answer, or another one; go on in the copy."""
    words = parse(rest).words
    if len(words) > 1:
        context.say(_fork_usage())
        return
    wanted = words[0] if words else ""
    try:
        current = await context.journal.saved()
        source, lines = await asyncio.to_thread(_copied, context, current, wanted)
        file = await switch(context, partial(context.sessions.copy, source, lines))
    except (SessionError, OSError) as error:
        context.say(_("分出会话失败：{reason}").format(reason=reason_of(error)))
        return
    told = ngettext(
        "（已从会话 {source} 分出会话 {id}，{n} 条消息）",
        "（已从会话 {source} 分出会话 {id}，{n} 条消息）",
        size(context),
    )
    context.say(told.format(source=source, id=file.session, n=size(context)))


async def edit(context: Context, rest: str) -> None:
    """`/edit [n]`: take a question back into the composer; a new session goes on from before it."""
    words = parse(rest).words
    old = context.journal.conversation
    try:
        source = await context.journal.saved()
        path = context.sessions.path(source)
        lines = await asyncio.to_thread(read_lines, path)
        asked = len(questions(lines))
        chosen = asked if not words else number(words[0], asked)
        if not asked:
            context.say(_("（当前会话还没有提问）"))
            return
        if chosen is None or len(words) > 1:
            context.say(
                _("用法：/edit [n] 修改第 n 个问题，n 从 1 到 {most}，不写时是最后一个").format(most=asked)
            )
            return
        kept, question = before(lines, chosen)
        file = await switch(context, partial(context.sessions.copy, source, [*kept, *_set_since(old)]))
    except (SessionError, OSError) as error:
        context.say(_("修改失败：{reason}").format(reason=reason_of(error)))
        return
    context.say(
        _("（第 {n} 个问题已放回输入框，在会话 {id} 里继续；原来的问答保留在会话 {source}）").format(
            n=chosen, id=file.session, source=source
        )
    )
    context.publish(ComposerFilled(question))


def _set_since(old: Conversation) -> list[bytes]:
    """What the user has set is no part of the answers that are left behind."""
    records: list[Record] = [Focused(old.focus), Named(old.title), SkillUsed(old.skill)]
    if old.chosen is not None:
        records.append(old.chosen)
    return [encode(record).rstrip(b"\n") for record in records]


def _copied(context: Context, current: str, wanted: str) -> tuple[str, Sequence[bytes]]:
    """The session that is copied, and what of it."""
    lines = read_lines(context.sessions.path(current))
    if not wanted:
        return current, [line.data for line in lines]
    asked = len(questions(lines))
    chosen = number(wanted, asked)
    if chosen is not None:
        return current, through(lines, chosen)
    try:
        other = read_lines(context.sessions.path(wanted))
    except SessionError:
        if missing([wanted], asked):
            raise SessionError(
                ngettext(
                    "没有第 {wanted} 个问题，当前会话有 {n} 个",
                    "没有第 {wanted} 个问题，当前会话有 {n} 个",
                    asked,
                ).format(wanted=wanted, n=asked)
            ) from None
        raise
    return wanted, [line.data for line in other]


def _fork_usage() -> str:
    return _("用法：/fork 复制当前会话；/fork <n> 复制到第 n 个问题；/fork <id> 复制另一个会话")


COMMANDS = (
    Command(
        "/fork",
        fork,
        lambda: _("复制会话，在副本里继续"),
        lambda: "[n | id]",
        changes_session=True,
    ),
    Command(
        "/edit",
        edit,
        lambda: _("把问题取回输入框修改，原来的问答另外保留"),
        lambda: "[n]",
        changes_session=True,
    ),
)
