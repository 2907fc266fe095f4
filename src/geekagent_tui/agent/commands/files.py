"""`/undo`, `/redo`, `/todos`, `/grants`."""

from __future__ import annotations

import functools
from collections.abc import Callable

from geekagent_tui.agent.blocking import finished
from geekagent_tui.agent.changes import Turned
from geekagent_tui.agent.commands.base import Command, Context
from geekagent_tui.agent.commands.options import missing, number
from geekagent_tui.agent.confined import PathError
from geekagent_tui.agent.events import Scope
from geekagent_tui.agent.grant_labels import label_of
from geekagent_tui.agent.grants import Grant
from geekagent_tui.agent.todos import todo_text
from geekagent_tui.agent.tools.files_shown import shown
from geekagent_tui.i18n import _
from geekagent_tui.reasons import reason_of

_FORCE = "--force"
_REVOKE = "rm"


async def undo(context: Context, rest: str) -> None:
    """`/undo`: take back what the last turn did to files."""
    if rest not in ("", _FORCE):
        context.say(_("用法：/undo [--force] 撤销最近一轮对文件的写入"))
        return
    turned = await _turn(
        context, functools.partial(context.changes.undo, force=rest == _FORCE), _("撤销失败")
    )
    if turned is None:
        return
    if not turned.paths:
        context.say(_("（没有可撤销的写入）"))
    elif turned.protected and not turned.done:
        context.say(_steering("/undo", turned.protected))
    elif not turned.done:
        edited = _("撤销失败：{paths} 在写入之后又被改动过，没有动任何文件。")
        other = _("撤销失败：对 {paths} 的最近一次写入属于会话 {id}，没有动任何文件。")
        again = _("仍要撤销请输入 /undo --force；现在的内容之后可用 /redo 找回。")
        context.say(_refused(turned, edited, other, again))
    else:
        context.say(_done(turned, _("（已撤销对 {path} 的最近一次写入）")))


async def redo(context: Context, rest: str) -> None:
    """`/redo`: make again what was undone last."""
    if rest not in ("", _FORCE):
        context.say(_("用法：/redo [--force] 重做最近一次撤销的写入"))
        return
    turned = await _turn(
        context, functools.partial(context.changes.redo, force=rest == _FORCE), _("重做失败")
    )
    if turned is None:
        return
    if not turned.paths:
        context.say(_("（没有可重做的写入）"))
    elif turned.protected and not turned.done:
        context.say(_steering("/redo", turned.protected))
    elif not turned.done:
        edited = _("重做失败：{paths} 在撤销之后又被改动过，没有动任何文件。")
        other = _("重做失败：撤销的对 {paths} 的写入属于会话 {id}，没有动任何文件。")
        again = _("仍要重做请输入 /redo --force；现在的内容之后可用 /undo 找回。")
        context.say(_refused(turned, edited, other, again))
    else:
        context.say(_done(turned, _("（已重做对 {path} 的写入）")))


async def show_todos(context: Context, rest: str) -> None:
    """`/todos`: what the model has planned in this session."""
    context.say(todo_text(context.journal.conversation.todos))


async def show_grants(context: Context, rest: str) -> None:
    """`/grants`: what tools may do without being asked about; `/grants rm N` takes one back."""
    numbered = await _numbered(context)
    words = rest.split()
    if not words:
        context.say(_grants_text(numbered))
        return
    place = number(words[1], len(numbered)) if len(words) == 2 and words[0] == _REVOKE else None
    if place is None:
        told = missing(words[1:], len(numbered)) if len(words) == 2 and words[0] == _REVOKE else ""
        context.say(told or _("用法：/grants 查看已授予的许可；/grants rm <编号> 收回一项"))
        return
    grant, scope = numbered[place - 1]
    await context.permissions.revoke(grant, scope)
    context.say(_("（已收回：{grant}）").format(grant=_grant_text(grant)))


async def _turn(context: Context, turn: Callable[[], Turned], failure: str) -> Turned | None:
    """Do it off the event loop, and tell why when it can't be done."""
    try:
        return await finished(turn)
    except (PathError, OSError) as error:
        reason = reason_of(error)
    except ValueError:
        reason = _("保存的内容已损坏")
    context.say(_("{what}：{reason}").format(what=failure, reason=reason))
    return None


def _refused(turned: Turned, edited: str, other: str, again: str) -> str:
    """Why nothing was done, and how it could be."""
    lines = []
    if turned.session:
        lines.append(other.format(paths=_listed(turned.paths), id=turned.session))
        lines.append(_asked(turned))
    if turned.edited:
        lines.append(edited.format(paths=_listed(turned.edited)))
    return "\n".join([*lines, again])


def _done(turned: Turned, told: str) -> str:
    lines = [told.format(path=_listed(turned.paths)), _asked(turned)]
    if turned.session:
        lines.append(_("那一轮属于会话 {id}").format(id=turned.session))
    return "\n".join(lines)


def _asked(turned: Turned) -> str:
    return _("那一轮的提问：{text}").format(text=turned.label)


async def _numbered(context: Context) -> list[tuple[Grant, Scope]]:
    session, kept = await context.permissions.grants()
    return [(grant, Scope.SESSION) for grant in session] + [(grant, Scope.ALWAYS) for grant in kept]


def _grants_text(numbered: list[tuple[Grant, Scope]]) -> str:
    if not numbered:
        return _("（没有授予过许可）")
    lines = []
    for place, (grant, scope) in enumerate(numbered, start=1):
        how_long = _("始终") if scope is Scope.ALWAYS else _("本会话")
        lines.append(f"{place}. [{how_long}] {_grant_text(grant)}")
    return "\n".join([_("已授予的许可（/grants rm <编号> 收回）："), *lines])


def _grant_text(grant: Grant) -> str:
    return f"{grant.tool}  {label_of(grant)}"


def _steering(command: str, paths: tuple[str, ...]) -> str:
    told = _("{paths} 会影响助手自身的设置、指令或 git 运行的程序，没有动任何文件。")
    again = _("看过这些文件、仍要继续请输入 {command} --force。")
    return told.format(paths=_listed(paths)) + "\n" + again.format(command=command)


def _listed(paths: tuple[str, ...]) -> str:
    return _("、").join(map(shown, paths))


COMMANDS = (
    Command(
        "/undo",
        undo,
        lambda: _("撤销这个工作区里最近一轮对文件的写入"),
        lambda: _("[--force]"),
        changes_session=True,
    ),
    Command("/redo", redo, lambda: _("重做撤销的写入"), lambda: _("[--force]"), changes_session=True),
    Command("/todos", show_todos, lambda: _("查看任务清单")),
    Command("/grants", show_grants, lambda: _("查看、收回已授予的许可"), lambda: _("[rm <编号>]")),
)
