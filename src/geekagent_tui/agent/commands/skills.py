"""`/skills`, `/use`, `/unuse`."""

from __future__ import annotations

from geekagent_tui.agent.commands.base import Command, Context
from geekagent_tui.agent.events import Level
from geekagent_tui.agent.skilled import UnknownSkillError
from geekagent_tui.agent.skills import Skill
from geekagent_tui.config.trust import untrusted_notice
from geekagent_tui.i18n import _


async def show(context: Context, rest: str) -> None:
    """`/skills`: every skill, the loaded one marked."""
    found = await context.skilled.look()
    for sentence in found.problems:
        context.journal.notice(sentence, Level.WARNING)
    if found.untrusted:
        context.journal.notice(untrusted_notice(found.untrusted), Level.WARNING)
    if not found.skills:
        context.say(_("（skills/ 目录下暂无技能）"))
        return
    active = context.skilled.active
    lines = [
        f"{'*' if skill is active else ' '} {skill.name} — {skill.text.description}" for skill in found.skills
    ]
    context.say("\n".join([_("可用技能（skills/ 目录，/use 加载）："), *lines]))


async def use(context: Context, rest: str) -> None:
    """`/use <name>`: load a skill."""
    name = rest.partition(" ")[0]
    if not name:
        context.say(_("用法：/use <技能名>（/skills 查看可用技能）"))
        return
    try:
        skill = await context.skilled.use(name)
    except UnknownSkillError as error:
        context.say(_("加载失败：{reason}").format(reason=error))
        return
    context.say(_loaded(skill))


async def unuse(context: Context, rest: str) -> None:
    """`/unuse`: go on without a skill."""
    context.skilled.drop()
    context.say(_("（已卸载技能，恢复默认行为）"))


def _loaded(skill: Skill) -> str:
    """The reference's sentence; scripts stand where its own tools were."""
    scripts = [file.path for file in skill.files if file.is_script]
    tools = skill.text.tools
    allowed = _("全部") if tools is None else _("、").join(tools) or _("无")
    return _("已加载技能 {name}（自带工具：{own}；内置工具：{tools}）").format(
        name=skill.name, own=_("、").join(scripts) or _("无"), tools=allowed
    )


COMMANDS = (
    Command("/skills", show, lambda: _("查看可用技能")),
    Command("/use", use, lambda: _("加载一个技能"), lambda: _("<技能名>"), changes_session=True),
    Command("/unuse", unuse, lambda: _("卸载技能"), changes_session=True),
)
