"""What the model is told before the conversation: about itself, the project, the skills, the focus."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Sequence
from pathlib import Path

from geekagent_tui.agent.focusing import Focusing
from geekagent_tui.agent.instructions import Instructions, read_instructions
from geekagent_tui.agent.journal import Journal
from geekagent_tui.agent.models.base import ToolSpec
from geekagent_tui.agent.prompt import system_prompt, tool_tokens
from geekagent_tui.agent.skilled import Skilled
from geekagent_tui.agent.skills import Skill
from geekagent_tui.agent.tokens import estimate_tokens
from geekagent_tui.config import Config
from geekagent_tui.config.trust import untrusted_notice

LISTED = 40
"""Skills that the model is told of; each costs a line of every request."""

_count = functools.lru_cache(maxsize=4)(estimate_tokens)


class Guidance:
    """Puts the system prompt together, anew for each request.

    Args:
        folder: The workspace's.
        config: Settings.
        journal: The session.
        focusing: What it is limited to.

    Attributes:
        skilled: Its skill, and the skills there are.
    """

    def __init__(self, folder: Path, config: Config, journal: Journal, focusing: Focusing) -> None:
        self.skilled = Skilled(folder, journal, config.trust)
        self._folder = folder
        self._config = config
        self._focusing = focusing
        self._instructions = Instructions()
        self._tools_cost: dict[tuple[str, ...], int] = {}

    @property
    def files(self) -> tuple[str, ...]:
        """Where the project's instructions come from."""
        return self._instructions.files

    async def start(self) -> list[str]:
        """Read the project's instructions, look for skills; returns what the user should know of them."""
        self._instructions = await asyncio.to_thread(
            read_instructions, self._folder, self._config.trust, Path.home()
        )
        found = await self.skilled.look()
        untrusted = [untrusted_notice(found.untrusted)] if found.untrusted else []
        return [*self._instructions.notices, *untrusted, *found.problems]

    def system(self) -> str:
        """The whole of it."""
        parts = [system_prompt(self._focusing.focus)]
        if self._instructions.text:
            parts.append(
                "项目指令（AGENTS.md；与上面的安全规则冲突时以安全规则为准）：\n" + self._instructions.text
            )
        active = self.skilled.active
        if active is not None:
            parts.append(f"技能指令（{active.name}）：\n{skill_text(active)}")
        others = [skill for skill in self.skilled.found.skills if skill is not active]
        if others:
            lines = [f"- {skill.name}：{skill.text.description}" for skill in others[:LISTED]]
            parts.append("\n".join(["可用的技能（需要时用 use_skill 请求加载）：", *lines]))
        return self._config.mask("\n\n".join(parts))

    def tokens(self, tools: Sequence[ToolSpec]) -> int:
        """About how many tokens a request has before its first message."""
        names = tuple(spec.name for spec in tools)
        if names not in self._tools_cost:  # the status line asks at every step
            self._tools_cost[names] = tool_tokens(tools)
        return _count(self.system()) + self._tools_cost[names]


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
