"""Asking the user: requests that wait for an answer, and the grants given so far.

Whoever answers first wins. With nobody there to answer, or when the last one leaves, the answer is no.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Callable, Mapping

from geekagent_tui.agent.events import (
    Decision,
    Event,
    IngestDecision,
    IngestReview,
    PermissionDecision,
    PermissionReview,
    Request,
    RequestClosed,
    Scope,
)
from geekagent_tui.agent.grants import Grant, GrantFile
from geekagent_tui.agent.targets import Target
from geekagent_tui.config import Policy

_CAUTION = (Policy.ALLOW, Policy.ASK, Policy.DENY)
_NO_RULES: Mapping[str, Mapping[str, Policy]] = {}
_log = logging.getLogger(__name__)


class Desk:
    """The requests that wait for an answer.

    Args:
        publish: Tells the front ends.
        attended: Whether anybody can answer.
    """

    def __init__(self, publish: Callable[[Event], None], attended: Callable[[], bool]) -> None:
        self._publish = publish
        self._attended = attended
        self._waiting: dict[str, tuple[Request, asyncio.Future[Decision]]] = {}
        self._numbers = itertools.count(1)

    @property
    def waiting(self) -> tuple[Request, ...]:
        """The requests without an answer, oldest first."""
        return tuple(request for request, answer in self._waiting.values() if not answer.done())

    def new_id(self) -> str:
        """An id for a request."""
        return f"request-{next(self._numbers)}"

    async def review_ingest(self, request: IngestReview) -> IngestDecision:
        """Ask which sources may enter the knowledge base."""
        decision = await self._ask(request)
        return decision if isinstance(decision, IngestDecision) else IngestDecision()

    async def review_permission(self, request: PermissionReview) -> PermissionDecision:
        """Ask whether a tool may run."""
        decision = await self._ask(request)
        return decision if isinstance(decision, PermissionDecision) else PermissionDecision()

    def answer(self, request_id: str, decision: Decision) -> bool:
        """Take an answer; False when the request has one already, or is gone, or is of the other kind."""
        request, future = self._waiting.get(request_id, (None, None))
        if request is None or future is None or future.done():
            return False
        if isinstance(request, IngestReview) is not isinstance(decision, IngestDecision):
            return False
        future.set_result(decision)
        return True

    def refuse_all(self) -> None:
        """Answer every request with no."""
        for request, future in self._waiting.values():
            if not future.done():
                future.set_result(_refusal(request))

    async def _ask(self, request: Request) -> Decision:
        if not self._attended():
            return _refusal(request)
        future: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        self._waiting[request.request_id] = request, future
        self._publish(request)
        try:
            return await future
        finally:
            del self._waiting[request.request_id]
            self._publish(RequestClosed(request.request_id))


class Permissions:
    """What each tool may do: the policies of the workspace and the grants of the user.

    A grant is for a tool *and* a target. One for the session lasts until the session is left or the program
    ends; one for good is kept in the user's own data.

    Args:
        policies: For each tool.
        desk: Whom to ask.
        rules: For some tools, policies for targets: folders, hosts, beginnings of commands.
        kept: The grants given for good; without it there are none.
    """

    def __init__(
        self,
        policies: Mapping[str, Policy],
        desk: Desk,
        rules: Mapping[str, Mapping[str, Policy]] = _NO_RULES,
        kept: GrantFile | None = None,
    ) -> None:
        self.desk = desk
        self._policies = policies
        self._rules = rules
        self._kept = kept
        self._granted: dict[tuple[str, str], Grant] = {}

    def policy(self, tool: str, target: Target | None = None) -> Policy:
        """The policy for a tool on a target; a tool that nobody has named is denied.

        Of the rules that speak about the target, the most cautious one counts.
        """
        general = self._policies.get(tool, Policy.DENY)
        if target is None or general is Policy.DENY:
            return general
        rules = self._rules.get(tool, {})
        meant = [
            policy
            for rule, policy in rules.items()
            if target.falls_under(rule, strictly=policy is Policy.ALLOW)
        ]
        return max(meant, key=_CAUTION.index, default=general)

    def granted(self, tool: str, target: str, *, informed: bool = False) -> bool:
        """Whether the user has allowed this tool on this target for the session.

        Args:
            tool: Its name.
            target: The scope.
            informed: Count only what was allowed with foreign text in the conversation.
        """
        grant = self._granted.get((tool, target))
        return grant is not None and (grant.informed or not informed)

    def forget_grants(self) -> None:
        """End the grants of a session."""
        self._granted.clear()

    async def grants(self) -> tuple[list[Grant], list[Grant]]:
        """What is granted: for the session, and for good."""
        kept = await asyncio.to_thread(self._kept.load) if self._kept is not None else []
        return list(self._granted.values()), kept

    async def revoke(self, grant: Grant, scope: Scope) -> None:
        """Take a grant back.

        Raises:
            OSError: The file of grants can't be written.
        """
        if scope is Scope.SESSION:
            self._granted.pop((grant.tool, grant.target), None)
        elif self._kept is not None:
            await asyncio.to_thread(self._kept.remove, grant)

    async def ask(
        self,
        tool: str,
        question: str,
        target: str,
        arguments: str,
        *,
        informed: bool = False,
        label: str = "",
        diff: str = "",
        once_only: bool = False,
    ) -> bool:
        """Ask whether a tool may run, unless a grant says so already.

        Args:
            tool: Its name.
            question: Several lines, the last one the question.
            target: What a grant would be limited to.
            arguments: The whole arguments, for the user to read.
            informed: There is foreign text in the conversation: only grants given with such text count.
            label: `target` in words.
            diff: What would change, as a unified diff.
            once_only: No grant counts and none can be given.
        """
        if not once_only and await self.allowed(tool, target, informed=informed):
            return True
        request = PermissionReview(
            self.desk.new_id(), tool, question, target, arguments, diff, label, once_only
        )
        decision = await self.desk.review_permission(request)
        if decision.allow and not once_only:
            await self._keep(Grant(tool, target, informed), decision.scope)
        return decision.allow

    async def allowed(self, tool: str, target: str, *, informed: bool) -> bool:
        """As `granted`, by the grants given for good as well."""
        if self.granted(tool, target, informed=informed):
            return True
        _session, kept = await self.grants()
        return any(
            (each.tool, each.target) == (tool, target) and (each.informed or not informed) for each in kept
        )

    async def _keep(self, grant: Grant, scope: Scope) -> None:
        if scope is Scope.ONCE:
            return
        self._granted[grant.tool, grant.target] = grant
        if scope is Scope.ALWAYS and self._kept is not None:
            try:
                await asyncio.to_thread(self._kept.add, grant)
            except OSError:  # it holds for the session all the same
                _log.exception("keeping a grant")
            else:
                del self._granted[grant.tool, grant.target]


def _refusal(request: Request) -> Decision:
    return IngestDecision() if isinstance(request, IngestReview) else PermissionDecision()
