"""What a grant allows, in the words of the present language: the file of grants holds data only."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping

from geekagent_tui.agent.grants import Grant
from geekagent_tui.agent.targets import DocumentsTarget, FileTarget, HostTarget
from geekagent_tui.i18n import _

_ANY_BEHIND = " *"


def label_of(grant: Grant) -> str:
    """The target of a grant in words; as it is when nothing better is known of its tool."""
    label = _LABELS.get(grant.tool)
    return label(grant.target) if label is not None else grant.target


def _folder(scope: str) -> str:
    return FileTarget(f"{scope}.").label


def _commands(scope: str) -> str:
    if scope.endswith(_ANY_BEHIND):
        return _("以 {prefix} 开头的简单命令").format(prefix=scope.removesuffix(_ANY_BEHIND))
    return _("这一条命令：{command}").format(command=scope)


def _documents(scope: str) -> str:
    try:
        return DocumentsTarget(tuple(shlex.split(scope))).label
    except ValueError:  # masked in the middle of a quotation
        return scope


_LABELS: Mapping[str, Callable[[str], str]] = {
    **dict.fromkeys(("ls", "read", "glob", "search", "write", "patch"), _folder),
    "fetch": lambda scope: HostTarget(scope).label,
    "run_shell": _commands,
    "rag_remove": _documents,
    "use_skill": lambda scope: _("技能 {name}").format(name=scope),
}
