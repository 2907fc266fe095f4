"""`geekagent rag sync`: bring known documents up to date."""

from __future__ import annotations

import argparse

from geekagent_tui.cli import REFUSED
from geekagent_tui.cli.add import ingest
from geekagent_tui.cli.output import Output
from geekagent_tui.cli.vectors import complete_vectors
from geekagent_tui.config import Config, Policy
from geekagent_tui.i18n import _
from geekagent_tui.paths import Workspace
from geekagent_tui.rag.service import RagService
from geekagent_tui.rag.settings import Settings


async def sync(call: argparse.Namespace, workspace: Workspace, config: Config, output: Output) -> int:
    """Read known sources again and report; no question is asked, for they were agreed to before."""
    if config.policies.get("rag_add") is Policy.DENY:
        output.error("refused", _("设置里 rag_add 的策略是 deny，没有同步"))
        return REFUSED
    async with await RagService.open(workspace, root=config.root, settings=Settings.of(config)) as service:
        for notice in service.notices:
            output.message(notice)
        sources = call.sources or None
        code = await ingest(lambda told: service.sync(sources, prune=call.prune, on_event=told), output)
        await complete_vectors(service, output)
        return code
