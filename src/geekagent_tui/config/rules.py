"""Rules of `GeekAgent.json` for single targets of a tool: one that can match nothing is an error.

Who writes `"private/*.md": "deny"` counts on it. The forms that are understood are few, and a rule in any
other form would protect nothing without a word.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from geekagent_tui.config.errors import ConfigError
from geekagent_tui.i18n import _

_FILE_TOOLS = frozenset({"ls", "read", "glob", "search", "write", "patch"})
_TARGETED = _FILE_TOOLS | {"fetch", "run_shell", "rag_remove", "use_skill"}
_HOST = re.compile(r"(\*\.)?[^\s/*?#@]+")
_COMMAND = re.compile(r"[\w./:=@%+,\- \t]*\*?")


def checked_rule(tool: str, rule: str, root: Path) -> str:
    """A rule as targets take it.

    Args:
        tool: Whose rule it is.
        rule: As written.
        root: What file rules are relative to; an absolute path below it is made so.

    Raises:
        ConfigError: It can match nothing.
    """
    if tool in _FILE_TOOLS:
        return _file_rule(tool, rule, root)
    if tool not in _TARGETED:
        told = _("工具 {name} 没有可以分别规定的对象，请直接写 ask / allow / deny")
        raise ConfigError(told.format(name=tool))
    if tool == "fetch" and not _HOST.fullmatch(rule):
        told = _("工具 {name} 的规则 {rule} 不会匹配任何网站：请写主机名，如 example.com 或 *.example.com")
        raise ConfigError(told.format(name=tool, rule=rule))
    if tool == "run_shell" and not _COMMAND.fullmatch(rule):
        told = _("工具 {name} 的规则 {rule} 不会匹配任何命令：请写命令开头的几个词，如 git push")
        raise ConfigError(told.format(name=tool, rule=rule))
    return rule


def _file_rule(tool: str, rule: str, root: Path) -> str:
    path = PurePosixPath(rule)
    if path.is_absolute() and path.is_relative_to(root):
        rule = str(path.relative_to(root))
    folder = re.sub(r"(^|/)\*{1,2}\Z", "", rule)
    if "*" in folder or "?" in folder or folder.startswith("~") or ".." in folder.split("/"):
        told = _("工具 {name} 的规则 {rule} 不会匹配任何文件：请写相对于根目录的文件或文件夹，如 private/")
        raise ConfigError(told.format(name=tool, rule=rule))
    return rule
