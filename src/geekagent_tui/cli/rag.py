"""`geekagent rag …`: the knowledge base from the shell."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Callable
from dataclasses import asdict

from geekagent_tui.cli import FAILED, OK, USAGE
from geekagent_tui.cli.explain import explanation
from geekagent_tui.cli.here import from_here
from geekagent_tui.cli.naming import document_of, named, tagged
from geekagent_tui.cli.opening import opened
from geekagent_tui.cli.output import Output
from geekagent_tui.cli.selection import selection
from geekagent_tui.cli.tag import tag
from geekagent_tui.cli.trust import trusted
from geekagent_tui.cli.values import document_value, exit_code, hit_value, result_value, text_value
from geekagent_tui.cli.vectors import vectors_line
from geekagent_tui.config import Config, load_config
from geekagent_tui.i18n import _
from geekagent_tui.paths import Workspace
from geekagent_tui.rag.model import IngestResult, Stats
from geekagent_tui.rag.service import RagService
from geekagent_tui.rag.wording import describe, listing, restored, search_text
from geekagent_tui.sanitize import clean_line


def rag(call: argparse.Namespace, workspace: Workspace, output: Output) -> int:
    """Run one action on the workspace's knowledge base.

    Raises:
        ConfigError: The settings can't be read.
        KeyboardInterrupt: Ctrl+C.
        RagError: The knowledge base can't be opened or read.
    """
    if call.action == "search" and not call.query.strip():
        output.error("usage", _("检索词是空的"))
        return USAGE
    if call.action == "add" and not all(source.strip() for source in call.sources):
        output.error("usage", _("来源是空的"))
        return USAGE
    if call.action == "remove" and not (call.sources or call.tags):
        output.error("usage", _("请写出要移除的来源，或用 --tag 写出标签"))
        return USAGE
    config = load_config(workspace, trust=trusted(call, workspace, output))
    for notice in config.notices:
        output.message(notice)
    if hasattr(call, "sources"):
        call.sources = from_here(call.sources, workspace)
    if hasattr(call, "source"):
        (call.source,) = from_here([call.source], workspace)
    if call.action == "add":
        from geekagent_tui.cli.add import add

        return add(call, workspace, config, output)
    if call.action == "sync":
        from geekagent_tui.cli.sync import sync

        return asyncio.run(sync(call, workspace, config, output))
    if call.action in {"export", "import", "doctor"}:
        from geekagent_tui.cli.upkeep import upkeep

        return asyncio.run(upkeep(call, workspace, config, output))
    if call.action == "eval":
        from geekagent_tui.cli.evaluate import evaluate

        return asyncio.run(evaluate(call, workspace, config, output))
    return asyncio.run(_run(call, workspace, config, output))


async def _run(call: argparse.Namespace, workspace: Workspace, config: Config, output: Output) -> int:
    if hasattr(call, "among"):
        call.within = selection(call, workspace)
    async with opened(workspace, config, output) as service:
        return await _ACTIONS[call.action](call, service, output)


async def _search(call: argparse.Namespace, service: RagService, output: Output) -> int:
    result = await service.search(
        call.query, call.k, within=call.within, per_document=call.per_document, explain=call.explain
    )
    output.line(search_text(result))
    if result.note:
        output.message(result.note)
    if call.explain and result.hits:
        output.line("\n" + explanation(result.hits))
    if output.as_json:
        output.value({"query": result.query, "hits": [hit_value(hit) for hit in result.hits]})
    return OK


async def _list(call: argparse.Namespace, service: RagService, output: Output) -> int:
    await service.look_for_stale()
    documents = await service.documents(call.within)
    if call.within and not documents:
        output.line(_("没有文档符合所选的范围"))
    else:
        stats = Stats(
            len(documents),
            sum(each.passages for each in documents),
            sum(each.characters for each in documents),
        )
        output.line(listing(documents, stats))
    if output.as_json:
        output.value({"sources": [document_value(document) for document in documents]})
    return OK


async def _stats(call: argparse.Namespace, service: RagService, output: Output) -> int:
    documents, stats = await service.documents(), await service.stats()
    output.line(
        _("文档 {documents}\n段落 {passages}\n字符 {characters}").format(
            documents=stats.documents, passages=stats.passages, characters=stats.characters
        )
    )
    dense = await service.dense_status()
    if dense.model:
        output.line(vectors_line(dense))
        if dense.problem:
            output.message(dense.problem)
    if output.as_json:
        value: dict[str, object] = {
            "documents": stats.documents,
            "passages": stats.passages,
            "characters": stats.characters,
            "sources": [document_value(document) for document in documents],
        }
        if dense.model:
            value["dense"] = asdict(dense)
        output.value(value)
    return OK


async def _show(call: argparse.Namespace, service: RagService, output: Output) -> int:
    document = await document_of(call.source, service)
    if document is None:
        output.error("unknown_document", _("知识库里没有这个来源：{source}").format(source=call.source))
        return FAILED
    shown = await service.document(document.id)
    output.line(
        _("《{title}》（{source}）").format(
            title=clean_line(document.title), source=clean_line(document.source)
        )
    )
    output.line("")
    output.line(shown.text)
    if output.as_json:
        output.value(text_value(shown))
    return OK


async def _remove(call: argparse.Namespace, service: RagService, output: Output) -> int:
    ids = await tagged(call, service, output)
    if ids is None:
        return FAILED
    names = [await named(word, service) for word in call.sources]
    return report(await service.remove([*names, *ids]), output)


async def _undo(call: argparse.Namespace, service: RagService, output: Output) -> int:
    results = await service.undo_remove()
    if not results:
        output.error("nothing_to_undo", _("没有可以恢复的移除"))
        return FAILED
    return report(results, output, restored)


_ACTIONS = {
    "search": _search,
    "list": _list,
    "stats": _stats,
    "show": _show,
    "remove": _remove,
    "tag": tag,
    "undo": _undo,
}


def report(
    results: list[IngestResult], output: Output, sentence: Callable[[IngestResult], str] = describe
) -> int:
    """Print the results of a change and tell the exit code."""
    for result in results:
        output.line(f"[{sentence(result)}]")
    if output.as_json:
        output.value({"results": [result_value(result) for result in results]})
    return exit_code(results)
