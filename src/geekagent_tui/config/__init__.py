"""Settings: which model server, which root, what each tool may do, how the screen looks."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from geekagent_tui.config.connection import Connection, connect, place_of
from geekagent_tui.config.errors import ConfigError
from geekagent_tui.config.foreign import DOTENV, SETTINGS, dotenv_item, restrained, settings_item
from geekagent_tui.config.policies import (
    FolderSettings,
    Policy,
    Rules,
    cautious_settings,
    create_settings,
    read_settings,
)
from geekagent_tui.config.retrieval import Embeddings, Reranking
from geekagent_tui.config.secrets import find_foreign_secrets, find_secrets, mask
from geekagent_tui.config.trust import Trust, TrustItem, digest_of, read_trust, untrusted_notice
from geekagent_tui.config.user import UserSettings, read_user_settings
from geekagent_tui.i18n import _
from geekagent_tui.paths import Workspace, user_config_file

__all__ = [
    "Config",
    "ConfigError",
    "Connection",
    "Embeddings",
    "Policy",
    "Reranking",
    "Trust",
    "TrustItem",
    "brought_settings",
    "create_settings",
    "load_config",
]

_DOTENV_LIMIT = 1 << 20
"""Bytes of `.env` that are read: it is a file of a folder that may be anybody's."""


@dataclass(frozen=True, slots=True)
class Config:
    """All settings of a run.

    Attributes:
        connection: The model server; None for the built-in offline model.
        profiles: Further model servers of the user's own settings, by name.
        root: The folder that files may come from, absolute.
        policies: What each named tool may do; a tool without a name here is denied.
        language: One of `i18n.LANGUAGES`, or "" for the terminal's.
        theme: A theme's name, or "" for the default one.
        dense: Who makes vectors; None when documents are searched by their words alone.
        rerank: Who reorders what was found; None for nobody.
        notices: Sentences for the user about settings that could not be followed.
        secrets: Secret values by the name that stands for them; never shown.
        trust: What the user has said of files that came with the folder.
        rules: Policies for single targets of a tool, such as a folder.
    """

    connection: Connection | None
    root: Path
    policies: Mapping[str, Policy]
    language: str = ""
    theme: str = ""
    dense: Embeddings | None = None
    rerank: Reranking | None = None
    notices: tuple[str, ...] = ()
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    trust: Trust = field(default_factory=Trust)
    rules: Rules = field(default_factory=dict)
    profiles: Mapping[str, Connection] = field(default_factory=dict)

    def mask(self, text: str) -> str:
        """The text with every key replaced by `[REDACTED:OPENAI_API_KEY]` or whatever its name is."""
        return mask(text, self.secrets)


def load_config(
    workspace: Workspace, environ: Mapping[str, str] = os.environ, trust: Trust | None = None
) -> Config:
    """Read the settings of a workspace; blocks for a few file reads.

    Writes the default `GeekAgent.json` when the workspace is in use and has none.

    Args:
        workspace: Whose settings.
        environ: The environment.
        trust: What of the folder's files counts; None for what the user has said of them before.

    Raises:
        ConfigError: `GeekAgent.json` is malformed although everything is trusted, or `.geekagent` leads
            elsewhere.
    """
    create_settings(workspace)
    trust = read_trust(workspace) if trust is None else trust
    settings, dotenv, untrusted, refused = _of_folder(workspace, trust)
    user = read_user_settings(user_config_file(), environ)
    places = (place_of(_("环境变量"), environ), place_of(".env", dotenv), user.place)
    connection, told = connect(places, user.context_window)
    return Config(
        connection=connection,
        root=settings.root,
        policies=settings.policies,
        language=user.language,
        theme=user.theme,
        dense=user.dense,
        rerank=user.rerank,
        notices=(
            *user.notices,
            *told,
            *([settings.problem] if settings.problem else []),
            *([untrusted_notice(refused)] if refused else []),
        ),
        secrets=find_foreign_secrets(untrusted) | find_secrets(environ, dotenv, _keys(user)),
        trust=trust,
        rules=settings.rules,
        profiles=user.profiles,
    )


def brought_settings(workspace: Workspace) -> list[TrustItem]:
    """What the folder's own `.env` and `GeekAgent.json` would change; blocks for two file reads.

    Raises:
        ConfigError: `.geekagent` leads elsewhere.
    """
    dotenv, digest = _read_dotenv(workspace.folder / DOTENV)
    items = (dotenv_item(dotenv, digest), settings_item(workspace, cautious_settings(workspace)))
    return [item for item in items if item is not None]


def _of_folder(
    workspace: Workspace, trust: Trust
) -> tuple[FolderSettings, dict[str, str], dict[str, str], list[str]]:
    """What counts of the folder's settings and of its `.env`, a `.env` that does not, and which do not."""
    refused = []
    untrusted: dict[str, str] = {}
    dotenv, digest = _read_dotenv(workspace.folder / DOTENV)
    if dotenv_item(dotenv, digest) and not trust.accepts(DOTENV, digest):
        refused.append(DOTENV)
        dotenv, untrusted = {}, dotenv
    settings = read_settings(workspace) if trust.everything else cautious_settings(workspace)
    if settings_item(workspace, settings) and not trust.accepts(SETTINGS, settings.digest):
        refused.append(SETTINGS)
        settings = restrained(workspace, settings)
    return settings, dotenv, untrusted, refused


def _keys(user: UserSettings) -> dict[str, str]:
    keys = {f"{name}_API_KEY": profile.api_key for name, profile in user.profiles.items()}
    keys["OPENAI_API_KEY"] = user.place.api_key
    if user.dense:
        keys["DENSE_API_KEY"] = user.dense.api_key
    if user.rerank:
        keys["RERANK_API_KEY"] = user.rerank.api_key
    return keys


def _read_dotenv(file: Path) -> tuple[dict[str, str], str]:
    """The variables of a `.env` and its digest; none when there is no such file or it can't be read.

    Nothing in it is expanded: `OPENAI_API_KEY=${OPENAI_API_KEY}` would carry the user's own key to the
    server that the file names.
    """
    if not file.is_file():
        return {}, ""
    from dotenv import dotenv_values

    try:
        with file.open("rb") as stream:
            content = stream.read(_DOTENV_LIMIT)
    except OSError:
        return {}, ""
    values = dotenv_values(stream=io.StringIO(content.decode("utf-8-sig", "replace")), interpolate=False)
    return {name: value for name, value in values.items() if value is not None}, digest_of(content)
