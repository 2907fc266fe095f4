"""Skills: folders with a `SKILL.md`, in the user's own settings and in the workspace."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from geekagent_tui.agent.skill_format import SkillError, SkillText, parse
from geekagent_tui.config import Trust, TrustItem
from geekagent_tui.config.trust import digest_of
from geekagent_tui.files import read_regular
from geekagent_tui.i18n import _, ngettext
from geekagent_tui.paths import FOLDER
from geekagent_tui.reasons import reason_of

FILE = "SKILL.md"
MOST_SKILLS = 64
"""Skills of one folder."""
MOST_FILES = 100
"""Files of one skill."""

_TEXT_BYTES = 32 * 1024
_FILE_BYTES = 1 << 20
_NAME = re.compile(r"[\w-]{1,64}")
_SCRIPTS = frozenset({".sh", ".bash", ".py", ".js", ".ts", ".mjs", ".rb", ".pl"})


@dataclass(frozen=True, slots=True)
class SkillFile:
    """A file beside a `SKILL.md`.

    Attributes:
        path: Relative to the skill's folder, with `/`.
        digest: Of its content.
        is_script: It is meant to be run.
    """

    path: str
    digest: str
    is_script: bool


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill that can be used.

    Attributes:
        name: Its folder's.
        folder: Absolute.
        place: The folder relative to the workspace; "" for the user's own.
        digest: Of all its files.
    """

    name: str
    text: SkillText
    folder: Path
    place: str
    files: tuple[SkillFile, ...]
    digest: str

    def allows(self, tool: str) -> bool:
        """Whether its whitelist has a tool; without a whitelist, every one."""
        return self.text.tools is None or tool in self.text.tools


@dataclass(frozen=True, slots=True)
class Found:
    """The skills there are.

    Attributes:
        skills: Those that count, by name.
        untrusted: The places of those that the user has yet to trust.
        problems: Why others can't be used, a sentence each.
    """

    skills: tuple[Skill, ...] = ()
    untrusted: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    def named(self, name: str) -> Skill | None:
        """The skill with a name."""
        return next((skill for skill in self.skills if skill.name == name), None)


def find_skills(folder: Path, own: Path, trust: Trust) -> Found:
    """Look for skills; blocks.

    The user's own come first: a workspace can't put another one in the place of theirs.

    Args:
        folder: The workspace's.
        own: The user's own skills.
        trust: What of the workspace counts.
    """
    found = Found()
    for path, place in _places(folder, own):
        try:
            skill = _read(path, place)
        except (SkillError, OSError) as error:
            reason = reason_of(error)
            told = _("技能 {name} 加载失败：{reason}").format(name=path.name, reason=reason)
            found = replace(found, problems=(*found.problems, told))
            continue
        if place and not trust.accepts(place, skill.digest):
            found = replace(found, untrusted=(*found.untrusted, place))
        elif found.named(skill.name):
            told = _("技能 {name} 加载失败：已有同名技能").format(name=skill.name)
            found = replace(found, problems=(*found.problems, told))
        else:
            found = replace(found, skills=(*found.skills, skill))
    return replace(found, skills=tuple(sorted(found.skills, key=lambda skill: skill.name)))


def skill_items(folder: Path) -> list[TrustItem]:
    """The workspace's skills, for the user to judge; blocks. Those that can't be read are left out."""
    items = []
    for path, place in _places(folder, None):
        try:
            skill = _read(path, place)
        except (SkillError, OSError):
            continue
        items.append(TrustItem(place, skill.digest, _effects(skill), skill.text.instructions))
    return items


def read_file(skill: Skill, path: str) -> str:
    """A file of a skill, if it is still what it was when the skill was looked at; blocks.

    Raises:
        SkillError: It is no file of the skill, has changed, or can't be read.
    """
    known = next((file for file in skill.files if file.path == path), None)
    if known is None:
        raise SkillError(_("技能 {name} 里没有文件 {path}").format(name=skill.name, path=path))
    try:
        content = read_regular(skill.folder / path, _FILE_BYTES + 1)
    except OSError as error:
        raise SkillError(
            _("读取 {path} 失败：{reason}").format(path=path, reason=reason_of(error))
        ) from error
    if digest_of(content) != known.digest:
        raise SkillError(_("{path} 已经改变，重新打开后再用").format(path=path))
    return content.decode("utf-8", "replace")


def _places(folder: Path, own: Path | None) -> Iterator[tuple[Path, str]]:
    """The folders of skills, and how each is named relative to the workspace."""
    if own is not None:
        yield from ((path, "") for path in _below(own))
    for base in (f"{FOLDER}/skills", "skills"):
        if not any(part.is_symlink() for part in (folder / base, (folder / base).parent)):
            yield from (
                (path, f"{base}/{path.name}") for path in _below(folder / base) if not path.is_symlink()
            )


def _below(base: Path) -> Sequence[Path]:
    try:
        return sorted(path for path in base.iterdir() if (path / FILE).is_file())[:MOST_SKILLS]
    except OSError:
        return ()


def _read(folder: Path, place: str) -> Skill:
    if not _NAME.fullmatch(folder.name):
        raise SkillError(_("技能名只能包含文字、数字、短横线和下划线"))
    content = read_regular(folder / FILE, _TEXT_BYTES + 1)
    if len(content) > _TEXT_BYTES:
        raise SkillError(_("SKILL.md 太大"))
    text = parse(content.decode("utf-8", "replace"))
    files = _files(folder)
    names = "\n".join(f"{file.path}\0{file.digest}" for file in files)
    return Skill(folder.name, text, folder, place, files, digest_of(content, names.encode(errors="replace")))


def _files(folder: Path) -> tuple[SkillFile, ...]:
    """The files beside the `SKILL.md`; links and hidden ones are none of the skill's."""
    files: list[SkillFile] = []
    for base, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(base, name)
            relative = path.relative_to(folder).as_posix()
            if name.startswith(".") or relative == FILE or path.is_symlink():
                continue
            if len(files) == MOST_FILES:
                raise SkillError(_("文件太多"))
            content = read_regular(path, _FILE_BYTES + 1)
            if len(content) > _FILE_BYTES:
                raise SkillError(_("{path} 太大").format(path=relative))
            files.append(SkillFile(relative, digest_of(content), path.suffix in _SCRIPTS))
    return tuple(files)


def _effects(skill: Skill) -> tuple[str, ...]:
    """What a skill changes, in words."""
    effects = [_("可以用 /use {name} 加载的技能").format(name=skill.name)]
    if skill.text.description:
        effects.append(_("自称：{description}").format(description=skill.text.description))
    if scripts := sum(file.is_script for file in skill.files):
        told = ngettext(
            "带有 {n} 个脚本，运行前仍按 run_shell 的策略询问",
            "带有 {n} 个脚本，运行前仍按 run_shell 的策略询问",
            scripts,
        )
        effects.append(told.format(n=scripts))
    return tuple(effects)
