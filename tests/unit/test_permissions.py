"""Asking: the first answer wins, nobody there means no, and a grant holds for its tool and target only."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from geekagent_tui.agent.events import (
    Decision,
    Event,
    IngestDecision,
    IngestReview,
    PermissionDecision,
    PermissionReview,
    RequestClosed,
    Scope,
)
from geekagent_tui.agent.permissions import Desk, Permissions
from geekagent_tui.config import Policy


class Front:
    """Somebody who may answer."""

    def __init__(self) -> None:
        self.there = True
        self.told: list[Event] = []
        self.answers: Callable[[str], list[Decision]] = lambda _id: []
        self.accepted: list[bool] = []
        self.desk = Desk(self.publish, lambda: self.there)
        self.permissions = Permissions({"known": Policy.ASK}, self.desk)

    def publish(self, event: Event) -> None:
        self.told.append(event)
        if isinstance(event, IngestReview | PermissionReview):
            for decision in self.answers(event.request_id):
                self.accepted.append(self.desk.answer(event.request_id, decision))

    async def ask(self, tool: str = "known", target: str = "x") -> bool:
        return await self.permissions.ask(tool, "工具 known 请求执行", target, "{}")


@pytest.fixture
async def front() -> Front:
    return Front()


async def test_the_first_answer_wins(front: Front) -> None:
    front.answers = lambda _id: [PermissionDecision(allow=True), PermissionDecision(allow=False)]
    assert await front.ask()
    assert front.accepted == [True, False]
    assert [type(event) for event in front.told] == [PermissionReview, RequestClosed]
    assert front.desk.waiting == ()


async def test_an_answer_of_the_other_kind_or_to_nothing_is_not_taken(front: Front) -> None:
    front.answers = lambda _id: [IngestDecision(("x",)), PermissionDecision(allow=True)]
    assert await front.ask()
    assert front.accepted == [False, True]
    assert not front.desk.answer("request-99", IngestDecision())


async def test_nobody_there_means_no(front: Front) -> None:
    front.there = False
    assert not await front.ask()
    assert await front.desk.review_ingest(IngestReview("1", ())) == IngestDecision()
    assert front.told == []


async def test_everybody_gone_means_no(front: Front) -> None:
    asking = asyncio.ensure_future(front.ask())
    reviewing = asyncio.ensure_future(front.desk.review_ingest(IngestReview("r", ())))
    await asyncio.sleep(0)
    assert len(front.desk.waiting) == 2
    front.desk.refuse_all()
    assert not await asking
    assert await reviewing == IngestDecision()


async def test_a_withdrawn_request_closes(front: Front) -> None:
    asking = asyncio.ensure_future(front.ask())
    await asyncio.sleep(0)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert isinstance(front.told[-1], RequestClosed)
    assert front.desk.waiting == ()


@pytest.mark.parametrize(("scope", "kept"), [(Scope.ONCE, False), (Scope.SESSION, True)])
async def test_a_grant_is_for_its_tool_and_target(front: Front, scope: Scope, kept: bool) -> None:
    front.answers = lambda _id: [PermissionDecision(allow=True, scope=scope)]
    assert await front.ask(target="a")
    front.answers = lambda _id: [PermissionDecision(allow=False, scope=Scope.SESSION)]
    assert await front.ask(target="a") is kept
    assert not await front.ask(target="b")
    assert not await front.ask(tool="other", target="a")
    front.permissions.forget_grants()
    assert not await front.ask(target="a")


def test_a_tool_nobody_named_is_denied(front: Front) -> None:
    assert front.permissions.policy("known") is Policy.ASK
    assert front.permissions.policy("run_shell") is Policy.DENY
