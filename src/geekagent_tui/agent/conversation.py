"""A conversation: what the records of a session add up to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice, takewhile

from geekagent_tui.agent.citations import Evidence
from geekagent_tui.agent.compaction_plan import compacted, upto_question
from geekagent_tui.agent.events import ChatEntry, ToolEntry, ToolState
from geekagent_tui.agent.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from geekagent_tui.agent.records import (
    AssistantSaid,
    Began,
    CommandTyped,
    Compacted,
    Dequeued,
    Focused,
    Forgotten,
    MetForeign,
    ModelChosen,
    Named,
    Noted,
    Partial,
    Planned,
    Queued,
    Recalled,
    Record,
    Retried,
    SkillUsed,
    ToolEnded,
    UserSaid,
)
from geekagent_tui.agent.todos import Todo
from geekagent_tui.agent.tokens import total_tokens
from geekagent_tui.i18n import _
from geekagent_tui.rag.model import Selection

FOREIGN_TOOLS = frozenset(
    {
        "rag_add",
        "rag_list",
        "rag_remove",
        "ls",
        "read",
        "glob",
        "search",
        "patch",
        "run_shell",
        "fetch",
        "delegate_task",
    }
)
"""Tools whose answers hold foreign words even without hits: titles, names, contents, what programs print."""


class Conversation:
    """Everything said in a session since it began or was reset.

    Attributes:
        messages: What the model is told: always valid for a strict server once `settle` has been applied.
        chat: What the chat panel shows.
        tools: What the tool log shows; an entry is replaced as its call moves on.
        evidence: What was retrieved or recalled, for checking citations.
        foreign: Whether text that came from outside, a page or file, was put before the model or a sub-agent
            since it began or was reset. It need not be in the next request: the model may have quoted it in
            an answer or a summary.
        waiting: The user's messages that wait for the running turn to end, oldest first, by a key.
        todos: What the model has planned.
        skill: The name of the skill that the model follows; "" for none. A reset leaves it alone.
        focus: The documents that turns are limited to; None when to none. A reset leaves it alone.
        title: What the session is about, as its user named it; "" when it has no such name.
        chosen: The model that was chosen for this session; None when none was.
        said: How many messages there were since it began or was reset, those that left `messages` too.
        spent: Tokens that servers counted since the session began.
    """

    def __init__(self, session: str) -> None:
        self.session = session
        self.last_entry = 0
        self.messages: list[Message] = []
        self.chat: list[ChatEntry] = []
        self.tools: dict[str, ToolEntry] = {}
        self.evidence = Evidence()
        self.foreign = False
        self.waiting: dict[str, str] = {}
        self.todos: tuple[Todo, ...] = ()
        self.skill = ""
        self.focus: Selection | None = None
        self.title = ""
        self.chosen: ModelChosen | None = None
        self.said = 0
        self.spent = 0
        self._counted = _Counted()
        self._live: list[str] = []

    @classmethod
    def replay(cls, session: str, records: Iterable[Record]) -> Conversation:
        """The conversation that records add up to."""
        conversation = cls(session)
        for record in records:
            conversation.apply(record)
        # Calls that ran side by side ended in another order than they began, and were shown in that.
        began = sorted(conversation.tools.items(), key=lambda named: named[1].started_at)
        conversation.tools = dict(began)
        return conversation

    @property
    def live(self) -> str:
        """The answer that is arriving, as far as it is here."""
        return "".join(self._live)

    def tokens(self, fixed: int) -> int:
        """About how many tokens the next request has.

        A server's count of everything up to its last answer and an estimate of what came since; without a
        count, an estimate of all.

        Args:
            fixed: What every request has before its first message.
        """
        return (self._counted.tokens or fixed) + self._counted.since(self.messages)

    def next_entry(self) -> int:
        """A number for the next chat entry."""
        return self.last_entry + 1

    def apply(self, record: Record) -> ChatEntry | None:
        """Add a record; return the chat entry it made, if any."""
        match record:
            case UserSaid():
                self._message(UserMessage(record.text))
                return self._entry("user", record)
            case CommandTyped():
                return self._entry("user", record)
            case Noted():
                return self._entry("notice", record)
            case Partial():
                self._live.append(record.text)
            case AssistantSaid():
                return self._assistant(record)
            case ToolEnded():
                self._tool(record)
            case Recalled():
                self.evidence.add(record.hits)
                self.foreign = self.foreign or bool(record.hits)
            case MetForeign():
                self.foreign = True
            case Queued():
                self.waiting[record.key] = record.text
            case Dequeued():
                self.waiting.pop(record.key, None)
            case Planned():
                self.todos = record.todos
            case SkillUsed():
                self.skill = record.name
            case Focused():
                self.focus = record.selection
            case Named():
                self.title = record.title
            case Forgotten():
                self._forget()
            case Retried():
                self.messages = upto_question(self.messages)
                self._counted = _Counted()
            case Compacted():
                self.messages = compacted(self.messages, record)
                self._counted = _Counted()
                return self._entry("notice", record)
            case ModelChosen():
                self.chosen = record
            case Began():
                pass
        return None

    def settle(self, at: datetime, *, offline: bool = False) -> list[Record]:
        """The records that end an unfinished turn: what was said is kept, open tool calls are cancelled."""
        records: list[Record] = []
        if live := self.live:
            text = live if live.strip() else ""
            said = AssistantSaid(
                self.next_entry(),
                text,
                at,
                interrupted=True,
                offline=offline,
                citations=self.evidence.find(text),
            )
            records.append(said)
        last = self.next_entry() if records else self.last_entry
        for call in self.open_calls():
            begun = self.tools.get(call.id)
            entry = begun or ToolEntry(call.id, call.name, "", call.arguments, at, after=last)
            records.append(cancelled(entry))
        return records

    def open_calls(self) -> list[ToolCall]:
        """The tool calls that have no answer yet, in order."""
        tail = list(takewhile(lambda message: isinstance(message, ToolMessage), reversed(self.messages)))
        if len(tail) == len(self.messages):
            return []
        asking = self.messages[-1 - len(tail)]
        if not isinstance(asking, AssistantMessage):
            return []
        answered = {message.call_id for message in tail if isinstance(message, ToolMessage)}
        return [call for call in asking.tool_calls if call.id not in answered]

    def used_call_ids(self) -> set[str]:
        """Every tool call's id so far."""
        asked = (message for message in self.messages if isinstance(message, AssistantMessage))
        return set(self.tools).union(call.id for message in asked for call in message.tool_calls)

    def _message(self, message: Message) -> None:
        self.messages.append(message)
        self.said += 1

    def _entry(
        self, role: str, record: UserSaid | CommandTyped | Noted | AssistantSaid | Compacted
    ) -> ChatEntry:
        self.last_entry = max(self.last_entry, record.entry_id)
        entry = ChatEntry(record.entry_id, role, record.text, record.at)
        match record:
            case Noted():
                entry = replace(entry, level=record.level)
            case Compacted():
                entry = replace(entry, details=_details(record))
            case AssistantSaid():
                entry = replace(
                    entry,
                    citations=record.citations,
                    interrupted=record.interrupted,
                    offline=record.offline,
                    details=record.reasoning,
                )
        self.chat.append(entry)
        return entry

    def _assistant(self, record: AssistantSaid) -> ChatEntry | None:
        self._live.clear()
        self.spent += record.spent
        if record.text or record.calls or record.interrupted:
            said = AssistantMessage(record.text, record.calls, record.interrupted, record.reasoning)
            self._message(said)
            if record.context:
                self._counted = _Counted(record.context, len(self.messages))
        shown = record.text.strip() or record.interrupted
        return self._entry("assistant", record) if shown else None

    def _tool(self, record: ToolEnded) -> None:
        entry = record.entry
        self.tools[entry.call_id] = entry
        self.last_entry = max(self.last_entry, entry.after)  # what it is behind need not be stored
        self.evidence.add(entry.hits)
        was_read = record.content is not None or entry.parent  # not so an ingest of the user's own
        if entry.hits or (was_read and entry.name in FOREIGN_TOOLS):
            self.foreign = True
        if record.content is not None:
            failed = entry.state is not ToolState.DONE
            answer = ToolMessage(entry.call_id, entry.name, record.content, entry.hits, failed)
            self._message(answer)

    def _forget(self) -> None:
        self.messages.clear()
        self.chat.clear()
        self.tools.clear()
        self._live.clear()
        self.evidence = Evidence()
        self.foreign = False
        self.said = 0
        self.todos = ()
        self._counted = _Counted()


class _Counted:
    """How far the server's own count reaches, and a running estimate of what came behind it.

    Args:
        tokens: The server's count, with everything a request has before its messages; 0 for none.
        messages: How many messages it counted.
    """

    def __init__(self, tokens: int = 0, messages: int = 0) -> None:
        self.tokens = tokens
        self._reached = messages
        self._estimate = 0

    def since(self, messages: Sequence[Message]) -> int:
        """The estimate; each message is looked at once."""
        self._estimate += total_tokens(islice(messages, self._reached, None))
        self._reached = len(messages)
        return self._estimate


def _details(record: Compacted) -> str:
    """What a compaction made of the history: its lengths when they are known, and the new summary if any."""
    lengths = _("约 {before} → {after} 个 token") if record.before_tokens else ""
    told = lengths.format(before=record.before_tokens, after=record.after_tokens)
    return "\n\n".join(filter(None, [told, *record.parts[-1:]]))


def cancelled(entry: ToolEntry) -> ToolEnded:
    """The end of a tool call that was stopped; what it had come to stays."""
    summary = _("已取消")
    text = f"{entry.result}\n{summary}" if entry.result else summary
    return ToolEnded(replace(entry, state=ToolState.CANCELLED, summary=summary, result=text), text)
