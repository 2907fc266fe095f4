"""Asking the user: requests that wait for an answer, and the grants given so far.

Whoever answers first wins. With nobody there to answer, or when the last one leaves, the answer is no.
"""

from __future__ import annotations

import asyncio
import itertools
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
from geekagent_tui.config import Policy


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
    """What each tool may do: the policies of the workspace and the grants of this session.

    A grant is for a tool *and* a target, and lasts until the session is left or the program ends.
    """

    def __init__(self, policies: Mapping[str, Policy], desk: Desk) -> None:
        self.desk = desk
        self._policies = policies
        self._granted: set[tuple[str, str]] = set()

    def policy(self, tool: str) -> Policy:
        """The policy for a tool; one that nobody has named is denied."""
        return self._policies.get(tool, Policy.DENY)

    def granted(self, tool: str, target: str) -> bool:
        """Whether the user has allowed this tool on this target for the session."""
        return (tool, target) in self._granted

    def forget_grants(self) -> None:
        """End the grants of a session."""
        self._granted.clear()

    async def ask(self, tool: str, question: str, target: str, arguments: str, *, anew: bool = False) -> bool:
        """Ask whether a tool may run, unless a grant says so already.

        Args:
            tool: Its name.
            question: Several lines, the last one the question.
            target: What a grant would be limited to.
            arguments: The whole arguments, for the user to read.
            anew: Ask even with a grant: it was given before something happened that nobody knew then.
        """
        if not anew and self.granted(tool, target):
            return True
        request = PermissionReview(self.desk.new_id(), tool, question, target, arguments)
        decision = await self.desk.review_permission(request)
        if decision.allow and decision.scope is not Scope.ONCE:
            self._granted.add((tool, target))
        return decision.allow


def _refusal(request: Request) -> Decision:
    return IngestDecision() if isinstance(request, IngestReview) else PermissionDecision()
