"""Which documents the words of a call name."""

from __future__ import annotations

import argparse

from geekagent_tui.cli.output import Output
from geekagent_tui.i18n import _
from geekagent_tui.rag.model import Selection
from geekagent_tui.rag.service import RagService
from geekagent_tui.rag.wording import joined


async def named(word: str, service: RagService) -> str | int:
    """A source, or an id: a number that no source is called."""
    return int(word) if word.isdecimal() and await service.find(word) is None else word


async def tagged(call: argparse.Namespace, service: RagService, output: Output) -> list[int] | None:
    """The ids of the documents that `--tag` means; None, told as an error, when there are none."""
    if not call.tags:
        return []
    documents = await service.documents(Selection(tags=tuple(call.tags)))
    if not documents:
        output.error("unknown_tag", _("没有文档带有这个标签：{tags}").format(tags=joined(call.tags)))
        return None
    return [document.id for document in documents]
