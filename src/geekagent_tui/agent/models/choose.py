"""Which model answers at first."""

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
        name: A profile, or a model of the configured server instead of the configured one; `offline` for the
            built-in one.
    """
    connection = config.profiles.get(name or "", config.connection)
    if name == OFFLINE or connection is None:
        return offline_model()
    from geekagent_tui.agent.models.openai_compatible import OpenAICompatibleModel

    if name and name not in config.profiles:
        connection = replace(connection, model=name)
    return OpenAICompatibleModel(connection)


def offline_model() -> ChatModel:
    """The built-in model."""
    from geekagent_tui.agent.models.offline import OfflineModel

    return OfflineModel()
