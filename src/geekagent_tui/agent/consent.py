"""Whether a tool may do one particular thing: policy, rules, grants, what was read before, the user."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from geekagent_tui.agent.permissions import Permissions
from geekagent_tui.agent.targets import Target
from geekagent_tui.agent.tools.base import Arguments, ToolError
from geekagent_tui.config import Policy
from geekagent_tui.i18n import _


@dataclass(frozen=True, slots=True)
class Wish:
    """What a tool wants to do, for the user to judge.

    Attributes:
        tool: Its name.
        target: What it works on.
        question: Several lines, the last one the question.
        diff: What would change, as a unified diff.
        has_effects: It changes something or tells somebody something; foreign text could have asked for it.
        protected: It touches what the agent obeys, or secrets: asked every time, whatever is granted.
    """

    tool: str
    target: Target
    question: str
    diff: str = ""
    has_effects: bool = True
    protected: bool = False


class Consent:
    """Gives or refuses consent for tools that ask by themselves.

    Args:
        permissions: Policies and grants, and whom to ask.
        foreign: Whether there is foreign text in the conversation.
        mask: Hides secrets in what the user is shown.
    """

    def __init__(
        self, permissions: Permissions, foreign: Callable[[], bool], mask: Callable[[str], str]
    ) -> None:
        self._permissions = permissions
        self._foreign = foreign
        self._mask = mask

    async def given(self, wish: Wish, arguments: Arguments) -> bool:
        """Whether a tool may do it, after asking the user where that is needed.

        Raises:
            ToolError: A rule denies it.
        """
        self.refuse_denied(wish.tool, wish.target)
        doubtful = self._is_doubtful(wish)
        if self._is_allowed(wish):
            return True
        return await self._permissions.ask(
            wish.tool,
            self._mask(_question(wish, doubtful=doubtful)),
            self._mask(wish.target.scope),
            self._mask(json.dumps(dict(arguments), ensure_ascii=False, indent=2)),
            informed=doubtful,
            label=self._mask(wish.target.label),
            diff=self._mask(wish.diff),
            once_only=wish.protected,
        )

    async def is_free(self, wish: Wish) -> bool:
        """Whether a tool may do it and nobody would be asked."""
        if self.denied(wish.tool, wish.target):
            return False
        if self._is_allowed(wish):
            return True
        scope, doubtful = self._mask(wish.target.scope), self._is_doubtful(wish)
        return not wish.protected and await self._permissions.allowed(wish.tool, scope, informed=doubtful)

    def refuse_denied(self, tool: str, target: Target) -> None:
        """Raise a `ToolError` when a rule denies a tool this target."""
        if self.denied(tool, target):
            raise ToolError(_("权限拒绝：工具 {name} 不允许执行").format(name=tool))

    def _is_allowed(self, wish: Wish) -> bool:
        policy = self._permissions.policy(wish.tool, wish.target)
        return policy is Policy.ALLOW and not self._is_doubtful(wish) and not wish.protected

    def _is_doubtful(self, wish: Wish) -> bool:
        return wish.has_effects and self._foreign()

    def denied(self, tool: str, target: Target) -> bool:
        """Whether a rule denies a tool this target."""
        return self._permissions.policy(tool, target) is Policy.DENY


def _question(wish: Wish, *, doubtful: bool) -> str:
    lines = [wish.question]
    if wish.protected:
        lines.insert(0, _("这会涉及助手自身的设置、指令或密钥，每次都要确认。"))
    if doubtful:
        lines.insert(0, _("对话里有外部资料，请看清内容再决定。"))
    return "\n".join(lines)
