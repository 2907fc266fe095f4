"""`/reset`, `/new`, `/sessions`, `/open`, `/rename`, `/save`."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial

from geekagent_tui.agent.commands.base import Command, Context
from geekagent_tui.agent.commands.options import parse
from geekagent_tui.agent.commands.switching import size, switch
from geekagent_tui.agent.records import Named
from geekagent_tui.agent.session_summary import SessionSummary, worth_listing
from geekagent_tui.agent.sessions import (
    SessionError,
    SessionFile,
    SessionOpenElsewhereError,
    Sessions,
)
from geekagent_tui.i18n import _, ngettext
from geekagent_tui.reasons import reason_of
from geekagent_tui.sanitize import clean_line

TITLE_LENGTH = 120
"""Characters of a session's name in words."""
QUESTION_LENGTH = 32
"""Characters of a session's first question that a list shows."""


async def reset(context: Context, rest: str) -> None:
    """`/reset`: forget the conversation, not the session and not long-term memory."""
    context.journal.forget()
    context.say(_("（已清空当前会话历史，长期记忆保留）"))


async def new(context: Context, rest: str) -> None:
    """`/new [id]`: begin a session; a name of letters that no id may have becomes its name in words."""
    words = parse(rest).words
    if len(words) > 1:
        context.say(_("用法：/new <id>"))
        return
    name = words[0] if words else ""
    titled = not name.isascii()
    await context.journal.written()  # the names of sessions are read from their files
    try:
        file = await switch(context, partial(_begun, context.sessions, name))
    except (SessionError, OSError) as error:
        context.say(_("新建失败：{reason}").format(reason=reason_of(error)))
        return
    if titled:
        context.journal.record(Named(name))
    told = f"{file.session} {name}" if titled else file.session
    context.say(_("（已新建并切换到会话 {id}）").format(id=told))


def _begun(sessions: Sessions, name: str) -> SessionFile:
    if not name:
        return sessions.begin()
    return sessions.create(name) if name.isascii() else sessions.titled(name)


async def open_session(context: Context, rest: str) -> None:
    """`/open <id>`: go on with another session, by its id or its name in words."""
    words = parse(rest).words
    if not words:
        context.say(_("用法：/open <id>"))
        return
    try:
        name = await asyncio.to_thread(context.sessions.find, " ".join(words))
        if name != context.journal.conversation.session:
            await switch(context, partial(context.sessions.open, name))
    except SessionOpenElsewhereError as error:
        offer = _("；用 /fork {id} 复制一份来看").format(id=error.session)
        context.say(_("打开失败：{reason}").format(reason=reason_of(error)) + offer)
        return
    except (SessionError, OSError) as error:
        context.say(_("打开失败：{reason}").format(reason=reason_of(error)))
        return
    told = ngettext("（已切换到会话 {id}，{n} 条消息）", "（已切换到会话 {id}，{n} 条消息）", size(context))
    context.say(told.format(id=name, n=size(context)))


async def list_sessions(context: Context, rest: str) -> None:
    """`/sessions`: those that a person may look for, the open one marked."""
    await context.journal.written()
    conversation = context.journal.conversation
    open_ = conversation.session
    summaries = {summary.session: summary for summary in await asyncio.to_thread(context.sessions.summaries)}
    stored = summaries.get(open_, SessionSummary(open_, 0))
    summaries[open_] = replace(stored, messages=size(context), title=conversation.title)
    listed = [
        summary
        for _name, summary in sorted(summaries.items())
        if summary.session == open_ or worth_listing(summary, summaries.values())
    ]
    lines = [_line(summary, "*" if summary.session == open_ else " ") for summary in listed]
    if left := sum(summary.messages > 0 for summary in summaries.values() if summary not in listed):
        told = ngettext(
            "（另有 {n} 个没有列出：geekagent ask 的，或者只是副本）",
            "（另有 {n} 个没有列出：geekagent ask 的，或者只是副本）",
            left,
        )
        lines.append(told.format(n=left))
    context.say("\n".join([_("会话："), *lines]))


def _line(summary: SessionSummary, mark: str) -> str:
    """The reference's line, and by what a person would know the session."""
    line = ngettext("{mark} {id}（{n} 条消息）", "{mark} {id}（{n} 条消息）", summary.messages).format(
        mark=mark, id=summary.session, n=summary.messages
    )
    line = f"{line} {clean_line(summary.title)}".rstrip()
    when = f"{summary.said[-1][0]:%Y-%m-%d %H:%M}" if summary.said else ""
    question = clean_line(summary.question)
    if len(question) > QUESTION_LENGTH:
        question = f"{question[: QUESTION_LENGTH - 1]}…"
    return " · ".join(filter(None, (line, when, question)))


async def rename(context: Context, rest: str) -> None:
    """`/rename <name>`: say in words what the session is about."""
    title = clean_line(" ".join(parse(rest).words))[:TITLE_LENGTH]
    if not title:
        context.say(_("用法：/rename <名称> 给当前会话取一个名称"))
        return
    context.journal.record(Named(title))
    context.say(
        _("（会话 {id} 现在叫：{title}）").format(id=context.journal.conversation.session, title=title)
    )


async def save(context: Context, rest: str) -> None:
    """`/save`: everything is written as it happens; wait for the last of it, and say where it is."""
    try:
        await context.journal.saved()
        folder, count = await asyncio.to_thread(context.sessions.location)
    except (SessionError, OSError) as error:
        context.say(_("保存失败：{reason}").format(reason=reason_of(error)))
        return
    told = ngettext("（已保存 {n} 个会话到 {path}）", "（已保存 {n} 个会话到 {path}）", count)
    context.say(told.format(n=count, path=folder))


COMMANDS = (
    Command("/reset", reset, lambda: _("清空当前会话历史，长期记忆保留"), changes_session=True),
    Command("/new", new, lambda: _("新建并切换到一个会话"), lambda: "[id]", changes_session=True),
    Command("/sessions", list_sessions, lambda: _("列出所有会话")),
    Command("/open", open_session, lambda: _("切换到另一个会话"), lambda: _("<id>"), changes_session=True),
    Command("/rename", rename, lambda: _("给当前会话取名称"), lambda: _("<名称>"), changes_session=True),
    Command("/save", save, lambda: _("把会话写到磁盘，并说明位置")),
)
