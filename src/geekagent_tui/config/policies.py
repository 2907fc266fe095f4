"""`.geekagent/GeekAgent.json`: the root that files may come from, and what each tool may do."""

from __future__ import annotations

import contextlib
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from geekagent_tui.config.errors import ConfigError
from geekagent_tui.config.rules import checked_rule
from geekagent_tui.config.trust import digest_of
from geekagent_tui.files import read_regular, write_atomically
from geekagent_tui.i18n import _
from geekagent_tui.paths import Workspace, link_refusal
from geekagent_tui.reasons import reason_of

_log = logging.getLogger(__name__)


class Policy(StrEnum):
    """What a tool may do."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


DEFAULT_ROOT = ".."
DEFAULT_POLICIES: Mapping[str, Policy] = {
    "get_current_time": Policy.ALLOW,
    "run_shell": Policy.ASK,
    "ls": Policy.ALLOW,
    "read": Policy.ALLOW,
    "glob": Policy.ALLOW,
    "write": Policy.ASK,
    "patch": Policy.ASK,
    "todo_write": Policy.ALLOW,
    "delegate_task": Policy.ALLOW,
    "memory_write": Policy.ALLOW,
    "memory_search": Policy.ALLOW,
    "search": Policy.ALLOW,
    "fetch": Policy.ASK,
    "rag_add": Policy.ASK,
    "rag_search": Policy.ALLOW,
    "use_skill": Policy.ASK,
    "rag_list": Policy.ALLOW,
    "rag_remove": Policy.ASK,
}
"""The reference's table, and what we have beyond it. A tool that is not in it, or in the file, is denied."""


Rules = Mapping[str, Mapping[str, Policy]]
"""Policies for some targets of a tool: folders, hosts, beginnings of commands."""

_GENERAL = "*"
_MOST = 1 << 20
"""Bytes of the file that are read: it may be anybody's, and a pipe."""


@dataclass(frozen=True, slots=True)
class FolderSettings:
    """What a workspace's file says, over the defaults.

    Attributes:
        root: Absolute.
        policies: For each tool.
        rules: For some tools, policies for single targets.
        digest: Of the file's content; "" when there is no file.
        problem: Why the file does not count, a sentence; "" when it does.
    """

    root: Path
    policies: Mapping[str, Policy]
    rules: Rules
    digest: str = ""
    problem: str = ""


def read_settings(workspace: Workspace) -> FolderSettings:
    """Read the settings of a workspace. Without a file, the defaults.

    A tool's policy may be an object of rules: `"write": {"*": "ask", "notes/": "allow"}`.

    Raises:
        ConfigError: The file is there but malformed, or a rule can match nothing: guessing what a policy
            meant would not be safe. Or the workspace's own folder leads elsewhere.
    """
    _refuse_link(workspace)
    settings, digest = _read(workspace.settings)
    root = settings.get("root", DEFAULT_ROOT)
    if not isinstance(root, str) or not root.strip() or "\0" in root:
        raise ConfigError(_("GeekAgent.json 的 root 必须是非空字符串"))
    tools = settings.get("tools", {})
    if not isinstance(tools, dict):
        raise ConfigError(_("GeekAgent.json 的 tools 必须是对象"))
    rules = {
        name: {target: _policy(name, policy) for target, policy in value.items()}
        for name, value in tools.items()
        if isinstance(value, dict)
    }
    policies = {name: _policy(name, value) for name, value in tools.items() if name not in rules}
    general = {name: own.pop(_GENERAL) for name, own in rules.items() if _GENERAL in own}
    every = {**DEFAULT_POLICIES, **policies, **general}
    folder = (workspace.home / root).resolve()
    checked = {
        name: {checked_rule(name, target, folder): policy for target, policy in own.items()}
        for name, own in rules.items()
    }
    return FolderSettings(folder, every, checked, digest)


def cautious_settings(workspace: Workspace) -> FolderSettings:
    """The settings of a workspace; a malformed file, which may have come with the folder, forbids everything.

    What it meant to forbid can't be known, and nobody's file should keep the program from starting.

    Raises:
        ConfigError: `.geekagent` leads elsewhere.
    """
    _refuse_link(workspace)
    try:
        return read_settings(workspace)
    except ConfigError as error:
        if not workspace.home.is_dir():  # nothing came with it that could be left aside
            raise
        told = _("没有采用 {file}，改好之前工具一律不执行：{problem}")
        told = told.format(file=workspace.settings, problem=error.message)
        root = workspace.folder.resolve()
        return FolderSettings(root, dict.fromkeys(DEFAULT_POLICIES, Policy.DENY), {}, problem=told)


def create_settings(workspace: Workspace) -> None:
    """Write the default settings if `.geekagent/` is there and they are not.

    A workspace that can't be written keeps the defaults: they need no file.

    Raises:
        ConfigError: The workspace's own folder leads elsewhere.
    """
    _refuse_link(workspace)
    if workspace.settings.exists() or not workspace.home.is_dir():
        return
    content = {"root": DEFAULT_ROOT, "tools": dict(DEFAULT_POLICIES)}
    with contextlib.suppress(OSError):
        write_atomically(workspace.settings, (json.dumps(content, indent=2) + "\n").encode())
        _log.info("wrote the default settings to %s", workspace.settings)


def _refuse_link(workspace: Workspace) -> None:
    if link := workspace.link():
        raise ConfigError(link_refusal(link))


def _read(file: Path) -> tuple[dict[str, Any], str]:
    """The file's object and the digest of its content."""
    try:
        content = read_regular(file, _MOST, follow=True)
        settings = json.loads(content.decode("utf-8-sig"))
    except FileNotFoundError:
        return {}, ""
    except OSError as error:
        raise ConfigError(
            _("读取 {file} 失败：{reason}").format(file=file, reason=reason_of(error))
        ) from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(
            _("GeekAgent.json 不是合法 JSON：{reason}。请修正 {file}，或删除它以恢复默认设置").format(
                reason=reason_of(error), file=file
            )
        ) from error
    if not isinstance(settings, dict):
        raise ConfigError(_("GeekAgent.json 必须是一个 JSON 对象"))
    return settings, digest_of(content)


def _policy(name: str, value: object) -> Policy:
    try:
        return Policy(value)  # type: ignore[arg-type]  # whatever else it is raises too
    except ValueError as error:
        raise ConfigError(_("工具 {name} 的策略必须是 ask / allow / deny").format(name=name)) from error
