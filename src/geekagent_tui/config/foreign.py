"""What a folder's `.env` and `GeekAgent.json` would change, and what is left of them without trust."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from geekagent_tui.config.connection import place_of
from geekagent_tui.config.policies import DEFAULT_POLICIES, FolderSettings, Policy
from geekagent_tui.config.secrets import find_secrets
from geekagent_tui.config.trust import TrustItem
from geekagent_tui.i18n import _, ngettext
from geekagent_tui.paths import FOLDER, Workspace

DOTENV = ".env"
SETTINGS = f"{FOLDER}/GeekAgent.json"


def dotenv_item(variables: Mapping[str, str], digest: str) -> TrustItem | None:
    """What a `.env` sets; None when that is nothing to us."""
    place = place_of(DOTENV, variables)
    effects = []
    if place.base_url:
        effects.append(_("对话会发给这个模型服务：{url}").format(url=place.base_url))
    if place.api_key:
        effects.append(_("带有一个密钥，只发给同一文件里的服务地址"))
    if place.model:
        effects.append(_("使用模型 {name}").format(name=place.model))
    if hidden := len(find_secrets(variables)):
        told = ngettext("其中 {n} 个密钥会在显示时遮盖", "其中 {n} 个密钥会在显示时遮盖", hidden)
        effects.append(told.format(n=hidden))
    return TrustItem(DOTENV, digest, tuple(effects)) if effects else None


def settings_item(workspace: Workspace, settings: FolderSettings) -> TrustItem | None:
    """What a `GeekAgent.json` loosens; None when it is nothing: what it forbids counts anyway."""
    effects = [
        _("工具 {name} 不再询问，直接执行").format(name=name)
        for name, policy in sorted(settings.policies.items())
        if _loosens(name, policy)
    ]
    effects += [
        _("工具 {name} 对 {target} 不再询问，直接执行").format(name=name, target=target)
        for name, rules in sorted(settings.rules.items())
        for target, policy in rules.items()
        if _loosens(name, policy)
    ]
    if _widens(workspace, settings):
        effects.insert(0, _("工具能访问的文件夹改为 {root}").format(root=settings.root))
    return TrustItem(SETTINGS, settings.digest, tuple(effects)) if effects else None


def restrained(workspace: Workspace, settings: FolderSettings) -> FolderSettings:
    """The settings without what loosens them."""
    policies = {
        name: DEFAULT_POLICIES.get(name, Policy.DENY) if _loosens(name, policy) else policy
        for name, policy in settings.policies.items()
    }
    rules = {
        name: {target: policy for target, policy in own.items() if not _loosens(name, policy)}
        for name, own in settings.rules.items()
    }
    root = _default_root(workspace) if _widens(workspace, settings) else settings.root
    return replace(settings, root=root, policies=policies, rules=rules)


def _loosens(name: str, policy: Policy) -> bool:
    """Whether a tool would run unasked although it asks, or does not run, by default."""
    return policy is Policy.ALLOW and DEFAULT_POLICIES.get(name) is not Policy.ALLOW


def _widens(workspace: Workspace, settings: FolderSettings) -> bool:
    """Whether files outside the default root could be reached."""
    return not settings.root.is_relative_to(_default_root(workspace))


def _default_root(workspace: Workspace) -> Path:
    return workspace.folder.resolve()
