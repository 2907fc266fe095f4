"""`use_skill`: load a skill, or read a file of the loaded one."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from geekagent_tui.agent.consent import Consent, Wish
from geekagent_tui.agent.events import ToolState
from geekagent_tui.agent.guidance import skill_text
from geekagent_tui.agent.models.base import ToolSpec
from geekagent_tui.agent.skill_format import SkillError
from geekagent_tui.agent.skilled import Skilled, UnknownSkillError
from geekagent_tui.agent.skills import read_file
from geekagent_tui.agent.tools.base import Arguments, Outcome, ToolError, object_schema, text_argument
from geekagent_tui.agent.tools.files_shown import offset_of, stretch
from geekagent_tui.i18n import _, ngettext

CHARACTERS = 8000
"""Characters of a file that one answer holds at most."""


@dataclass(frozen=True, slots=True)
class SkillTarget:
    """A skill, as far as permissions are concerned."""

    name: str

    @property
    def scope(self) -> str:
        """Its name."""
        return self.name

    @property
    def label(self) -> str:
        """The same in words."""
        return _("技能 {name}").format(name=self.name)

    def falls_under(self, rule: str, *, strictly: bool) -> bool:
        """Whether a rule names it."""
        return rule == self.name


class UseSkill:
    """`use_skill`: the model's way to a skill; loading one asks the user."""

    spec = ToolSpec(
        "use_skill",
        "加载一个技能（会先请用户确认），返回它的指令；或者用 file 读取已加载技能的一个参考文件。",
        object_schema(
            {"name": "技能名"},
            file={"type": "string", "description": "已加载技能里的文件，如 references/a.md"},
            offset={"type": "integer", "minimum": 0, "description": "从文件的第几个字符开始"},
        ),
    )
    asks_itself = True
    guarded = True

    def __init__(self, skilled: Skilled, consent: Consent) -> None:
        self._skilled = skilled
        self._consent = consent

    def target(self, arguments: Arguments) -> str:
        """The skill, with the file."""
        return " ".join(filter(None, (text_argument(arguments, "name"), text_argument(arguments, "file"))))

    async def run(self, arguments: Arguments) -> Outcome:
        """Load or read."""
        name, file = text_argument(arguments, "name"), text_argument(arguments, "file")
        active = self._skilled.active
        if active is None or active.name != name:
            if file:
                raise ToolError(_("先加载技能 {name}，再读取它的文件").format(name=name))
            return await self._load(name, arguments)
        if not file:
            return Outcome(skill_text(active), _("已加载"))
        try:
            text = await asyncio.to_thread(read_file, active, file)
        except SkillError as error:
            raise ToolError(str(error)) from error
        return _stretch(text, offset_of(arguments))

    async def _load(self, name: str, arguments: Arguments) -> Outcome:
        found = await self._skilled.look()
        if (skill := found.named(name)) is None:
            raise ToolError(_("加载失败：未知技能：{name}").format(name=name))
        asked = "\n".join([f"{skill.name}  {skill.text.description}", _("确认加载这个技能？")])
        if not await self._consent.given(Wish("use_skill", SkillTarget(name), asked), arguments):
            return Outcome(_("已取消加载"), _("已拒绝"), ToolState.DENIED)
        try:
            return Outcome(skill_text(await self._skilled.use(name)), _("已加载"))
        except UnknownSkillError as error:  # it went while the user was thinking
            raise ToolError(_("加载失败：{reason}").format(reason=error)) from error


def _stretch(text: str, offset: int) -> Outcome:
    piece, end = stretch(text, offset, CHARACTERS)
    count = max(0, end - offset)
    return Outcome(piece, ngettext("{n} 字", "{n} 字", count).format(n=count))
