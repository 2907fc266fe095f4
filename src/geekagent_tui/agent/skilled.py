"""The skill of a session: which one is loaded, and what the model may use with it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from geekagent_tui.agent.journal import Journal
from geekagent_tui.agent.records import SkillUsed
from geekagent_tui.agent.skills import Found, Skill, find_skills
from geekagent_tui.config import Trust
from geekagent_tui.i18n import _
from geekagent_tui.paths import user_skills

ASKS_ITSELF = "use_skill"
"""The tool that a whitelist can't hide: it asks before it loads another skill."""


class UnknownSkillError(Exception):
    """There is no such skill; the text is a clause that says so."""


class Skilled:
    """The skills there are, and the one that the session uses: a record of the session, by its name.

    Args:
        folder: The workspace's.
        journal: The session.
        trust: Which of the workspace's skills count.
    """

    def __init__(self, folder: Path, journal: Journal, trust: Trust) -> None:
        self.found = Found()
        self._folder = folder
        self._journal = journal
        self._trust = trust

    @property
    def active(self) -> Skill | None:
        """The loaded skill; None when there is none, or it is gone."""
        return self.found.named(self._journal.conversation.skill)

    async def look(self) -> Found:
        """Look which skills there are now."""
        self.found = await asyncio.to_thread(find_skills, self._folder, user_skills(), self._trust)
        return self.found

    async def use(self, name: str) -> Skill:
        """Load a skill in place of the one before.

        Raises:
            UnknownSkillError: There is none with this name; the one before stays.
        """
        skill = (await self.look()).named(name)
        if skill is None:
            raise UnknownSkillError(_("未知技能：{name}").format(name=name))
        if self._journal.conversation.skill != name:
            self._journal.record(SkillUsed(name))
        return skill

    def drop(self) -> None:
        """Load none."""
        if self._journal.conversation.skill:
            self._journal.record(SkillUsed(""))

    def refusal(self, tool: str) -> str:
        """Why the session's skill keeps the model from a tool, a sentence; "" when it does not.

        A skill that is gone allows nothing: its whitelist was the user's wish and is not known any more.
        """
        name = self._journal.conversation.skill
        if not name or tool == ASKS_ITSELF:
            return ""
        skill = self.active
        if skill is None:
            return _("技能 {skill} 已经不在，工具暂不可用；请用户用 /unuse 卸载它").format(skill=name)
        if skill.allows(tool):
            return ""
        return _("权限拒绝：技能 {skill} 不允许使用工具 {name}").format(skill=name, name=tool)
