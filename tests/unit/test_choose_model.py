"""Which model answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from geekagent_tui.agent.models.choose import choose_model
from geekagent_tui.config import Config, Connection

SERVER = Connection("http://127.0.0.1:1/v1", "configured", context_window=8192)


@pytest.mark.parametrize(
    ("connection", "name", "chosen"),
    [
        (None, None, ("offline", True, 64_000)),
        (None, "gpt", ("offline", True, 64_000)),
        (SERVER, None, ("configured", False, 8192)),
        (SERVER, "other", ("other", False, 8192)),
        (SERVER, "offline", ("offline", True, 64_000)),
    ],
)
async def test_choice(connection: Connection | None, name: str | None, chosen: tuple[str, bool, int]) -> None:
    model = choose_model(Config(connection, Path(), {}), name)
    assert (model.name, model.offline, model.context_window) == chosen
    await model.close()
