"""Settings: where they come from, which key goes where, and what happens when they are wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from geekagent_tui.config import Config, ConfigError, Connection, Policy, Trust, load_config
from geekagent_tui.paths import Workspace

ENV_KEY = "sk-environment-0001"
DOTENV_KEY = "sk-dotenv-000000002"
USER_KEY = "sk-user-00000000003"


@pytest.fixture(autouse=True)
def user_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the user's own settings that no other test sees."""
    monkeypatch.setattr("platformdirs.user_config_dir", lambda _name: str(tmp_path / "user"))
    (tmp_path / "user").mkdir()
    return tmp_path / "user"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A workspace in use, without settings."""
    workspace = Workspace(tmp_path / "work")
    workspace.create()
    return workspace


def load(workspace: Workspace, environ: Mapping[str, str] | None = None, dotenv: str = "") -> Config:
    (workspace.folder / ".env").write_text(dotenv, "utf-8")
    return load_config(workspace, environ or {}, Trust(everything=True))


def connection(config: Config) -> Connection:
    assert config.connection is not None
    return config.connection


# --- the server and its key ---------------------------------------------------------------------------


def test_nothing_set_means_offline(workspace: Workspace) -> None:
    config = load_config(workspace, {}, Trust(everything=True))
    assert config.connection is None
    assert config.notices == ()


def test_a_key_alone_goes_nowhere_and_is_explained(workspace: Workspace) -> None:
    config = load(workspace, {"OPENAI_API_KEY": f" {ENV_KEY}\n"})
    assert config.connection is None
    assert "OPENAI_BASE_URL" in config.notices[0]


def test_a_base_url_with_a_password_is_refused(workspace: Workspace) -> None:
    config = load(workspace, {"OPENAI_BASE_URL": "https://user:pass-word@host/v1", "OPENAI_API_KEY": ENV_KEY})
    assert config.connection is None
    assert "pass-word" not in repr(config)


def test_the_environment_comes_before_dotenv_before_the_users_file(
    workspace: Workspace, user_folder: Path
) -> None:
    (user_folder / "config.toml").write_text(
        f'[model]\nbase_url = "http://user/v1"\napi_key = "{USER_KEY}"\nname = "m3"\ncontext_window = 8192\n'
    )
    dotenv = f"OPENAI_BASE_URL=http://dotenv/v1\nOPENAI_API_KEY={DOTENV_KEY}\nOPENAI_MODEL=m2\n"
    environ = {"OPENAI_BASE_URL": "http://env/v1", "OPENAI_API_KEY": ENV_KEY, "OPENAI_MODEL": "m1"}
    assert connection(load(workspace, environ, dotenv)) == Connection(
        "http://env/v1", "m1", ENV_KEY, "环境变量", 8192
    )
    assert connection(load(workspace, {}, dotenv)) == Connection(
        "http://dotenv/v1", "m2", DOTENV_KEY, ".env", 8192
    )
    assert connection(load(workspace)) == Connection("http://user/v1", "m3", USER_KEY, "config.toml", 8192)


def test_a_key_never_goes_to_a_server_named_elsewhere(workspace: Workspace, user_folder: Path) -> None:
    (user_folder / "config.toml").write_text(f'[model]\napi_key = "{USER_KEY}"\n')
    config = load(workspace, {"OPENAI_API_KEY": ENV_KEY}, "OPENAI_BASE_URL=http://stranger/v1\n")
    assert connection(config).base_url == "http://stranger/v1"
    assert connection(config).api_key == ""
    (notice,) = config.notices
    assert ".env" in notice
    assert "环境变量" in notice


def test_dotenv_can_not_borrow_a_key_by_expansion(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", ENV_KEY)
    config = load(workspace, {}, "OPENAI_BASE_URL=http://stranger/v1\nOPENAI_API_KEY=${OPENAI_API_KEY}\n")
    assert ENV_KEY not in connection(config).api_key


def test_a_local_server_without_any_key_needs_no_notice(workspace: Workspace) -> None:
    config = load(workspace, {"OPENAI_BASE_URL": "http://127.0.0.1:11434/v1", "OPENAI_MODEL": "qwen"})
    assert connection(config).api_key == ""
    assert config.notices == ()


@pytest.mark.parametrize(
    "url", ["api.example.com", "ftp://host/", "http://", "http://[::1", "http://h:99999/"]
)
def test_an_address_that_is_none_means_offline_and_is_told(workspace: Workspace, url: str) -> None:
    config = load(workspace, {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": ENV_KEY})
    assert config.connection is None
    assert "OPENAI_BASE_URL" in config.notices[0]


def test_dotenv_may_be_quoted_commented_broken_or_no_file(workspace: Workspace) -> None:
    text = (
        "\ufeff# mine\nexport OPENAI_BASE_URL='http://h/v1' # here\nnonsense line\nOPENAI_MODEL=\"a b\"\n=\n"
    )
    found = connection(load(workspace, {}, text))
    assert (found.base_url, found.model) == ("http://h/v1", "a b")
    (workspace.folder / ".env").write_bytes(b"OPENAI_MODEL=\xff\nOPENAI_BASE_URL=http://h/v1")
    assert connection(load_config(workspace, {}, Trust(everything=True))).base_url == "http://h/v1"
    (workspace.folder / ".env").unlink()
    (workspace.folder / ".env").mkdir()
    assert load_config(workspace, {}, Trust(everything=True)).connection is None


# --- secrets ------------------------------------------------------------------------------------------


def test_secrets_are_masked_and_never_shown(workspace: Workspace, user_folder: Path) -> None:
    (user_folder / "config.toml").write_text(f'[model]\napi_key = "{USER_KEY}"\n')
    environ = {
        "OPENAI_API_KEY": ENV_KEY,
        "GITHUB_TOKEN": ENV_KEY + "-longer",
        "TOKENIZERS_PARALLELISM": "true-true-true",
        "KEYBOARD_LAYOUT": "us-international",
        "DB_PASSWORD": "short",
    }
    environ["OPENAI_BASE_URL"] = "http://127.0.0.1:1/v1"
    config = load(workspace, environ, f"OPENAI_API_KEY={DOTENV_KEY}\n")
    said = f"{ENV_KEY}-longer {ENV_KEY} {DOTENV_KEY} {USER_KEY} true-true-true us-international short"
    key = "[REDACTED:OPENAI_API_KEY]"
    assert config.mask(said) == (
        f"[REDACTED:GITHUB_TOKEN] {key} {key} {key} true-true-true us-international short"
    )
    for secret in (ENV_KEY, DOTENV_KEY, USER_KEY):
        assert secret not in repr(config)
        assert secret not in repr(connection(config))


# --- GeekAgent.json -----------------------------------------------------------------------------------


def test_the_default_settings_are_written_into_a_workspace_in_use(workspace: Workspace) -> None:
    config = load_config(workspace, {}, Trust(everything=True))
    written = json.loads(workspace.settings.read_text("utf-8"))
    assert written["root"] == ".."
    assert written["tools"]["rag_add"] == "ask"
    assert written["tools"]["run_shell"] == "ask"
    assert config.root == workspace.folder.resolve()
    assert {name: Policy(value) for name, value in written["tools"].items()} == config.policies
    assert replace(load_config(workspace, {}, Trust(everything=True))) == config


def test_a_folder_that_is_no_workspace_is_left_alone(tmp_path: Path) -> None:
    config = load_config(Workspace(tmp_path / "other"), {})
    assert config.policies["rag_add"] is Policy.ASK
    assert "memory_forget" not in config.policies
    assert not (tmp_path / "other").exists()


def test_the_files_policies_overlay_the_defaults(workspace: Workspace) -> None:
    workspace.settings.write_text(
        '{"root": "../../", "more": 1, "tools": {"rag_add": "deny", "mine": "allow"}}'
    )
    config = load_config(workspace, {}, Trust(everything=True))
    assert config.policies["rag_add"] is Policy.DENY
    assert config.policies["mine"] is Policy.ALLOW
    assert config.policies["rag_search"] is Policy.ALLOW
    assert config.root == workspace.folder.parent.resolve()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ('{"root": ""}', "GeekAgent.json 的 root 必须是非空字符串"),
        ('{"root": null}', "GeekAgent.json 的 root 必须是非空字符串"),
        ('{"root": "a\\u0000b"}', "GeekAgent.json 的 root 必须是非空字符串"),
        ('{"tools": []}', "GeekAgent.json 的 tools 必须是对象"),
        ('{"tools": {"ls": "Allow"}}', "工具 ls 的策略必须是 ask / allow / deny"),
        ('{"tools": {"ls": ["ask"]}}', "工具 ls 的策略必须是 ask / allow / deny"),
        ("[]", "GeekAgent.json 必须是一个 JSON 对象"),
        ("{", "GeekAgent.json 不是合法 JSON"),
        ("[" * 100_000, "GeekAgent.json 不是合法 JSON"),
        ("\udcff", "GeekAgent.json 不是合法 JSON"),
    ],
)
def test_malformed_settings_stop_the_start_and_stay_as_they_are(
    workspace: Workspace, content: str, sentence: str
) -> None:
    data = content.encode("utf-8", "surrogateescape")
    workspace.settings.write_bytes(data)
    with pytest.raises(ConfigError) as raised:
        load_config(workspace, {}, Trust(everything=True))
    assert raised.value.message.startswith(sentence)
    assert workspace.settings.read_bytes() == data


def test_settings_that_can_not_be_read_are_named(workspace: Workspace) -> None:
    workspace.settings.mkdir()
    with pytest.raises(ConfigError, match=r"GeekAgent\.json"):
        load_config(workspace, {}, Trust(everything=True))


# --- config.toml --------------------------------------------------------------------------------------


def test_language_and_theme_come_from_the_users_file(workspace: Workspace, user_folder: Path) -> None:
    (user_folder / "config.toml").write_text('[ui]\nlanguage = "en"\ntheme = "nord"\n')
    config = load_config(workspace, {}, Trust(everything=True))
    assert (config.language, config.theme, config.notices) == ("en", "nord", ())


def test_what_is_wrong_in_the_users_file_is_told_and_does_no_harm(
    workspace: Workspace, user_folder: Path
) -> None:
    (user_folder / "config.toml").write_text(
        'model = 3\nextra = 1\n[ui]\nlanguage = "tlh"\ntheme = 7\ncolour = "red"\n', "utf-8"
    )
    config = load_config(workspace, {}, Trust(everything=True))
    told = "\n".join(config.notices)
    for name in ("model", "extra", "ui.language", "ui.theme", "ui.colour"):
        assert name in told
    assert (config.language, config.theme) == ("", "")


@pytest.mark.parametrize("content", [b"[model", b"\xff\xfe", b"[model]\ncontext_window = -1\n"])
def test_a_broken_users_file_never_stops_the_start(
    workspace: Workspace, user_folder: Path, content: bytes
) -> None:
    (user_folder / "config.toml").write_bytes(content)
    config = load(workspace, {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1", "OPENAI_API_KEY": ENV_KEY})
    assert connection(config).context_window == 64_000
    assert "config.toml" in config.notices[0]


def test_a_number_of_tokens_is_no_truth_value(workspace: Workspace, user_folder: Path) -> None:
    (user_folder / "config.toml").write_text("[model]\ncontext_window = true\n")
    assert "model.context_window" in load_config(workspace, {}, Trust(everything=True)).notices[0]
