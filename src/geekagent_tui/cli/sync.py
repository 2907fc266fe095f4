"""`geekagent rag sync`: bring known documents up to date."""

from __future__ import annotations

import argparse

from geekagent_tui.cli import FAILED, INTERRUPTED, REFUSED
from geekagent_tui.cli.add import ingest
from geekagent_tui.cli.naming import named, tagged
from geekagent_tui.cli.opening import opened
from geekagent_tui.cli.output import Output
from geekagent_tui.cli.vectors import complete_vectors
from geekagent_tui.config import Config, Policy
from geekagent_tui.i18n import _
from geekagent_tui.paths import Workspace


async def sync(call: argparse.Namespace, workspace: Workspace, config: Config, output: Output) -> int:
    """Read known sources again and report; no question is asked, for they were agreed to before."""
    if config.policies.get("rag_add") is Policy.DENY:
        output.error("refused", _("设置里 rag_add 的策略是 deny，没有同步"))
        return REFUSED
    async with opened(workspace, config, output) as service:
        ids = await tagged(call, service, output)
        if ids is None:
            return FAILED
        sources = [*[await named(word, service) for word in call.sources], *ids] or None
        code = await ingest(
            lambda told: service.sync(sources, prune=call.prune, on_event=told),
            service,
            output,
            call.sources,
        )
        if code != INTERRUPTED:
            await complete_vectors(service, output)
        return code
