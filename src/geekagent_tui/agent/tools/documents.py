"""The documents of the knowledge base as the model's tools: what there is, and taking it out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from geekagent_tui.agent.consent import Consent, Wish
from geekagent_tui.agent.events import ToolState
from geekagent_tui.agent.focusing import Focusing
from geekagent_tui.agent.models.base import ToolSpec
from geekagent_tui.agent.removal import Removal
from geekagent_tui.agent.scope import limited
from geekagent_tui.agent.targets import DocumentsTarget
from geekagent_tui.agent.tools.base import Arguments, Outcome, ToolError, object_schema, text_argument, texts
from geekagent_tui.agent.tools.files_shown import offset_of
from geekagent_tui.i18n import _, ngettext
from geekagent_tui.rag.model import Document, Selection
from geekagent_tui.rag.wording import describe
from geekagent_tui.sanitize import clean_line

if TYPE_CHECKING:
    from geekagent_tui.rag.service import RagService

LISTED = 100
"""Documents that one answer lists at most."""
SHOWN = 20
"""Documents that a question names one by one."""


class RagList:
    """`rag_list`: which documents there are; those of the focus when there is one."""

    spec = ToolSpec(
        "rag_list",
        "列出知识库里的文档：编号、标题、块数、来源和标签。要看内容请用 rag_search。",
        object_schema(
            {},
            filter={"type": "string", "description": "只要标题或来源含有这些字的文档"},
            offset={"type": "integer", "minimum": 0, "description": "从第几个文档开始"},
        ),
        read_only=True,
    )
    asks_itself = False
    guarded = False

    def __init__(self, rag: RagService, focusing: Focusing) -> None:
        self._rag = rag
        self._focusing = focusing

    def target(self, arguments: Arguments) -> str:
        """What the titles have to contain."""
        return text_argument(arguments, "filter")

    async def run(self, arguments: Arguments) -> Outcome:
        """List."""
        within = self._focusing.within
        wanted = self.target(arguments).casefold().split()
        known = await self._rag.documents(within)
        if not known and within is None:
            return Outcome(_("知识库还是空的，先用 rag_add 或 /rag add 采集"), _("没有文档"))
        found = [each for each in known if _matches(each, wanted)]
        start = offset_of(arguments)
        shown = found[start : start + LISTED]
        lines = [ngettext("共 {n} 个文档：", "共 {n} 个文档：", len(found)).format(n=len(found))]
        lines += map(_line, shown)
        if start + LISTED < len(found):
            lines.append(_("...(已截断，续读可用 offset={offset})").format(offset=start + LISTED))
        if within is not None:
            lines.append(limited())
        return Outcome(
            "\n".join(lines), ngettext("{n} 个文档", "{n} 个文档", len(found)).format(n=len(found))
        )


class RagRemove:
    """`rag_remove`: take documents out of the knowledge base, after the user has seen which ones."""

    spec = ToolSpec(
        "rag_remove",
        "从知识库移除文档（原文件和网页不受影响，用户可以恢复）。会先请用户确认。",
        object_schema(
            {},
            source={"type": "string", "description": "文档的编号或来源，来源也可以是文件夹或模式"},
            sources={
                "type": "array",
                "items": {"type": "string"},
                "description": "多个文档时用它代替 source",
            },
        ),
    )
    asks_itself = True
    guarded = False

    def __init__(self, rag: RagService, removal: Removal, consent: Consent) -> None:
        self._rag = rag
        self._removal = removal
        self._consent = consent

    def target(self, arguments: Arguments) -> str:
        """The words that name documents."""
        return " ".join(_words(arguments))

    async def run(self, arguments: Arguments) -> Outcome:
        """Ask, then remove exactly what was shown."""
        words = _words(arguments)
        if not words:
            raise ToolError(_("缺少参数 {name}").format(name="source"))
        meant = await self._meant(words)
        target = DocumentsTarget(tuple(document.source for document in meant))
        if not await self._consent.given(Wish("rag_remove", target, _question(meant)), arguments):
            return Outcome(_("已取消移除"), _("已拒绝"), ToolState.DENIED)
        results = await self._removal.remove([document.id for document in meant])
        lines = [describe(result) for result in results[:SHOWN]]
        if (rest := len(results) - SHOWN) > 0:
            lines.append(ngettext("还有 {n} 个", "还有 {n} 个", rest).format(n=rest))
        return Outcome("\n".join(lines), ngettext("{n} 项", "{n} 项", len(results)).format(n=len(results)))

    async def _meant(self, words: Sequence[str]) -> list[Document]:
        """The documents that words name.

        Raises:
            ToolError: One names none.
        """
        known = {document.id: document for document in await self._rag.documents()}
        meant: dict[int, Document] = {}
        for word in words:
            number = int(word) if word.isascii() and word.isdecimal() and len(word) < 19 else 0
            if number in known:
                meant[number] = known[number]
                continue
            found = await self._rag.documents(Selection(sources=(word,)))
            if not found:
                raise ToolError(_("知识库里没有 {source}，用 rag_list 查看有哪些文档").format(source=word))
            meant.update((document.id, document) for document in found)
        return list(meant.values())


def _words(arguments: Arguments) -> list[str]:
    words = [text_argument(arguments, "source"), *texts(arguments.get("sources"))]
    return list(dict.fromkeys(word for word in words if word))


def _matches(document: Document, wanted: Sequence[str]) -> bool:
    text = f"{document.title} {document.source}".casefold()
    return all(word in text for word in wanted)


def _line(document: Document) -> str:
    tags = "".join(f" #{clean_line(tag)}" for tag in document.tags)
    return _("{id}. 《{title}》（{passages} 块，{source}）{tags}").format(
        id=document.id,
        title=clean_line(document.title),
        passages=document.passages,
        source=clean_line(document.source),
        tags=tags,
    )


def _question(meant: Sequence[Document]) -> str:
    count = len(meant)
    head = ngettext("即将从知识库移除 {n} 个文档：", "即将从知识库移除 {n} 个文档：", count).format(n=count)
    lines = [
        _("《{title}》 {source}").format(title=clean_line(each.title), source=clean_line(each.source))
        for each in meant[:SHOWN]
    ]
    if (rest := count - SHOWN) > 0:
        lines.append(ngettext("还有 {n} 个", "还有 {n} 个", rest).format(n=rest))
    return "\n".join([head, *lines, _("确认移除？")])
