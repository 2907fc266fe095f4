"""Which model answers."""

from __future__ import annotations

from dataclasses import replace

from geekagent_tui.agent.models.base import ChatModel
from geekagent_tui.config import Config

OFFLINE = "offline"


def choose_model(config: Config, name: str | None = None) -> ChatModel:
    """The configured server's model, or the offline one when no server is configured.

    Opens no connection and loads no client library; that waits for the first request.

    Args:
        config: Settings.
        name: A model of the configured server instead of the configured one; `offline` for the built-in one.
    """
    if name == OFFLINE or config.connection is None:
        from geekagent_tui.agent.models.offline import OfflineModel

        return OfflineModel()
    from geekagent_tui.agent.models.openai_compatible import OpenAICompatibleModel

    connection = replace(config.connection, model=name) if name else config.connection
    return OpenAICompatibleModel(connection)
