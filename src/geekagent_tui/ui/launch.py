"""From a workspace to a running application."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from geekagent_tui.config import Config, Trust, load_config
from geekagent_tui.config.trust import read_trust
from geekagent_tui.paths import Workspace, log_file
from geekagent_tui.ui.app import GeekAgentApp
from geekagent_tui.ui.driver import TerminalDriver
from geekagent_tui.ui.gateway import Core
from geekagent_tui.ui.terminal import guarded, teach_keys

if TYPE_CHECKING:
    from geekagent_tui.agent.events import TrustReview

_log = logging.getLogger(__name__)


def launch(workspace: Workspace, *, everything_trusted: bool = False) -> None:
    """Read the settings, run the application, leave the terminal as it was.

    Args:
        workspace: Where it works.
        everything_trusted: What came with the folder counts unasked, this time.

    Raises:
        ConfigError: The settings can't be read.
        SystemExit: The interface failed; a sentence about it has been printed.
    """
    trust = Trust(everything=True) if everything_trusted else read_trust(workspace)
    config = load_config(workspace, os.environ, trust)
    teach_keys()

    async def open_agent() -> Core:
        gc.enable()  # the first frame is there: `cli.tui` turned it off so as not to delay it
        return await _open_agent(workspace, await _asked(workspace, config, app.ask_trust))

    with guarded(log_file()):
        app = GeekAgentApp(open_agent, folder=workspace.folder, theme=config.theme)
        app.driver_class = TerminalDriver
        asyncio.run(_run(app))
    if app.return_code:
        raise SystemExit(app.return_code)


async def _asked(
    workspace: Workspace, config: Config, ask: Callable[[TrustReview], Awaitable[bool]]
) -> Config:
    """The settings that count once the user was asked about what came with the folder."""

    def load() -> TrustReview | None:
        from geekagent_tui.agent.trust import review

        return review(workspace, config.trust)

    asked = await asyncio.to_thread(load)
    if asked is None:
        return config
    from geekagent_tui.agent.events import TrustDecision
    from geekagent_tui.agent.trust import settle

    decision = TrustDecision(await ask(asked))
    try:
        await asyncio.to_thread(settle, workspace, asked, decision)
    except OSError:  # it holds for this run all the same
        _log.exception("keeping an answer about trust")
    trust = config.trust.after(asked.items, trusted=decision.trust)
    return await asyncio.to_thread(load_config, workspace, os.environ, trust)


async def _run(app: GeekAgentApp) -> None:
    """Run; a hang-up or a polite kill leaves by the front door, so that nothing is lost."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, app.exit)
    await app.run_async()


async def _open_agent(workspace: Workspace, config: Config) -> Core:
    """Open the agent core; its imports are loaded off the event loop."""

    def load() -> tuple[object, ...]:
        from geekagent_tui.agent.core import Agent
        from geekagent_tui.agent.models.choose import choose_model
        from geekagent_tui.ui.later import load_screens

        load_screens()
        return Agent, choose_model

    await asyncio.to_thread(load)
    from geekagent_tui.agent.core import Agent
    from geekagent_tui.agent.models.choose import choose_model

    return await Agent.open(workspace, config, choose_model(config))
