"""`/reset`, `/new`, `/sessions`, `/open`."""

from __future__ import annotations

import asyncio

from geekagent_tui.agent.commands.base import Command, Context
from geekagent_tui.agent.conversation import Conversation
from geekagent_tui.agent.sessions import SessionError, SessionFile, SessionSummary
from geekagent_tui.i18n import _, ngettext


async def reset(context: Context, rest: str) -> None:
    """`/reset`: forget the conversation, not the session and not long-term memory."""
    context.journal.forget()
    context.say(_("（已清空当前会话历史，长期记忆保留）"))


async def new(context: Context, rest: str) -> None:
    """`/new <id>`: begin a session with a name."""
    name = rest.partition(" ")[0]
    if not name:
        context.say(_("用法：/new <id>"))
        return
    try:
        file = await asyncio.to_thread(context.sessions.create, name)
    except (SessionError, OSError) as error:
        context.say(_("新建失败：{reason}").format(reason=error))
        return
    await _switch(context, file)
    context.say(_("（已新建并切换到会话 {id}）").format(id=name))


async def open_session(context: Context, rest: str) -> None:
    """`/open <id>`: go on with another session."""
    name = rest.partition(" ")[0]
    conversation = context.journal.conversation
    if not name:
        context.say(_("用法：/open <id>"))
        return
    if name != conversation.session:
        try:
            file = await asyncio.to_thread(context.sessions.open, name)
        except (SessionError, OSError) as error:
            context.say(_("打开失败：{reason}").format(reason=error))
            return
        await _switch(context, file)
    context.say(
        ngettext(
            "（已切换到会话 {id}，{n} 条消息）", "（已切换到会话 {id}，{n} 条消息）", _size(context)
        ).format(id=name, n=_size(context))
    )


async def list_sessions(context: Context, rest: str) -> None:
    """`/sessions`: all of them, the open one marked."""
    current = SessionSummary(context.journal.conversation.session, _size(context))
    stored = await asyncio.to_thread(context.sessions.summaries)
    summaries = {summary.session: summary for summary in stored} | {current.session: current}
    lines = [
        ngettext("{mark} {id}（{n} 条消息）", "{mark} {id}（{n} 条消息）", summary.messages).format(
            mark="*" if summary == current else " ", id=summary.session, n=summary.messages
        )
        for _name, summary in sorted(summaries.items())
    ]
    context.say("\n".join([_("会话："), *lines]))


async def _switch(context: Context, file: SessionFile) -> None:
    conversation = await asyncio.to_thread(Conversation.replay, file.session, file.records)
    file.records = []
    context.journal.replace(file, conversation)
    context.permissions.forget_grants()
    await context.library.focusing.look()
    await asyncio.to_thread(context.sessions.remember, file.session)


def _size(context: Context) -> int:
    return len(context.journal.conversation.messages)


COMMANDS = (
    Command("/reset", reset, lambda: _("清空当前会话历史，长期记忆保留"), changes_session=True),
    Command("/new", new, lambda: _("新建并切换到一个会话"), lambda: _("<id>"), changes_session=True),
    Command("/sessions", list_sessions, lambda: _("列出所有会话")),
    Command("/open", open_session, lambda: _("切换到另一个会话"), lambda: _("<id>"), changes_session=True),
)
