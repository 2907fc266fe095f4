"""`geekagent rag add`: consent, progress, and one line a source as soon as it is durable."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any

from geekagent_tui.cli import INTERRUPTED, REFUSED, USAGE
from geekagent_tui.cli.input import agreed, can_ask
from geekagent_tui.cli.opening import opened
from geekagent_tui.cli.output import Output
from geekagent_tui.cli.progress import ProgressLine
from geekagent_tui.cli.values import exit_code, result_value
from geekagent_tui.cli.vectors import complete_vectors
from geekagent_tui.config import Config, Policy
from geekagent_tui.i18n import _, ngettext
from geekagent_tui.paths import Workspace
from geekagent_tui.rag import limits
from geekagent_tui.rag.list_file import listed
from geekagent_tui.rag.model import (
    BatchProgress,
    GivenText,
    Growth,
    IngestEvent,
    IngestFinished,
    IngestProgress,
    IngestResult,
    IngestState,
    SourcePreview,
)
from geekagent_tui.rag.opening import DATABASE
from geekagent_tui.rag.service import RagService
from geekagent_tui.rag.sources import resolve
from geekagent_tui.rag.wording import describe, joined

Work = Callable[[Callable[[IngestEvent], None]], Coroutine[Any, Any, list[IngestResult]]]
"""A batch that begins when it is given whom to tell about progress."""
_STDIN = "-"
_TOOL = "rag_add"


def add(call: argparse.Namespace, workspace: Workspace, config: Config, output: Output) -> int:
    """Ask on a terminal, or need `--yes`; then add and report.

    Nothing is requested, written or created before consent.

    Raises:
        KeyboardInterrupt: Ctrl+C at the question.
        RagError: The knowledge base can't be opened, or a list of sources can't be read.
    """
    if refusal := _refusal(call, config):
        output.error("refused", refusal)
        return REFUSED
    if call.title and _STDIN not in call.sources:
        output.error("usage", _("--title 只用于标准输入（-）"))
        return USAGE
    typed = [source for source in call.sources if source != _STDIN]
    sources = listed(typed, workspace.folder, config.root)
    previews = _previews(sources, call, workspace, config)
    if call.crawl and not any(preview.growth for preview in previews):
        output.error("usage", _("--crawl 只用于网址"))
        return USAGE
    for preview in previews:
        _tell_skipped(preview, output)
    if not call.yes and not _consent(previews, call.tags, output):
        output.error("refused", _("已取消采集"))
        return REFUSED
    texts = [_read(call.title)] if _STDIN in call.sources else []

    async def work() -> int:
        async with opened(workspace, config, output, makes=True) as service:
            code = await ingest(
                lambda told: service.add(sources, told, crawl=call.crawl, texts=texts, tags=call.tags),
                service,
                output,
                call.sources,
            )
            if code != INTERRUPTED:
                await complete_vectors(service, output)
            return code

    return asyncio.run(work())


def _refusal(call: argparse.Namespace, config: Config) -> str:
    """Why nothing may be added, else ""."""
    if config.policies.get(_TOOL) is Policy.DENY:
        return _("权限拒绝：工具 {name} 不允许执行").format(name=_TOOL)
    if not (call.yes or can_ask()):
        return _("已取消采集") + _("（没有终端可以询问；加上 --yes 表示同意）")
    if _STDIN in call.sources and not call.yes:  # the answer would be read from there, too
        return _("已取消采集") + _("（从标准输入采集要加上 --yes 表示同意）")
    return ""


def _previews(
    sources: list[str], call: argparse.Namespace, workspace: Workspace, config: Config
) -> list[SourcePreview]:
    """What is to be added; a base is opened only to tell a person what is known, and none is made."""
    if call.yes or not (workspace.rag / DATABASE).exists():
        return [resolve(typed, workspace.folder, config.root, call.crawl) for typed in sources]

    async def look() -> list[SourcePreview]:
        async with await RagService.open(workspace, root=config.root) as service:
            return await service.preview(sources, crawl=call.crawl)

    return asyncio.run(look())


def _read(title: str) -> GivenText:
    """Standard input to its end, or to where it is too long, which the ingest tells."""
    return GivenText(sys.stdin.buffer.read(limits.BYTES + 1), title)


def _tell_skipped(preview: SourcePreview, output: Output) -> None:
    if preview.skipped:
        reasons = _("，").join(f"{reason} {n}" for reason, n in preview.skipped.items())
        skipped = _("跳过 {n}：{reasons}").format(n=sum(preview.skipped.values()), reasons=reasons)
        output.message(_("{typed}（{detail}）").format(typed=preview.typed, detail=skipped))


def _consent(previews: list[SourcePreview], tags: list[str], output: Output) -> bool:
    output.message(_("即将把以下内容加入知识库："))
    for preview in previews:
        detail = preview.problem or _("，").join(_facts(preview))
        output.message(f"  {preview.typed}" + (_("（{detail}）").format(detail=detail) if detail else ""))
    if tags:
        output.message(_("标签：{tags}").format(tags=joined(tags)))
    return agreed(_("确认采集？")) is True


def _facts(preview: SourcePreview) -> Iterator[str]:
    count, n = len(preview.sources), preview.pages
    match preview.growth:
        case Growth.LINKS:
            yield ngettext("沿链接采集同站网页，最多 {n} 个", "沿链接采集同站网页，最多 {n} 个", n).format(
                n=n
            )
        case Growth.SITEMAP:
            yield ngettext("站点地图，最多 {n} 个网页", "站点地图，最多 {n} 个网页", n).format(n=n)
        case None if count > 1:
            yield ngettext("{n} 个文件", "{n} 个文件", count).format(n=count)
    if 0 < preview.known < count:
        yield _("其中 {n} 个已有").format(n=preview.known)
    elif preview.known:
        yield _("已有，将检查更新")


async def ingest(work: Work, service: RagService, output: Output, typed: Sequence[str]) -> int:
    """Run a batch, print each result as soon as it is durable, and tell the exit code.

    What an earlier call was interrupted at comes first: it was agreed to then.

    Args:
        work: The batch.
        service: Runs it.
        output: Where results go.
        typed: The words that stand for the batch, told when Ctrl+C comes before it has begun.
    """
    told = len(service.notices)
    interrupted = await service.interrupted()
    for notice in service.notices[told:]:
        output.message(notice)
    if n := sum(len(each.left) for each in interrupted):
        sentence = ngettext(
            "上次的采集被中断，还有 {n} 个来源没有完成，先继续完成",
            "上次的采集被中断，还有 {n} 个来源没有完成，先继续完成",
            n,
        )
        output.message(sentence.format(n=n))

    async def both(told: Callable[[IngestEvent], None]) -> list[IngestResult]:
        begun = False

        def tell(event: IngestEvent) -> None:
            nonlocal begun
            begun = True
            told(event)

        try:
            resumed = await service.resume([each.batch for each in interrupted], told)
            return [*await work(tell), *resumed]
        except asyncio.CancelledError:
            for at, word in enumerate(() if begun else typed, start=1):
                result = IngestResult(word, IngestState.CANCELLED, reason=_("已取消采集"))
                told(IngestFinished(result, at, len(typed)))
            raise

    return await _followed(both, output)


async def _followed(work: Work, output: Output) -> int:
    finished: list[IngestResult] = []
    line = ProgressLine(output)

    def follow(event: IngestEvent) -> None:
        match event:
            case IngestFinished(result=result):
                finished.append(result)
                if not output.as_json:
                    line.clear()
                    output.line(f"[{_sentence(result)}]")
            case IngestProgress(source=source):
                line.source(source)
            case BatchProgress():
                line.batch(event)

    running = asyncio.ensure_future(work(follow))
    try:
        results, interrupted = await running, False
    except asyncio.CancelledError:  # Ctrl+C: what is done stays, and is told
        results, interrupted = finished, True
    line.clear()
    if output.as_json:
        output.value({"results": [result_value(result) for result in results]})
    if interrupted or any(result.state is IngestState.CANCELLED for result in results):
        return INTERRUPTED
    return exit_code(results)


def _sentence(result: IngestResult) -> str:
    """How a source ended; a cancelled one is named, for each has a line of its own here."""
    if result.state is IngestState.CANCELLED:
        return _("{reason}：{source}").format(reason=result.reason, source=result.source)
    return describe(result)
