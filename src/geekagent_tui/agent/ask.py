"""One question, one answer: for the command line and scripts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from geekagent_tui.agent import events as ev
from geekagent_tui.agent.core import Agent


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a question.

    Attributes:
        text: The answer; what had arrived of it when it failed.
        end: How the turn ended.
        error: A sentence when it failed, else "".
    """

    text: str
    citations: tuple[ev.Citation, ...]
    tools: tuple[ev.ToolEntry, ...]
    end: ev.TurnEnd
    error: str = ""


async def run_once(agent: Agent, question: str, on_event: Callable[[ev.Event], None] | None = None) -> Answer:
    """Ask the agent and wait for the whole answer.

    Args:
        agent: An agent with nothing else to do.
        question: Taken literally: a leading `/` makes no command of it.
        on_event: Told everything that happens meanwhile.
    """
    seen = _Seen()
    async with agent.subscribe() as events:
        await agent.submit(question, literal=True)
        async for event in events:
            if on_event is not None:
                on_event(event)
            seen.take(event)
            if isinstance(event, ev.TurnFinished):
                return seen.answer(event.end)
    raise RuntimeError("the agent was closed")


class _Seen:
    """What was seen of a turn, whether as events or in a snapshot that replaced some."""

    def __init__(self) -> None:
        self._before: tuple[int, set[str]] | None = None
        self._entries: dict[int, ev.ChatEntry] = {}
        self._tools: dict[str, ev.ToolEntry] = {}

    def take(self, event: ev.Event) -> None:
        """Look at an event."""
        match event:
            case ev.Snapshot() if self._before is None:
                last = event.chat[-1].entry_id if event.chat else 0
                self._before = last, {tool.call_id for tool in event.tools}
            case ev.Snapshot():
                self._add(event.chat, event.tools)
            case ev.ChatAdded():
                self._add((event.entry,), ())
            case ev.ToolChanged():
                self._add((), (event.entry,))

    def answer(self, end: ev.TurnEnd) -> Answer:
        """The turn as a whole; what was said before a tool call is no answer."""
        said = [entry for entry in self._entries.values() if entry.role == "assistant"]
        loud = [entry for entry in self._entries.values() if entry.level is not ev.Level.INFO]
        last = said[-1] if said else None
        error = loud[-1].text if loud and end is ev.TurnEnd.FAILED else ""
        return Answer(
            last.text if last else "",
            last.citations if last else (),
            tuple(self._tools.values()),
            end,
            error,
        )

    def _add(self, chat: Sequence[ev.ChatEntry], tools: Sequence[ev.ToolEntry]) -> None:
        last, known = self._before or (0, set())
        self._entries |= {entry.entry_id: entry for entry in chat if entry.entry_id > last}
        self._tools |= {tool.call_id: tool for tool in tools if tool.call_id not in known}
