"""Profiles in `config.toml`."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from geekagent_tui.agent.models.choose import choose_model
from geekagent_tui.config import Connection, load_config
from geekagent_tui.paths import Workspace
from support.openai_server import Answer, OpenAIServer
from support.shell import Shell


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("platformdirs.user_config_dir", lambda _name: str(tmp_path / "user"))
    (tmp_path / "user").mkdir()
    return tmp_path / "user" / "config.toml"


def test_profiles_are_read_with_their_own_keys(tmp_path: Path, settings: Path) -> None:
    settings.write_text(
        """
[profiles.home]
base_url = "http://127.0.0.1:11434/v1"
name = "qwen3:8b"
context_window = 8192
reasoning = false

[profiles.cloud]
base_url = "https://api.example/v1"
api_key_env = "CLOUD"

[profiles.plain]
base_url = "https://plain.example/v1"
api_key = " sk-plain-123 "
""",
        "utf-8",
    )
    environ = {"CLOUD": "sk-cloud-1234", "OPENAI_API_KEY": "sk-other-1234"}
    config = load_config(Workspace(tmp_path), environ)
    file = settings.name
    assert config.profiles == {
        "home": Connection(
            "http://127.0.0.1:11434/v1", "qwen3:8b", "", f"{file} [profiles.home]", 8192, "home", False
        ),
        "cloud": Connection(
            "https://api.example/v1", "deepseek-v4-flash", "sk-cloud-1234", f"{file} [profiles.cloud]",
            profile="cloud",
        ),
        "plain": Connection(
            "https://plain.example/v1", "deepseek-v4-flash", "sk-plain-123", f"{file} [profiles.plain]",
            profile="plain",
        ),
    }  # fmt: skip
    assert "sk-" not in repr(config)
    assert config.mask("sk-cloud-1234 sk-plain-123") == "[REDACTED:cloud_API_KEY] [REDACTED:plain_API_KEY]"
    assert choose_model(config, "home").name == "qwen3:8b"
    assert choose_model(config, "home").context_window == 8192


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("profiles = 3", "profiles"),
        ("[profiles]\nx = 3", "profiles.x"),
        ('[profiles.offline]\nbase_url = "http://h/v1"', "offline"),
        ('[profiles."a b"]\nbase_url = "http://h/v1"', "profiles.a b"),
        ("[profiles.x]", "base_url"),
        ('[profiles.x]\nbase_url = "ftp://h"', "base_url"),
        ('[profiles.x]\nbase_url = "http://u:p@h/v1"', "base_url"),
        ('[profiles.x]\nbase_url = "http://h/v1"\nkey = "sk-1"', "profiles.x.key"),
        ('[profiles.x]\nbase_url = "http://h/v1"\nname = 3', "profiles.x.name"),
        ('[profiles.x]\nbase_url = "http://h/v1"\ncontext_window = 0', "profiles.x.context_window"),
        ('[profiles.x]\nbase_url = "http://h/v1"\napi_key_env = "NOT_SET"', "NOT_SET"),
    ],
)
def test_what_is_wrong_is_told_and_stops_nothing(
    tmp_path: Path, settings: Path, text: str, words: str
) -> None:
    settings.write_text(text, "utf-8")
    (notice,) = load_config(Workspace(tmp_path), {}).notices
    assert words in notice


async def test_a_profile_answers_on_the_command_line(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    async with OpenAIServer([Answer("从配置来的回答", usage=(9, 9))]) as server:
        folder = shell.home / ".config" / "geekagent"
        folder.mkdir(parents=True)
        profile = f'[profiles.home]\nbase_url = "{server.base_url}"\nname = "qwen3"\n'
        (folder / "config.toml").write_text(profile, "utf-8")
        done = await asyncio.to_thread(shell, "ask", "你好", "--model", "home")
    assert (done.stdout, done.returncode) == ("从配置来的回答\n", 0)
    assert "离线模型" not in done.stderr
    assert server.requests[0].body["model"] == "qwen3"
