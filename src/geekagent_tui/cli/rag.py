"""`geekagent rag …`: the knowledge base from the shell."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Callable
from dataclasses import asdict

from geekagent_tui.cli import FAILED, OK
from geekagent_tui.cli.explain import explanation
from geekagent_tui.cli.here import from_here
from geekagent_tui.cli.output import Output
from geekagent_tui.cli.values import document_value, exit_code, hit_value, result_value, text_value
from geekagent_tui.cli.vectors import vectors_line
from geekagent_tui.config import Config, load_config
from geekagent_tui.i18n import _
from geekagent_tui.paths import Workspace
from geekagent_tui.rag.model import IngestResult
from geekagent_tui.rag.service import RagService
from geekagent_tui.rag.settings import Settings
from geekagent_tui.rag.wording import describe, overview, restored, search_text


def rag(call: argparse.Namespace, workspace: Workspace, output: Output) -> int:
    """Run one action on the workspace's knowledge base.

    Raises:
        ConfigError: The settings can't be read.
        KeyboardInterrupt: Ctrl+C.
        RagError: The knowledge base can't be opened or read.
    """
    config = load_config(workspace)
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
    async with await RagService.open(workspace, root=config.root, settings=Settings.of(config)) as service:
        for notice in service.notices:
            output.message(notice)
        return await _ACTIONS[call.action](call, service, output)


async def _search(call: argparse.Namespace, service: RagService, output: Output) -> int:
    result = await service.search(call.query, limit=call.k, explain=call.explain)
    output.line(search_text(result))
    if result.note:
        output.message(result.note)
    if call.explain and result.hits:
        output.line("\n" + explanation(result.hits))
    if output.as_json:
        output.value({"query": result.query, "hits": [hit_value(hit) for hit in result.hits]})
    return OK


async def _list(call: argparse.Namespace, service: RagService, output: Output) -> int:
    documents = await service.documents()
    output.line(overview(documents, await service.stats()))
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
    document = await service.find(call.source)
    if document is None:
        output.error("unknown_document", _("知识库里没有这个来源：{source}").format(source=call.source))
        return FAILED
    shown = await service.document(document.id)
    output.line(_("《{title}》（{source}）").format(title=document.title, source=document.source))
    output.line("")
    output.line(shown.text)
    if output.as_json:
        output.value(text_value(shown))
    return OK


async def _remove(call: argparse.Namespace, service: RagService, output: Output) -> int:
    names = [await _named(word, service) for word in call.sources]
    return report(await service.remove(names), output)


async def _named(word: str, service: RagService) -> str | int:
    """A source, or an id: a number that no source is called."""
    return int(word) if word.isdecimal() and await service.find(word) is None else word


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
