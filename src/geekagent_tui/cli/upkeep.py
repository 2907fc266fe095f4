"""`geekagent rag export`, `import` and `doctor`."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from geekagent_tui.cli import FAILED, OK, REFUSED
from geekagent_tui.cli.opening import opened
from geekagent_tui.cli.output import Output
from geekagent_tui.cli.overwriting import may_write
from geekagent_tui.cli.rag import report
from geekagent_tui.cli.vectors import complete_vectors, vectors_line
from geekagent_tui.config import Config, Policy
from geekagent_tui.files import replacing
from geekagent_tui.i18n import _, ngettext
from geekagent_tui.paths import Workspace
from geekagent_tui.rag.doctor import Checkup, Copy
from geekagent_tui.rag.service import RagService
from geekagent_tui.rag.transfer import NotWrittenError
from geekagent_tui.reasons import reason_of

STANDARD_OUTPUT = "-"
_KIBI = 1024


async def upkeep(call: argparse.Namespace, workspace: Workspace, config: Config, output: Output) -> int:
    """Run one of the three."""
    if call.action == "import" and config.policies.get("rag_add") is Policy.DENY:
        output.error("refused", _("设置里 rag_add 的策略是 deny，没有导入"))
        return REFUSED
    async with opened(workspace, config, output, makes=call.action == "import") as service:
        if call.action == "export":
            return await _export(call, service, output)
        if call.action == "import":
            code = report(await service.import_file(call.file), output)
            await complete_vectors(service, output)
            return code
        return _tell(await service.checkup(), output)


async def _export(call: argparse.Namespace, service: RagService, output: Output) -> int:
    file: str = call.file
    if file != STANDARD_OUTPUT and not may_write(Path(file), call, output):
        return FAILED
    try:
        if file == STANDARD_OUTPUT:
            await service.export(output.json_piece)
            return OK
        count = await _export_to(Path(file), service)
    except NotWrittenError as error:
        if isinstance(error.__cause__, BrokenPipeError):
            raise error.__cause__ from None
        raise
    except OSError as error:
        message = _("导出没有写入 {path}：{reason}").format(path=file, reason=reason_of(error))
        output.error("not_written", message)
        return FAILED
    sentence = ngettext("已导出 {n} 个文档到 {file}", "已导出 {n} 个文档到 {file}", count)
    output.line(sentence.format(n=count, file=file))
    if output.as_json:
        output.value({"file": file, "documents": count})
    return OK


async def _export_to(path: Path, service: RagService) -> int:
    with contextlib.ExitStack() as stack:
        write = await asyncio.to_thread(stack.enter_context, _opened(path))
        return await service.export(write)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[Callable[[str], object]]:
    """Write into a file, all of it or nothing; into a device or a pipe as it comes."""
    if path.exists() and not path.is_file():
        with path.open("w", encoding="utf-8") as stream:
            yield stream.write
    else:
        with replacing(path) as file:
            yield lambda text: file.write(text.encode())


def _tell(checkup: Checkup, output: Output) -> int:
    output.line(_report(checkup))
    if output.as_json:
        output.value(_value(checkup))
    return FAILED if checkup.problems else OK


def _report(checkup: Checkup) -> str:
    stats = checkup.stats
    lines = [
        _("数据库：{documents} 个文档 / {passages} 块 / {characters} 字符（{size}）").format(
            documents=stats.documents,
            passages=stats.passages,
            characters=stats.characters,
            size=_size(checkup.database_bytes),
        ),
        _("索引：{n} 块（{size}）").format(n=checkup.indexed or 0, size=_size(checkup.index_bytes)),
        _copy(checkup),
    ]
    if checkup.dense.model:
        lines.append(vectors_line(checkup.dense))
    if checkup.undoable:
        lines.append(_("可以恢复的移除：{n} 个文档（rag undo）").format(n=checkup.undoable))
    if n := sum(len(batch.left) for batch in checkup.interrupted):
        sentence = ngettext(
            "被中断的采集：还有 {n} 个来源没有完成，下次 rag add 或 rag sync 会先继续完成",
            "被中断的采集：还有 {n} 个来源没有完成，下次 rag add 或 rag sync 会先继续完成",
            n,
        )
        lines.append(sentence.format(n=n))
    if checkup.set_aside:
        lines.append(_("曾经损坏、已另存的文件，确认不需要后可以删除："))
        lines += [f"  {name} ({_size(size)})" for name, size in checkup.set_aside]
    if not checkup.problems:
        return "\n".join([*lines, _("一切正常")])
    count = len(checkup.problems)
    lines.append(ngettext("发现 {n} 个问题：", "发现 {n} 个问题：", count).format(n=count))
    lines += [
        _("- {what}。{advice}").format(what=problem.what, advice=problem.advice)
        for problem in checkup.problems
    ]
    return "\n".join(lines)


def _copy(checkup: Checkup) -> str:
    if checkup.copy is Copy.RETIRED:
        return _("index.json：知识库超过 {n} 块，不再写入，需要时用 rag export").format(n=checkup.limit)
    if checkup.copy is Copy.MISSING:
        return _("index.json：还没有")
    count, size = checkup.copied or 0, _size(checkup.copy_bytes)
    return _("index.json：{n} 个文档（{size}）").format(n=count, size=size)


def _value(checkup: Checkup) -> dict[str, Any]:
    stats = checkup.stats
    return {
        "ok": not checkup.problems,
        "problems": [{"problem": each.what, "advice": each.advice} for each in checkup.problems],
        "database": {
            "documents": stats.documents,
            "passages": stats.passages,
            "characters": stats.characters,
            "bytes": checkup.database_bytes,
        },
        "index": {"passages": checkup.indexed, "bytes": checkup.index_bytes},
        "index_json": {
            "state": checkup.copy.value,
            "documents": checkup.copied,
            "bytes": checkup.copy_bytes,
        },
        **({"dense": asdict(checkup.dense)} if checkup.dense.model else {}),
        "undoable": checkup.undoable,
        "interrupted": [
            {
                "batch": batch.batch,
                "left": len(batch.left),
                "total": batch.total,
                "began_at": batch.began_at.isoformat(),
            }
            for batch in checkup.interrupted
        ],
        "set_aside": [{"file": name, "bytes": size} for name, size in checkup.set_aside],
    }


def _size(count: int) -> str:
    if count < _KIBI * _KIBI:
        return f"{count / _KIBI:.1f} KB"
    return f"{count / _KIBI / _KIBI:.1f} MB"
