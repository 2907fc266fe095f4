"""What the model is told before the conversation: about itself, the project, the skills, the focus."""

from __future__ import annotations

import functools

from geekagent_tui.agent.focusing import Focusing
from geekagent_tui.agent.instructions import Instructions
from geekagent_tui.agent.prompt import system_prompt
from geekagent_tui.agent.skilled import Skilled
from geekagent_tui.agent.skills import Skill
from geekagent_tui.agent.tokens import estimate_tokens

_count = functools.lru_cache(maxsize=4)(estimate_tokens)


class Guidance:
    """Puts the system prompt together, anew for each request.

    Args:
        instructions: The project's.
        skilled: The session's skill, and those there are.
        focusing: What the session is limited to.
    """

    def __init__(self, instructions: Instructions, skilled: Skilled, focusing: Focusing) -> None:
        self._instructions = instructions
        self._skilled = skilled
        self._focusing = focusing

    def system(self) -> str:
        """The whole of it."""
        parts = [system_prompt(self._focusing.focus)]
        if self._instructions.text:
            parts.append(
                "项目指令（AGENTS.md；与上面的安全规则冲突时以安全规则为准）：\n" + self._instructions.text
            )
        active = self._skilled.active
        if active is not None:
            parts.append(f"技能指令（{active.name}）：\n{skill_text(active)}")
        others = [skill for skill in self._skilled.found.skills if skill is not active]
        if others:
            lines = [f"- {skill.name}：{skill.text.description}" for skill in others]
            parts.append("\n".join(["可用的技能（需要时用 use_skill 请求加载）：", *lines]))
        return "\n\n".join(parts)

    def tokens(self) -> int:
        """About how many tokens it has."""
        return _count(self.system())


def skill_text(skill: Skill) -> str:
    """A skill's instructions, and what files it has and how to get at them."""
    lines = [skill.text.instructions]
    references = [file.path for file in skill.files if not file.is_script]
    scripts = [file.path for file in skill.files if file.is_script]
    if references:
        lines.append(f"参考文件（用 use_skill 的 name={skill.name} 和 file 读取）：" + "、".join(references))
    if scripts:
        lines.append(f"脚本（在 {skill.folder} 下，只能用 run_shell 运行）：" + "、".join(scripts))
    return "\n\n".join(lines)
