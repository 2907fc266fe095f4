"""The present state of an agent, as front ends are told it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from geekagent_tui.agent import events as ev
from geekagent_tui.agent.guidance import Guidance
from geekagent_tui.agent.inbox import Inbox
from geekagent_tui.agent.journal import Journal
from geekagent_tui.agent.library import Library
from geekagent_tui.agent.memory import Memory
from geekagent_tui.agent.models.switch import Models
from geekagent_tui.agent.permissions import Desk
from geekagent_tui.agent.turn import Turns


@dataclass(frozen=True, slots=True)
class Present:
    """Where an agent's parts stand.

    Attributes:
        fixed_tokens: Tells about how many tokens every request has before its first message.
    """

    models: Models
    journal: Journal
    library: Library
    memory: Memory
    desk: Desk
    turns: Turns
    inbox: Inbox
    guidance: Guidance
    fixed_tokens: Callable[[], int]

    def status(self) -> ev.Status:
        """The status line's figures."""
        conversation = self.journal.conversation
        return ev.Status(
            model=self.models.name,
            offline=self.models.offline,
            session=conversation.session,
            context_tokens=conversation.tokens(self.fixed_tokens()),
            context_window=self.models.context_window,
            memory=len(self.memory.entries),
            busy=self.inbox.busy,
            queued=self.inbox.waiting,
            held=self.inbox.held,
            focus=self.library.focusing.focus,
            dense=self.library.embedding.status,
            activity=self.turns.activity,
            spent_tokens=conversation.spent,
            title=conversation.title,
            skill=conversation.skill,
            instructions=self.guidance.files,
        )

    def snapshot(self) -> ev.Snapshot:
        """Everything that front ends show."""
        conversation = self.journal.conversation
        return ev.Snapshot(
            status=self.status(),
            chat=tuple(conversation.chat),
            tools=tuple(conversation.tools.values()),
            documents=self.library.knowledge.documents,
            stats=self.library.knowledge.stats,
            ingests=tuple(self.library.ingests.moving.values()),
            requests=self.desk.waiting,
            live=conversation.live,
            batch=self.library.ingests.progress,
        )
