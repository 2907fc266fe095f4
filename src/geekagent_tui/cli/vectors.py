"""Vectors as the command line makes them and tells about them."""

from __future__ import annotations

import asyncio

from geekagent_tui.cli.output import Output
from geekagent_tui.i18n import _
from geekagent_tui.rag.errors import RagError
from geekagent_tui.rag.model import DenseStatus
from geekagent_tui.rag.service import RagService
from geekagent_tui.sanitize import clean_line

_LOOK = 0.5
"""Seconds between two lines of progress."""


async def complete_vectors(service: RagService, output: Output) -> None:
    """Give every passage its vectors before the program ends; when that fails, say so.

    Does nothing when dense retrieval is off.
    """
    status = await service.dense_status()
    if not status.model or status.embedded == status.passages:
        return
    making = asyncio.create_task(service.embed())
    try:
        while not making.done():
            output.progress(vectors_line(await service.dense_status()))
            await asyncio.wait([making], timeout=_LOOK)
        making.result()
    except RagError as error:
        output.message(_("向量没有建好：{reason}").format(reason=error.message))
    finally:
        output.progress("")
        making.cancel()
        await asyncio.wait([making])


def vectors_line(dense: DenseStatus) -> str:
    """How far the passages have vectors."""
    return _("向量：{embedded}/{passages} 块（{model}）").format(
        embedded=dense.embedded, passages=dense.passages, model=clean_line(dense.model)
    )
