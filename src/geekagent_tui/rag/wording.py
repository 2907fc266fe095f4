"""What front ends and models are told about the knowledge base, in the reference's sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from geekagent_tui.i18n import _, ngettext
from geekagent_tui.rag.model import (
    Badge,
    Document,
    Hit,
    IngestResult,
    IngestState,
    NoHits,
    SearchResult,
    Stats,
)
from geekagent_tui.sanitize import clean_line


def describe(result: IngestResult) -> str:
    """How one source ended, as a sentence."""
    match result.state:
        case IngestState.ADDED:
            sentence = ngettext(
                "已加入知识库：《{title}》共 {characters} 字符 / {passages} 块",
                "已加入知识库：《{title}》共 {characters} 字符 / {passages} 块",
                result.passages,
            )
        case IngestState.UPDATED:
            sentence = ngettext(
                "已更新：《{title}》共 {characters} 字符 / {passages} 块",
                "已更新：《{title}》共 {characters} 字符 / {passages} 块",
                result.passages,
            )
        case IngestState.REMOVED:
            sentence = ngettext(
                "已移除：《{title}》共 {characters} 字符 / {passages} 块",
                "已移除：《{title}》共 {characters} 字符 / {passages} 块",
                result.passages,
            )
        case IngestState.UNCHANGED:
            return _("{reason}：《{title}》").format(reason=result.reason, title=result.title)
        case IngestState.CANCELLED:
            return result.reason
        case _state if result.source in result.reason:
            return result.reason
        case _state:
            return _("{reason}：{source}").format(reason=result.reason, source=result.source)
    return sentence.format(title=result.title, characters=result.characters, passages=result.passages)


def restored(result: IngestResult) -> str:
    """What undoing a removal did with one document, as a sentence."""
    if result.state is not IngestState.ADDED:
        return describe(result)
    return ngettext(
        "已恢复：《{title}》共 {characters} 字符 / {passages} 块",
        "已恢复：《{title}》共 {characters} 字符 / {passages} 块",
        result.passages,
    ).format(title=result.title, characters=result.characters, passages=result.passages)


def joined(words: Iterable[str]) -> str:
    """A list in a sentence."""
    return _("、").join(words)


def badge_word(badge: Badge) -> str:
    """A badge in words."""
    return {
        Badge.FAILED: _("更新失败"),
        Badge.STALE: _("待更新"),
        Badge.CHANGED: _("有更新"),
        Badge.NEW: _("新加入"),
    }[badge]


def remark(document: Document) -> str:
    """What is worth knowing about a document, to be put behind its line: badge and tags."""
    facts = [badge_word(document.badge)] if document.badge else []
    if document.tags:
        facts.append(_("标签：{tags}").format(tags=joined(map(clean_line, document.tags))))
    return _("（{detail}）").format(detail=_("，").join(facts)) if facts else ""


def overview(documents: Sequence[Document], stats: Stats) -> str:
    """The text of `/rag`: how much there is, and a line for each document, numbered by its place."""
    if not documents:
        return _("知识库还是空的（用 /rag add 采集，或让模型调用 rag_add）")
    lines = [_head(stats)]
    for place, document in enumerate(documents, start=1):
        line = ngettext(
            "{place}. 《{title}》（{passages} 块，{source}）",
            "{place}. 《{title}》（{passages} 块，{source}）",
            document.passages,
        )
        lines.append(
            line.format(
                place=place,
                title=clean_line(document.title),
                passages=document.passages,
                source=clean_line(document.source),
            )
        )
    return "\n".join(lines)


def listing(documents: Sequence[Document], stats: Stats) -> str:
    """The text of `geekagent rag list`: each document with the id that the other commands take.

    Args:
        documents: What is listed.
        stats: How much it is.
    """
    if not documents:
        return _("知识库还是空的（用 geekagent rag add 采集）")
    lines = [_head(stats)]
    for document in documents:
        line = ngettext(
            "编号 {id}：《{title}》（{passages} 块，{source}）",
            "编号 {id}：《{title}》（{passages} 块，{source}）",
            document.passages,
        )
        lines.append(
            line.format(
                id=document.id,
                title=clean_line(document.title),
                passages=document.passages,
                source=clean_line(document.source),
            )
            + remark(document)
        )
    return "\n".join(lines)


def _head(stats: Stats) -> str:
    head = ngettext(
        "知识库共 {documents} 个文档 / {passages} 块 / {characters} 字符：",
        "知识库共 {documents} 个文档 / {passages} 块 / {characters} 字符：",
        stats.documents,
    )
    return head.format(documents=stats.documents, passages=stats.passages, characters=stats.characters)


def search_text(result: SearchResult) -> str:
    """The text that `rag_search` answers with: whole passages, or why there are none."""
    match result.none:
        case NoHits.NO_TERMS:
            return _("没有命中任何知识块")
        case NoHits.EMPTY_BASE:
            return _("知识库还是空的，先用 rag_add 或 /rag add 采集")
        case NoHits.NO_MATCH:
            return _("没有命中任何知识块，换个更聚焦的说法再试")
        case NoHits.NOT_SELECTED:
            return _("没有文档符合所选的范围")
        case None:
            count = len(result.hits)
            lines = [ngettext("命中 {n} 块：", "命中 {n} 块：", count).format(n=count)]
            lines += [f"{place}. {quoted(hit)}" for place, hit in enumerate(result.hits, start=1)]
            return "\n".join(lines)


def quoted(hit: Hit) -> str:
    """A whole passage and where it is from, with its page when it has one."""
    line = _("《{title}》第 {passage} 段：{text}")
    if hit.page:
        line = _("《{title}》第 {passage} 段（第 {page} 页）：{text}")
    return line.format(title=hit.title, passage=hit.passage, page=hit.page, text=hit.text.strip())
