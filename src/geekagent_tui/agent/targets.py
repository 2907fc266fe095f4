"""What a tool works on, as far as permissions are concerned: a file, a web host, a command.

A grant is for a target's `scope`, no more: the folder that a file is directly in, the one host, the beginning
of a simple command. A rule in `GeekAgent.json` names folders with all below them, hosts, beginnings of
commands.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Protocol

from geekagent_tui.i18n import _, ngettext
from geekagent_tui.sanitize import clean_line

# Programs whose second word says what they do; a grant for `git status` is not one for `git push`
_HAS_SUBCOMMANDS = re.compile(
    "apt|brew|bun|cargo|docker|gh|git|go|gradle|hatch|helm|kubectl|mvn|npm|pdm|pip3?|pnpm|poetry"
    "|ruff|rustup|systemctl|terraform|tox|uv|yarn"
)
# Not those that run whatever follows them, or change what git runs
_SUBCOMMAND = re.compile(r"(?!(?:run|exec|x|dlx|eval|shell|tool|config|alias|hook)\Z)[a-z][a-z0-9:_-]*")
# Nothing that a shell would expand, join, redirect or run in between
_SIMPLE = re.compile(r"[\w./:=@%+,\- \t]+", re.ASCII)
_SEPARATORS = re.compile(r"[;&|\n]+")
# What a shell takes away from a word, and what stands between words when nobody looks closely
_QUOTING = re.compile(r"""\\\n|\$(?=['"])|['"\\]""")
_BETWEEN = re.compile(r"[\s(){}`$<>,=!]+")
_CLUSTER = re.compile(r"-[A-Za-z0-9]{2,}")


class Target(Protocol):
    """What a tool works on."""

    @property
    def scope(self) -> str:
        """What a grant is limited to."""

    @property
    def label(self) -> str:
        """The same in words."""

    def falls_under(self, rule: str, *, strictly: bool) -> bool:
        """Whether a rule of the settings speaks about it.

        Args:
            rule: As written in the settings.
            strictly: It would allow something, so in doubt it does not; else in doubt it does.
        """


@dataclass(frozen=True, slots=True)
class FileTarget:
    """A file or folder.

    Attributes:
        path: Relative to the root with `/`, links resolved.
        is_folder: What is in the folder is meant.
    """

    path: str
    is_folder: bool = False

    @property
    def scope(self) -> str:
        """The folder it is in, or is."""
        if self.is_folder:
            return f"{self.path}/"
        folder, _slash, _name = self.path.rpartition("/")
        return f"{folder or '.'}/"

    @property
    def label(self) -> str:
        """The folder, and that folders below it are not meant."""
        return _("文件夹 {folder}（不含子文件夹）").format(folder=clean_line(self.scope))

    def falls_under(self, rule: str, *, strictly: bool) -> bool:
        """Whether it is the rule's file, or in its folder at any depth; `folder/*` allows no deeper ones."""
        folder, star, _rest = rule.partition("*")
        folder = str(PurePosixPath(folder.lstrip("/")))
        if folder == ".":
            within = self.path
        elif self.path.startswith(f"{folder}/"):
            within = self.path.removeprefix(f"{folder}/")
        else:
            return self.path == folder and not (star and strictly)
        return not (strictly and star and not rule.endswith("**") and "/" in within)


@dataclass(frozen=True, slots=True)
class HostTarget:
    """A web server.

    Attributes:
        host: With its port, if it is not the usual one.
    """

    host: str

    @property
    def scope(self) -> str:
        """The host."""
        return self.host

    @property
    def label(self) -> str:
        """The host."""
        return _("网站 {host}").format(host=clean_line(self.host))

    def falls_under(self, rule: str, *, strictly: bool) -> bool:
        """Whether it is the rule's host; `*.example.com` means those below example.com."""
        rule = rule.lower()
        return self.host.endswith(rule[1:]) if rule.startswith("*.") else self.host == rule


@dataclass(frozen=True, slots=True)
class DocumentsTarget:
    """Documents of the knowledge base.

    Attributes:
        sources: Where they came from.
    """

    sources: tuple[str, ...]

    @property
    def scope(self) -> str:
        """All of them, each in its place."""
        return " ".join(map(shlex.quote, self.sources))

    @property
    def label(self) -> str:
        """How many they are."""
        count = len(self.sources)
        return ngettext("这 {n} 个文档", "这 {n} 个文档", count).format(n=count)

    def falls_under(self, rule: str, *, strictly: bool) -> bool:
        """Whether all of them, or when in doubt any, are the rule's document or in its folder or site."""
        place = rule.rstrip("/")
        under = [each == place or each.startswith(f"{place}/") for each in self.sources]
        return all(under) if strictly else any(under)


@dataclass(frozen=True, slots=True)
class CommandTarget:
    """A shell command."""

    command: str

    @property
    def scope(self) -> str:
        """Its beginning when it is simple and of a program with subcommands; else all of it.

        Options and settings can make any program run another (`git grep --open-files-in-pager=x`), so that
        a command with any is only itself.
        """
        words = self._words()
        known = len(words) > 1 and _HAS_SUBCOMMANDS.fullmatch(words[0]) and _SUBCOMMAND.fullmatch(words[1])
        return f"{words[0]} {words[1]} *" if known and _are_plain(words) else self.command

    @property
    def label(self) -> str:
        """What commands are meant."""
        if self.scope == self.command:
            return _("这一条命令：{command}").format(command=clean_line(self.command))
        return _("以 {prefix} 开头的简单命令").format(prefix=self.scope.removesuffix(" *"))

    def falls_under(self, rule: str, *, strictly: bool) -> bool:
        """Whether it begins with the rule's words, and has no options but those.

        When in doubt: whether the rule's program is named anywhere, however it is called or quoted, and its
        other words behind it. A command can still hide what it runs; this is no sandbox.
        """
        rule = rule.removesuffix("*")
        if strictly:
            wanted = rule.split()
            words = self._words()
            return bool(wanted) and words[: len(wanted)] == wanted and _are_plain(words[len(wanted) :])
        wanted = _BETWEEN.sub(" ", rule).split()
        return any(_mentions(part, wanted) for part in self._parts())

    def _parts(self) -> list[list[str]]:
        """The words of each command in it, without quotes; of all together when one is put into another."""
        plain = _QUOTING.sub("", self.command)
        nested = "$(" in plain or "`" in plain
        parts = [_SEPARATORS.sub(" ", plain)] if nested else _SEPARATORS.split(plain)
        return [_BETWEEN.sub(" ", part).split() for part in parts]

    def _words(self) -> list[str]:
        """The words of a simple command; none when it is not simple."""
        return shlex.split(self.command) if _SIMPLE.fullmatch(self.command) else []


def _are_plain(words: Iterable[str]) -> bool:
    """Whether none is an option or sets something."""
    return not any(word.startswith("-") or "=" in word for word in words)


def _mentions(words: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether a program is named among the words, with the other words that a rule wants behind it."""
    if not wanted:
        return True
    program, *rest = _spelled(wanted)
    options = {word for word in rest if word.startswith("-")}
    others = [word for word in rest if not word.startswith("-")]
    for place, word in enumerate(words):
        if _base_name(word) == _base_name(program):
            behind = _spelled(words[place + 1 :])
            left = iter(behind)
            if options.issubset(behind) and all(other in left for other in others):
                return True
    return False


def _base_name(word: str) -> str:
    return word.rstrip("/").rpartition("/")[2]


def _spelled(words: Iterable[str]) -> list[str]:
    """The words, each of several short options on its own: `-rf` is `-r -f`."""
    spelled: list[str] = []
    for word in words:
        spelled += [f"-{letter}" for letter in word[1:]] if _CLUSTER.fullmatch(word) else [word]
    return spelled
