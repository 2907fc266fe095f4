"""`/load`, `/export`, `/search`: sessions from elsewhere, for elsewhere, and what was said in any of them."""

from __future__ import annotations

import asyncio
import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from geekagent_tui.agent.commands.base import Command, Context
from geekagent_tui.agent.commands.options import parse
from geekagent_tui.agent.commands.switching import switch
from geekagent_tui.agent.session_export import Transcript, as_json, as_markdown, write_beside, write_new
from geekagent_tui.agent.session_import import Imported, read_archive, take_over
from geekagent_tui.agent.session_lines import read_lines
from geekagent_tui.agent.sessions import SessionError
from geekagent_tui.files import write_atomically
from geekagent_tui.i18n import _, ngettext
from geekagent_tui.reasons import reason_of
from geekagent_tui.sanitize import clean_line

if TYPE_CHECKING:
    from geekagent_tui.agent.session_search import Finds

FINDS = 20
"""Finds of `/search` that are told."""

_FORCE = "--force"
_FORMATS = ("md", "json")
_OTHER_FORMATS = ("txt", "html", "pdf", "markdown", "jsonl", "docx", "csv")
"""Words that mean a format that there is not, rather than a file."""


async def load(context: Context, rest: str) -> None:
    """`/load`: take over the sessions of the reference that are not here yet; go on in its current one."""
    path = context.workspace.archive
    try:
        imported = await asyncio.to_thread(_load, context, path)
        if imported.current:
            await switch(context, partial(context.sessions.open, imported.current))
    except (SessionError, OSError) as error:
        told = str(error) if isinstance(error, SessionError) else f"{path}（{reason_of(error)}）"
        context.say(_("读取失败：{reason}").format(reason=told))
        return
    told = ngettext(
        "（已从 {path} 恢复 {n} 个会话，当前：{id}）",
        "（已从 {path} 恢复 {n} 个会话，当前：{id}）",
        len(imported.added),
    )
    current = context.journal.conversation.session
    context.say(told.format(path=path, n=len(imported.added), id=current))


def _load(context: Context, path: Path) -> Imported:
    return take_over(context.sessions, read_archive(path))


async def export(context: Context, rest: str) -> None:
    """`/export [md|json] [file] [--force]`: write the session into a file."""
    given = parse(rest, flags=(_FORCE,))
    words = list(given.words)
    kind = words.pop(0) if words and words[0] in _FORMATS else ""
    if len(words) > 1 or (words and not kind and words[0].lower() in _OTHER_FORMATS):
        context.say(_("用法：/export [md|json] [文件] [--force] 导出当前会话"))
        return
    name = words[0] if words else ""
    kind = kind or ("json" if name.endswith(".json") else "md")
    try:
        session = await context.journal.saved()
        data = await _exported(context, session, kind)
        folder, force = context.workspace.folder, _FORCE in given.flags
        target = name or f"{session}.{kind}"
        told = await asyncio.to_thread(_write, folder, target, data, chosen=bool(name), force=force)
    except (SessionError, OSError, RuntimeError) as error:  # RuntimeError: the home of nobody, `~nobody/x`
        context.say(_("导出失败：{reason}").format(reason=reason_of(error)))
        return
    context.say(told)


async def _exported(context: Context, session: str, kind: str) -> bytes:
    conversation = context.journal.conversation
    if kind == "md":
        chat, tools = tuple(conversation.chat), tuple(conversation.tools.values())
        transcript = Transcript(session, conversation.title, chat, tools, conversation.evidence)
        return await asyncio.to_thread(as_markdown, transcript)
    lines = await asyncio.to_thread(read_lines, context.sessions.path(session))
    return await asyncio.to_thread(as_json, session, conversation.title, [line.data for line in lines])


def _write(folder: Path, name: str, data: bytes, *, chosen: bool, force: bool) -> str:
    """Write the file, over another one only when told to; say where it is."""
    path, done = folder / Path(name).expanduser(), _("（已导出到 {path}）")
    path = path.parent.resolve() / path.name  # told without `..`
    if not chosen:
        return done.format(path=write_beside(path, data))
    try:
        write_new(path, data)
    except FileExistsError:
        if not force:
            return _("导出失败：{path} 已存在，加上 --force 覆盖它").format(path=path)
        write_atomically(path, data)
        return _("（已导出到 {path}，覆盖了原来的文件）").format(path=path)
    return done.format(path=path)


async def search(context: Context, rest: str) -> None:
    """`/search <words>`: what was said in any session."""
    if not rest:
        context.say(_("用法：/search <关键词> 搜索所有会话里说过的话"))
        return
    await context.journal.written()
    stop = threading.Event()
    folder = context.sessions.folder
    try:
        finds = await asyncio.to_thread(_search, folder, rest, stop)
    finally:
        stop.set()
    if not finds.found:
        context.say(_("（没有找到说过的话）"))
        return
    told = ngettext("找到 {n} 处：", "找到 {n} 处：", finds.total)
    lines = [told.format(n=finds.total)]
    for found in finds.found:
        role = _("提问") if found.role == "user" else _("回答")
        title = clean_line(finds.titles.get(found.session, ""))
        also = _("也在：{ids}").format(ids=_("、").join(found.copies)) if found.copies else ""
        when = f"{found.at:%Y-%m-%d %H:%M}"
        lines.append("  ".join(filter(None, (found.session, title, when, role, also))))
        lines.append(f"    {clean_line(found.excerpt)}")
    if finds.left:
        told = ngettext("（还有 {n} 个较早的会话没有搜索）", "（还有 {n} 个较早的会话没有搜索）", finds.left)
        lines.append(told.format(n=finds.left))
    context.say("\n".join(lines))


def _search(folder: Path, query: str, stop: threading.Event) -> Finds:
    from geekagent_tui.agent.session_search import search  # loading the analysis takes a while

    return search(folder, query, FINDS, stop.is_set)


COMMANDS = (
    Command("/load", load, lambda: _("导入教程版保存的会话"), changes_session=True),
    Command("/export", export, lambda: _("导出当前会话"), lambda: _("[md|json] [文件] [--force]")),
    Command("/search", search, lambda: _("搜索所有会话"), lambda: _("<关键词>")),
)
