"""`/rag` and its kin."""

from __future__ import annotations

from geekagent_tui.agent.commands.base import Command, Context
from geekagent_tui.agent.commands.numbers import refuses_numbers
from geekagent_tui.agent.commands.options import Parsed, number, parse
from geekagent_tui.agent.scope import scoped
from geekagent_tui.i18n import _, ngettext
from geekagent_tui.rag.model import Selection
from geekagent_tui.rag.moments import moment
from geekagent_tui.rag.sources import split_words
from geekagent_tui.rag.wording import overview

HITS = 4
_PRUNE = "--prune"
_CRAWL = "--crawl"
_TAG = "--tag"
_SOURCE = "--source"
_KIND = "--kind"
_SINCE = "--since"
_UNTIL = "--until"


async def show(context: Context, rest: str) -> None:
    """`/rag`, `/rag list`, `/rag stats`: what the knowledge base holds."""
    if rest.split(maxsplit=1)[:1] == ["export"]:
        context.say(_("导出知识库要在命令行运行：geekagent rag export <文件>"))
        return
    if rest and rest not in {"list", "stats"}:
        context.say(_("用法：/rag add <网页 URL 或文件路径>... 采集建库；/rag 查看知识库"))
        return
    context.say(overview(await context.rag.documents(), await context.rag.stats()))


async def add(context: Context, rest: str) -> None:
    """`/rag add … [--crawl N] [--tag T]`: ask, then ingest in the background."""
    given = parse(rest, values=(_CRAWL, _TAG))
    crawl = _number(given.last(_CRAWL))
    if crawl is None or given.incomplete == _CRAWL:
        context.say(_("用法：/rag add <网页 URL> --crawl <N> 沿链接采集同一网站，最多 N 个网页"))
    elif given.incomplete:
        context.say(_("用法：/rag add <网页 URL 或文件路径>... --tag <标签> 给加入的文档加上标签"))
    elif not given.words:
        await show(context, "add")
    else:
        typed = await context.rag.listed(given.words)
        context.library.ingests.start(typed, crawl, given.values.get(_TAG, ()))


def _number(text: str | None) -> int | None:
    """A number of pages: 0 when there is none, None when it is no number."""
    if text is None:
        return 0
    return number(text, 10**9)


async def remove_sources(context: Context, rest: str) -> None:
    """`/rag rm …`: remove documents by their sources."""
    sources = split_words(rest)
    if not sources:
        context.say(_("用法：/rag rm <来源>... 从知识库移除"))
    elif not await refuses_numbers(context, sources):
        await context.library.remove(sources)


async def sync(context: Context, rest: str) -> None:
    """`/rag sync …`: bring documents up to date in the background."""
    given = parse(rest, flags=(_PRUNE,))
    if not await refuses_numbers(context, given.words):
        context.library.ingests.start_sync(given.words, prune=_PRUNE in given.flags)


async def retry(context: Context, rest: str) -> None:
    """`/rag retry …`: try again what failed."""
    count = context.library.ingests.retry(split_words(rest))
    if count:
        told = ngettext("正在重试 {n} 个来源", "正在重试 {n} 个来源", count)
        context.say(f"[{told.format(n=count)}]")
    else:
        context.say("[" + _("没有可以重试的来源") + "]")


async def cancel(context: Context, rest: str) -> None:
    """`/rag cancel`: stop what is being ingested."""
    if rest:
        context.say(_("用法：/rag cancel 停止正在进行的采集"))
    elif not context.library.ingests.cancel():
        context.say("[" + _("没有正在进行的采集") + "]")


async def undo(context: Context, rest: str) -> None:
    """`/rag undo`: bring back what was removed last."""
    if rest:
        context.say(_("用法：/rag undo 恢复最近一次移除的文档"))
    else:
        await context.library.undo_remove()


async def search(context: Context, rest: str) -> None:
    """`/rag search …`: look something up without asking the model, within the focus unless told where."""
    given = parse(rest, values=(_TAG, _SOURCE, _KIND, _SINCE, _UNTIL))
    unknown = bool(given.words) and given.words[0].startswith("--")
    if not given.words or given.incomplete or unknown:
        usage = _(
            "用法：/rag search [--tag <标签>] [--source <来源>] [--kind <类型>] [--since <日期>]"
            " [--until <日期>] <问题> 检索知识库"
        )
        told = _("不认识的选项：{option}").format(option=given.words[0]) + "\n" if unknown else ""
        context.say(told + usage)
        return
    query = " ".join(given.words) if given.values else rest
    try:
        chosen = _chosen(given)
    except ValueError as error:
        context.say(str(error))
        return
    within = chosen or context.library.focusing.within
    result = await context.rag.search(query, limit=HITS, within=within)
    context.say(scoped(result, None if chosen else within))


def _chosen(given: Parsed) -> Selection:
    """What the options of a search say.

    Raises:
        ValueError: A date is none.
    """
    since, until = given.last(_SINCE), given.last(_UNTIL)
    return Selection(
        tags=given.values.get(_TAG, ()),
        sources=given.values.get(_SOURCE, ()),
        kinds=given.values.get(_KIND, ()),
        since=None if since is None else moment(since),
        until=None if until is None else moment(until),
    )


COMMANDS = (
    Command("/rag", show, lambda: _("查看知识库")),
    Command(
        "/rag add",
        add,
        lambda: _("采集网页、文件或文件夹"),
        lambda: _("<网页 URL 或文件路径>... [--crawl N] [--tag 标签]"),
    ),
    Command("/rag rm", remove_sources, lambda: _("从知识库移除"), lambda: _("<来源>...")),
    Command("/rag undo", undo, lambda: _("恢复最近一次移除的文档")),
    Command(
        "/rag sync",
        sync,
        lambda: _("更新已有的文档；--prune 移除来源已不存在的"),
        lambda: _("[--prune] [来源]..."),
    ),
    Command("/rag retry", retry, lambda: _("重试失败的来源"), lambda: _("[来源]...")),
    Command("/rag cancel", cancel, lambda: _("停止正在进行的采集")),
    Command(
        "/rag search",
        search,
        lambda: _("检索知识库"),
        lambda: _("[--tag 标签] [--source 来源] [--kind 类型] [--since 日期] [--until 日期] <问题>"),
    ),
)
