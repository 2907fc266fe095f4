"""`/rag tag` and `/rag only`: sorting documents, and limiting the session to some of them."""

from __future__ import annotations

from geekagent_tui.agent.commands.base import Command, Context
from geekagent_tui.agent.commands.numbers import refuses_numbers
from geekagent_tui.agent.scope import selection_of
from geekagent_tui.i18n import _, ngettext
from geekagent_tui.rag.model import Document, Selection
from geekagent_tui.rag.sources import split_words
from geekagent_tui.sanitize import clean_line

_PUT_ON = "+＋"
_TAKE_OFF = "-－"


async def tag(context: Context, rest: str) -> None:
    """`/rag tag …`: put tags on documents and take others off, or show them."""
    words = split_words(rest)
    add = [word[1:] for word in words if word[0] in _PUT_ON]
    remove = [word[1:] for word in words if word[0] in _TAKE_OFF]
    names = [word for word in words if word[0] not in _PUT_ON + _TAKE_OFF]
    if not words:
        context.say(_all(await context.rag.tags()))
    elif not names or not all((*add, *remove)):
        context.say(_("用法：/rag tag <来源>... [+标签] [-标签]"))
    elif await refuses_numbers(context, names):
        return
    elif add or remove:
        await context.library.tagging.tag(names, add=add, remove=remove)
    else:
        for name in names:
            if not await context.rag.documents(Selection(sources=(name,))):
                missing = _("知识库里没有 {source}").format(source=name)
                context.say(missing + "\n" + _("用法：/rag tag <来源>... [+标签] [-标签]"))
                return
        found = await context.rag.documents(Selection(sources=tuple(names)))
        context.say("\n".join(map(_of, found)))


async def only(context: Context, rest: str) -> None:
    """`/rag only …`: limit the session, show the limit, or end it with `off`."""
    words = split_words(rest)
    focusing = context.library.focusing
    if words == ["off"]:
        await focusing.choose(None)
    elif words:
        for word in words:
            if word in {"#", "＃"} or not await context.rag.documents(selection_of([word])):
                context.say(_("知识库里没有 {source}").format(source=word))
                return
        selection = selection_of(words)
        if not await context.rag.documents(selection):
            context.say(_("没有文档符合所选的范围"))
            return
        await focusing.choose(selection)
    focus = focusing.focus
    if focus is None:
        context.say(_("（没有限定范围，检索全部文档）"))
        return
    told = ngettext(
        "（只检索 {label}，共 {n} 个文档；/rag only off 取消）",
        "（只检索 {label}，共 {n} 个文档；/rag only off 取消）",
        focus.documents,
    )
    context.say(told.format(label=focus.label, n=focus.documents))


def _all(tags: dict[str, int]) -> str:
    if not tags:
        return _("还没有标签，用 /rag tag <来源> +标签 加上")
    lines = [
        ngettext("  {tag}（{n} 个文档）", "  {tag}（{n} 个文档）", count).format(
            tag=clean_line(name), n=count
        )
        for name, count in tags.items()
    ]
    return "\n".join([_("标签："), *lines])


def _of(document: Document) -> str:
    tags = " ".join(f"#{clean_line(name)}" for name in document.tags) or _("没有标签")
    return _("《{title}》：{tags}").format(title=clean_line(document.title), tags=tags)


COMMANDS = (
    Command("/rag tag", tag, lambda: _("查看、加上或去掉标签"), lambda: _("<来源>... [+标签] [-标签]")),
    Command(
        "/rag only",
        only,
        lambda: _("只检索选定的文档；off 取消"),
        lambda: _("[来源 | #标签]... | off"),
    ),
)
