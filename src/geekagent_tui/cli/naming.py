"""Which documents the words of a call name."""

from __future__ import annotations

import argparse

from geekagent_tui.cli.output import Output
from geekagent_tui.i18n import _
from geekagent_tui.rag.model import Document, Selection
from geekagent_tui.rag.service import RagService
from geekagent_tui.rag.wording import joined

_LONGEST = 18
"""Digits of an id: the database takes no longer ones."""


def is_number(word: str) -> bool:
    """Whether a word can be a document's id."""
    return word.isascii() and word.isdecimal() and len(word) <= _LONGEST and word[0] != "0"


async def named(word: str, service: RagService) -> str | int:
    """A source, or an id: a number that no source and no folder is called."""
    known = not is_number(word) or await service.documents(Selection(sources=(word,)))
    return word if known else int(word)


async def document_of(word: str, service: RagService) -> Document | None:
    """The one document that a source or an id means."""
    name = await named(word, service)
    if isinstance(name, str):
        return await service.find(name)
    return next(iter(await service.documents(Selection(documents=(name,)))), None)


async def tagged(call: argparse.Namespace, service: RagService, output: Output) -> list[int] | None:
    """The ids of the documents that `--tag` means; None, told as an error, when there are none."""
    if not call.tags:
        return []
    documents = await service.documents(Selection(tags=tuple(call.tags)))
    if not documents:
        output.error("unknown_tag", _("没有文档带有这个标签：{tags}").format(tags=joined(call.tags)))
        return None
    return [document.id for document in documents]
