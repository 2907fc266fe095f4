"""`/rag` and its kin."""

from __future__ import annotations

from geekagent_tui.agent.commands.base import Command, Context
from geekagent_tui.i18n import _
from geekagent_tui.rag.errors import RagError
from geekagent_tui.rag.sources import split_words
from geekagent_tui.rag.wording import overview, search_text

HITS = 4
_PRUNE = "--prune"
_CRAWL = "--crawl"


async def show(context: Context, rest: str) -> None:
    """`/rag`: what the knowledge base holds."""
    if rest:
        context.say(_("用法：/rag add <网页 URL 或文件路径>... 采集建库；/rag 查看知识库"))
        return
    context.say(overview(await context.rag.documents(), await context.rag.stats()))


async def add(context: Context, rest: str) -> None:
    """`/rag add … [--crawl N]`: ask, then ingest in the background."""
    words, crawl = _crawl(split_words(rest))
    if crawl is None:
        context.say(_("用法：/rag add <网页 URL> --crawl <N> 沿链接采集同一网站，最多 N 个网页"))
    elif not words:
        await show(context, "add")
    else:
        try:
            context.ingests.start(await context.rag.listed(words), crawl)
        except RagError as error:
            context.say(error.message)


def _crawl(words: list[str]) -> tuple[list[str], int | None]:
    """The words without `--crawl N`, and N: 0 when it is not there, None when it is no number."""
    if _CRAWL not in words:
        return words, 0
    place = words.index(_CRAWL)
    number = words[place + 1] if place + 1 < len(words) else ""
    is_number = number.isascii() and number.isdecimal() and len(number) < 10 and int(number) > 0
    return words[:place] + words[place + 2 :], int(number) if is_number else None


async def remove_sources(context: Context, rest: str) -> None:
    """`/rag rm …`: remove documents by their sources."""
    if sources := split_words(rest):
        await context.removal.remove(sources)
    else:
        context.say(_("用法：/rag rm <来源>... 从知识库移除"))


async def sync(context: Context, rest: str) -> None:
    """`/rag sync …`: bring documents up to date in the background."""
    words = split_words(rest)
    names = [word for word in words if word != _PRUNE]
    context.ingests.start_sync(names, prune=len(names) < len(words))


async def undo(context: Context, rest: str) -> None:
    """`/rag undo`: bring back what was removed last."""
    if rest:
        context.say(_("用法：/rag undo 恢复最近一次移除的文档"))
    else:
        await context.removal.undo()


async def search(context: Context, rest: str) -> None:
    """`/rag search …`: look something up without asking the model."""
    if rest:
        result = await context.rag.search(rest, limit=HITS)
        context.say(search_text(result))
    else:
        context.say(_("用法：/rag search <问题> 检索知识库"))


COMMANDS = (
    Command("/rag", show, lambda: _("查看知识库")),
    Command("/rag add", add, lambda: _("采集网页、文件或文件夹"), lambda: _("<网页 URL 或文件路径>...")),
    Command("/rag rm", remove_sources, lambda: _("从知识库移除"), lambda: _("<来源>...")),
    Command("/rag undo", undo, lambda: _("恢复最近一次移除的文档")),
    Command(
        "/rag sync",
        sync,
        lambda: _("更新已有的文档；--prune 移除来源已不存在的"),
        lambda: _("[--prune] [来源]..."),
    ),
    Command("/rag search", search, lambda: _("检索知识库"), lambda: _("<问题>")),
)
