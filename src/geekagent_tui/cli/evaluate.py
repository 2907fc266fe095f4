"""`geekagent rag eval`: how good retrieval is, measured with questions whose answers are known."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

from geekagent_tui.cli import FAILED, OK
from geekagent_tui.cli.opening import opened
from geekagent_tui.cli.output import Output
from geekagent_tui.cli.overwriting import may_write
from geekagent_tui.config import Config
from geekagent_tui.i18n import _, ngettext
from geekagent_tui.paths import Workspace
from geekagent_tui.rag.evaluate import DEPTH, Answered, Evaluation, ask_base, ask_paragraphs
from geekagent_tui.rag.question_file import Paragraphs, QuestionFile, Wanted, read_question_file
from geekagent_tui.rag.service import RagService
from geekagent_tui.rag.settings import Settings
from geekagent_tui.rag.wording import joined
from geekagent_tui.reasons import reason_of

_DEPTHS = (1, 4, DEPTH)
_NAMED = 5
"""Missing sources that are named; all are counted."""
_SHOWN = 60
"""Characters of a paragraph that stand for it."""


async def evaluate(call: argparse.Namespace, workspace: Workspace, config: Config, output: Output) -> int:
    """Ask every question of a file and report.

    A file with paragraphs of its own is tried in a temporary base; the workspace's is not even opened then.

    Raises:
        RagError: The file or the knowledge base can't be read.
    """
    if call.rankings is not None and not may_write(call.rankings, call, output):
        return FAILED
    file = await asyncio.to_thread(read_question_file, call.file)
    try:
        evaluation = await _asked(file, workspace, config, output)
    finally:
        output.progress("")
    if call.rankings is not None:
        try:
            await asyncio.to_thread(_write_rankings, call.rankings, evaluation.answered)
        except OSError as error:
            message = _("排名没有写入 {path}：{reason}")
            output.error("not_written", message.format(path=call.rankings, reason=reason_of(error)))
            return FAILED
    output.line(_report(evaluation, file))
    if output.as_json:
        recall = {f"recall@{k}": evaluation.recall(k) for k in _DEPTHS}
        output.value({"questions": len(evaluation.answered), **recall, f"mrr@{DEPTH}": evaluation.mrr})
    return OK


async def _asked(file: QuestionFile, workspace: Workspace, config: Config, output: Output) -> Evaluation:
    def tell(done: int, total: int) -> None:
        output.progress(_("已问 {done}/{total}").format(done=done, total=total))

    if isinstance(file, Paragraphs):
        return await ask_paragraphs(file, tell, Settings.of(config))
    async with opened(workspace, config, output) as service:
        evaluation = await ask_base(service, file, tell)
        output.progress("")
        await _tell_missing(file, service, output)
        return evaluation


async def _tell_missing(wanted: Sequence[Wanted], service: RagService, output: Output) -> None:
    """Say which of the expected sources can't be found because they are not there."""
    sources = sorted({each.source for each in wanted if each.source is not None})
    missing = [source for source in sources if await service.find(source) is None]
    if n := len(missing):
        sentence = ngettext(
            "{n} 个期望的来源不在知识库里：{sources}", "{n} 个期望的来源不在知识库里：{sources}", n
        )
        output.message(sentence.format(n=n, sources=joined(map(_line, missing[:_NAMED]))))


def _write_rankings(path: Path, answered: Sequence[Answered]) -> None:
    lines = (json.dumps({"ids": each.ids}) + "\n" for each in answered)
    path.write_text("".join(lines), encoding="utf-8")


def _report(evaluation: Evaluation, file: QuestionFile) -> str:
    asked = len(evaluation.answered)
    lines = [ngettext("{n} 个问题", "{n} 个问题", asked).format(n=asked)]
    if isinstance(file, Paragraphs):
        count = len(file.texts)
        lines[0] += ngettext("，{n} 个段落", "，{n} 个段落", count).format(n=count)
    figures = [*((f"recall@{k}", evaluation.recall(k)) for k in _DEPTHS), (f"MRR@{DEPTH}", evaluation.mrr)]
    lines += [f"{name:<10} {value:.4f}" for name, value in figures]
    failed = [number for number, each in enumerate(evaluation.answered) if not each.rank]
    if failed:
        count = len(failed)
        head = ngettext("前 {k} 条里没有答案的 {n} 个：", "前 {k} 条里没有答案的 {n} 个：", count)
        lines += ["", head.format(k=DEPTH, n=count)]
        lines += [f"- {_line(evaluation.answered[n].question)} → {_expected(file, n)}" for n in failed]
    return "\n".join(lines)


def _expected(file: QuestionFile, number: int) -> str:
    """What a question should have found, in short."""
    if isinstance(file, Paragraphs):
        paragraph = file.questions[number][1]
        return f"#{paragraph} {_line(file.texts[paragraph])}"
    return _wanted(file[number])


def _wanted(wanted: Wanted) -> str:
    words = [] if wanted.source is None else [_line(wanted.source)]
    if wanted.passage is not None:
        words.append(_("第 {passage} 段").format(passage=wanted.passage))
    words += [_("“{text}”").format(text=_line(text)) for text in wanted.texts]
    return " ".join(words)


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[:_SHOWN] + "…"
