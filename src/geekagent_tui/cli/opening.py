"""A knowledge base for one command."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

from geekagent_tui.cli.output import Output
from geekagent_tui.config import Config
from geekagent_tui.paths import Workspace
from geekagent_tui.rag.service import RagService
from geekagent_tui.rag.settings import Settings


@contextlib.asynccontextmanager
async def opened(
    workspace: Workspace, config: Config, output: Output, *, makes: bool = False
) -> AsyncIterator[RagService]:
    """Open a workspace's knowledge base and tell its notices.

    Args:
        workspace: Where it is.
        config: The settings.
        output: Where notices go.
        makes: Whether the command puts something into it. Any other one leaves a folder without a knowledge
            base as it is, and works on an empty base that is gone afterwards.

    Raises:
        RagError: It can't be opened.
    """
    with contextlib.ExitStack() as stack:
        if not makes and not workspace.home.exists():
            workspace = Workspace(Path(stack.enter_context(_passing_folder())))
        async with await RagService.open(
            workspace, root=config.root, settings=Settings.of(config)
        ) as service:
            for notice in service.notices:
                output.message(notice)
            yield service


def _passing_folder() -> contextlib.AbstractContextManager[str]:
    from tempfile import TemporaryDirectory

    return TemporaryDirectory(prefix="geekagent-")
