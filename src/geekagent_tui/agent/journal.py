"""The journal: the one place where things happen to a conversation.

`record` adds to the conversation, to the session's file and to what front ends are told, in this order and
in one step, so the three can't differ. Writing is done by a thread of its own.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable
from datetime import datetime

from geekagent_tui.agent import events as ev
from geekagent_tui.agent.conversation import Conversation
from geekagent_tui.agent.messages import AssistantMessage
from geekagent_tui.agent.records import (
    AssistantSaid,
    CommandTyped,
    Dequeued,
    Forgotten,
    MetForeign,
    Noted,
    Partial,
    Queued,
    Record,
    ToolEnded,
    UserSaid,
)
from geekagent_tui.agent.session_writer import SessionWriter
from geekagent_tui.agent.sessions import SessionError, SessionFile
from geekagent_tui.i18n import _
from geekagent_tui.reasons import reason_of

SAVE_EVERY = 1.0
"""Seconds after which a fragment of an arriving answer is in the file at the latest."""


def now() -> datetime:
    """The time as records keep it: with the local zone."""
    return datetime.now().astimezone()


class Journal:
    """The open session.

    Args:
        file: Its file.
        conversation: What the file's records add up to.
        publish: Tells the front ends.
        offline: Tells whether the model is the built-in one.
    """

    def __init__(
        self,
        file: SessionFile,
        conversation: Conversation,
        publish: Callable[[ev.Event], None],
        *,
        offline: Callable[[], bool],
    ) -> None:
        self._publish = publish
        self._offline = offline
        self._fragments: list[str] = []
        self._timer: asyncio.TimerHandle | None = None
        self._failing = False
        self._open(file, conversation)

    @property
    def foreign(self) -> bool:
        """Whether foreign text was put before the model since the conversation began or was reset."""
        return self.conversation.foreign

    def turn(self) -> tuple[str, str]:
        """The present turn: a key that no other one has, and the user's message."""
        conversation = self.conversation
        for entry in reversed(conversation.chat):
            if entry.role == "user" and not entry.text.startswith("/"):
                return f"{conversation.session}#{entry.entry_id}", entry.text
        return conversation.session, ""

    # --- what happens ---------------------------------------------------------------------------------

    def record(self, *records: Record) -> None:
        """Add records and tell the front ends."""
        for record in records:
            if isinstance(record, AssistantSaid | Forgotten):
                self._drop_fragments()
            entry = self.conversation.apply(record)
            if entry is not None:
                self._publish(ev.ChatAdded(entry))
            if isinstance(record, ToolEnded):
                self._publish(ev.ToolChanged(record.entry))
        self._writer.write(records)

    def user(self, text: str) -> None:
        """A message to the model."""
        self.record(UserSaid(self.conversation.next_entry(), text, now()))

    def command(self, text: str) -> None:
        """A `/command` as it was typed."""
        self.record(CommandTyped(self.conversation.next_entry(), text, now()))

    def notice(self, text: str, level: ev.Level = ev.Level.INFO) -> None:
        """A notice that belongs to the session."""
        self.record(Noted(self.conversation.next_entry(), text, now(), level))

    def remark(self, text: str, level: ev.Level = ev.Level.INFO) -> None:
        """A notice about this run of the program: shown, not stored."""
        entry = self.conversation.apply(Noted(self.conversation.next_entry(), text, now(), level))
        if entry is not None:
            self._publish(ev.ChatAdded(entry))

    def fragment(self, text: str) -> None:
        """A fragment of the arriving answer; in the file within `SAVE_EVERY` seconds."""
        self.conversation.apply(Partial(text))
        self._publish(ev.AnswerDelta(text))
        self._fragments.append(text)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(SAVE_EVERY, self._save_fragments)

    def tool(self, entry: ev.ToolEntry) -> None:
        """A tool call began or moved; its end is a record."""
        self.conversation.tools[entry.call_id] = entry
        self._publish(ev.ToolChanged(entry))

    def forget(self) -> None:
        """`/reset`."""
        self.record(Forgotten())
        self._publish(ev.ChatCleared((), ()))

    def met_foreign(self) -> None:
        """Foreign text is about to come before the model, and no other record will say so."""
        if not self.foreign:
            self.record(MetForeign())

    def settle(self) -> None:
        """End what a stopped turn left open."""
        self.record(*self.conversation.settle(now(), offline=self._offline()))

    def stopped(self) -> None:
        """End what a stopped turn left open, and answer its question, so that it is not asked again."""
        self.settle()
        messages = self.conversation.messages
        if messages and not isinstance(messages[-1], AssistantMessage):
            entry = self.conversation.next_entry()
            self.record(AssistantSaid(entry, "", now(), interrupted=True, offline=self._offline()))

    async def replace(self, file: SessionFile, conversation: Conversation) -> None:
        """Go over to another session, with the messages that wait; no turn may be running.

        The old session can be opened again, by anyone, once this is done.
        """
        left = self._writer
        waiting = dict(self.conversation.waiting)
        self.record(*(Dequeued(key) for key in waiting))
        self._writer.close()
        self._open(file, conversation)
        self.record(*(Queued(key, text) for key, text in waiting.items()))
        self._publish(ev.ChatCleared(tuple(conversation.chat), tuple(conversation.tools.values())))
        await left.written()

    # --- the file -------------------------------------------------------------------------------------

    async def written(self) -> None:
        """Wait until everything recorded so far is in the file, or has failed to get there."""
        await self._writer.written()

    async def saved(self) -> str:
        """Wait until everything recorded so far is in the file.

        Returns:
            The session's id: it may have had to take another one.

        Raises:
            SessionError: It can't be written.
        """
        self._save_fragments()
        await self._writer.written()
        if self._writer.error is not None:
            raise SessionError(reason_of(self._writer.error))
        return self._file.session

    async def close(self) -> None:
        """Write what is left and let go of the file; safe to call twice."""
        self._save_fragments()
        self._writer.close()
        await self._writer.written()

    def _open(self, file: SessionFile, conversation: Conversation) -> None:
        """Take up a session; what a crash left unfinished is ended now."""
        self._file = file
        self._writer = SessionWriter(file, functools.partial(self._saved, file))
        self.conversation = conversation
        unfinished = conversation.settle(now(), offline=self._offline())
        for record in unfinished:
            conversation.apply(record)
        self._writer.write(unfinished)
        for sentence in file.notices:
            conversation.apply(Noted(conversation.next_entry(), sentence, now(), ev.Level.WARNING))

    def _saved(self, file: SessionFile, error: OSError | None) -> None:
        if error is None:
            self._failing = False
            if file is self._file:
                self.conversation.session = file.session  # it may have had to take another name
        elif not self._failing:
            self._failing = True
            self.remark(
                _("会话保存失败：{reason}。内容还在内存里，腾出空间后会继续保存。").format(
                    reason=reason_of(error)
                ),
                ev.Level.ERROR,
            )

    def _save_fragments(self) -> None:
        text = "".join(self._fragments)
        self._drop_fragments()
        if text:
            self._writer.write((Partial(text),), durable=False)

    def _drop_fragments(self) -> None:
        self._fragments.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
