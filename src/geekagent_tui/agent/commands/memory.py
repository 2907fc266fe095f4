"""`/memory` and its kin: what is remembered for good, and changing it."""

from __future__ import annotations

from datetime import datetime

from geekagent_tui.agent.commands.base import Command, Context
from geekagent_tui.agent.commands.options import missing, number
from geekagent_tui.agent.memory import MemoryChangeError
from geekagent_tui.agent.memory_times import Times
from geekagent_tui.i18n import _
from geekagent_tui.reasons import reason_of

HITS = 10
"""Pieces that a search shows at most."""
_JOINT = "；"


async def show(context: Context, rest: str) -> None:
    """`/memory`: every entry."""
    if rest:
        context.say(_("用法：/memory [search | edit | rm | merge]，/memory 查看长期记忆"))
        return
    entries = await context.memory.load()
    if not entries:
        context.say(_("（暂无长期记忆）"))
        return
    lines = (f"{number}. {entry}" for number, entry in enumerate(entries, start=1))
    context.say("\n".join([_("长期记忆："), *lines]))


async def search(context: Context, rest: str) -> None:
    """`/memory search …`: the entries about something, with their times."""
    if not rest:
        context.say(_("用法：/memory search <关键词> 查找长期记忆"))
        return
    found = await context.memory.search(rest, HITS)
    if not found:
        context.say(_("没有找到相关记忆"))
        return
    entries, times = context.memory.entries, await context.memory.times()
    lines = [_("找到 {n} 条相关记忆：").format(n=len(found))]
    for place, hit in enumerate(found, start=1):
        when = times.get(entries[hit.entry - 1]) if hit.entry <= len(entries) else None
        lines.append(f"{place}. {hit.label()}{_when(when)}")
    context.say("\n".join(lines))


async def edit(context: Context, rest: str) -> None:
    """`/memory edit N text`: put another text in an entry's place."""
    place, _space, text = rest.partition(" ")
    chosen = await _chosen(context, [place])
    if isinstance(chosen, str) and text.strip():
        context.say(chosen)
    elif not chosen or isinstance(chosen, str) or not text.strip():
        context.say(_("用法：/memory edit <编号> <新的内容>"))
    elif await _replace(context, chosen, text):
        context.say(_("（已修改：{content}）").format(content=text.strip()))


async def remove(context: Context, rest: str) -> None:
    """`/memory rm N…`: forget entries."""
    chosen = await _chosen(context, rest.split())
    if isinstance(chosen, str):
        context.say(chosen)
    elif not chosen:
        context.say(_("用法：/memory rm <编号>... 删除长期记忆"))
    elif await _replace(context, chosen, ""):
        context.say("\n".join(_("（已删除：{content}）").format(content=entry) for entry in chosen))


async def merge(context: Context, rest: str) -> None:
    """`/memory merge N M…`: make one entry of several."""
    words = rest.split()
    chosen = await _chosen(context, words)
    if isinstance(chosen, str):
        context.say(chosen)
        return
    if len(chosen) == 1 and len(words) > 1:
        context.say(_("要合并的是同一条记忆，请给出两个不同的编号"))
        return
    if len(chosen) < 2:
        context.say(_("用法：/memory merge <编号> <编号>... 合并成一条"))
        return
    text = _JOINT.join(entry.rstrip("。.；; ") for entry in chosen)
    if await _replace(context, chosen, text):
        context.say(_("（已合并：{content}）").format(content=text))


async def _chosen(context: Context, words: list[str]) -> list[str] | str:
    """The entries that numbers mean, each once; none when a word is no number; else why not."""
    entries = await context.memory.load()
    if told := missing(words, len(entries)):
        return told
    numbers = [number(word, len(entries)) for word in words]
    chosen = dict.fromkeys(entries[place - 1] for place in numbers if place is not None)
    return list(chosen) if None not in numbers else []


async def _replace(context: Context, old: list[str], new: str) -> bool:
    """Change memory, or tell why it can't be changed."""
    try:
        await context.memory.replace(old, new)
    except MemoryChangeError as error:
        context.say(str(error))
        return False
    except OSError as error:
        context.say(_("记忆保存失败：{reason}").format(reason=reason_of(error)))
        return False
    return True


def _when(times: Times | None) -> str:
    if times is None:
        return ""
    if times.changed is None:
        return _("（记于 {day}）").format(day=_day(times.added))
    return _("（记于 {day}，改于 {changed}）").format(day=_day(times.added), changed=_day(times.changed))


def _day(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d")


COMMANDS = (
    Command("/memory", show, lambda: _("查看长期记忆")),
    Command("/memory search", search, lambda: _("查找长期记忆"), lambda: _("<关键词>")),
    Command("/memory edit", edit, lambda: _("修改一条长期记忆"), lambda: _("<编号> <新的内容>")),
    Command("/memory rm", remove, lambda: _("删除长期记忆"), lambda: _("<编号>...")),
    Command("/memory merge", merge, lambda: _("把几条长期记忆合并成一条"), lambda: _("<编号> <编号>...")),
)
