"""`geekagent rag tag`: show, give and take tags."""

from __future__ import annotations

import argparse

from geekagent_tui.cli import OK, USAGE
from geekagent_tui.cli.naming import named
from geekagent_tui.cli.output import Output
from geekagent_tui.cli.values import exit_code, result_value
from geekagent_tui.i18n import _, ngettext
from geekagent_tui.rag.model import IngestState, Selection
from geekagent_tui.rag.service import RagService
from geekagent_tui.rag.wording import describe, joined
from geekagent_tui.sanitize import clean_line


async def tag(call: argparse.Namespace, service: RagService, output: Output) -> int:
    """Without a source all tags; with sources theirs, after the change that is asked for."""
    if not call.sources:
        if call.add or call.remove:
            output.error("usage", _("请写出要加上或去掉标签的来源"))
            return USAGE
        return await _all(service, output)
    names = [await named(word, service) for word in call.sources]
    results = await service.tag(names, add=call.add, remove=call.remove)
    ids = tuple(result.id for result in results if result.id is not None)
    tags = {each.id: each.tags for each in await service.documents(Selection(documents=ids))} if ids else {}
    for result in results:
        if result.state is IngestState.FAILED:
            output.line(f"[{describe(result)}]")
        else:
            words = joined(tags.get(result.id or 0, ())) or _("没有标签")
            output.line(
                _("《{title}》（{source}）：{tags}").format(
                    title=clean_line(result.title), source=clean_line(result.source), tags=words
                )
            )
    if (call.add or call.remove) and {result.state for result in results} == {IngestState.UNCHANGED}:
        output.message(_("标签没有变化"))
    if output.as_json:
        values = [{**result_value(each), "tags": list(tags.get(each.id or 0, ()))} for each in results]
        output.value({"results": values})
    return exit_code(results)


async def _all(service: RagService, output: Output) -> int:
    tags = await service.tags()
    for name, count in tags.items():
        sentence = ngettext("{tag}：{n} 个文档", "{tag}：{n} 个文档", count)
        output.line(sentence.format(tag=name, n=count))
    if not tags:
        output.line(_("还没有标签"))
    if output.as_json:
        output.value({"tags": [{"tag": name, "documents": count} for name, count in tags.items()]})
    return OK
