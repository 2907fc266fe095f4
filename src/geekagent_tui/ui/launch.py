"""From a workspace to a running application."""

from __future__ import annotations

import asyncio
import gc
import os
import signal

from geekagent_tui.config import Config, load_config
from geekagent_tui.paths import Workspace, log_file
from geekagent_tui.ui.app import GeekAgentApp
from geekagent_tui.ui.driver import TerminalDriver
from geekagent_tui.ui.gateway import Core
from geekagent_tui.ui.terminal import guarded, teach_keys


def launch(workspace: Workspace) -> None:
    """Read the settings, run the application, leave the terminal as it was.

    Raises:
        ConfigError: The settings can't be read.
        SystemExit: The interface failed; a sentence about it has been printed.
    """
    config = load_config(workspace, os.environ)
    teach_keys()

    async def open_agent() -> Core:
        gc.enable()  # the first frame is there: `cli.tui` turned it off so as not to delay it
        return await _open_agent(workspace, config)

    with guarded(log_file()):
        app = GeekAgentApp(open_agent, folder=workspace.folder, theme=config.theme)
        app.driver_class = TerminalDriver
        asyncio.run(_run(app))
    if app.return_code:
        raise SystemExit(app.return_code)


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

        return Agent, choose_model

    await asyncio.to_thread(load)
    from geekagent_tui.agent.core import Agent
    from geekagent_tui.agent.models.choose import choose_model

    return await Agent.open(workspace, config, choose_model(config))
