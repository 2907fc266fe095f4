"""The agent: what every front end talks to."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from geekagent_tui.agent import events as ev
from geekagent_tui.agent.change_log import ChangeLog
from geekagent_tui.agent.changes import Changes
from geekagent_tui.agent.commands import COMMANDS, CommandInfo, Context, find, run_line
from geekagent_tui.agent.commands.models import take_up as take_up_model
from geekagent_tui.agent.commands.models import use
from geekagent_tui.agent.confined import Confined
from geekagent_tui.agent.conversation import Conversation
from geekagent_tui.agent.grants import GrantFile
from geekagent_tui.agent.guidance import Guidance
from geekagent_tui.agent.hub import Hub, Subscription
from geekagent_tui.agent.inbox import Inbox
from geekagent_tui.agent.journal import Journal
from geekagent_tui.agent.library import Library
from geekagent_tui.agent.memory import Memory
from geekagent_tui.agent.models.base import ChatModel
from geekagent_tui.agent.models.switch import Models
from geekagent_tui.agent.opening import offer_archive, open_knowledge, prepare, take_up
from geekagent_tui.agent.permissions import Desk, Permissions
from geekagent_tui.agent.present import Present
from geekagent_tui.agent.recall import Recall, recall
from geekagent_tui.agent.sessions import SessionFile, Sessions
from geekagent_tui.agent.toolbox import toolbox
from geekagent_tui.agent.tools.registry import masked
from geekagent_tui.agent.turn import Turns
from geekagent_tui.config import Config
from geekagent_tui.paths import Workspace, grants_file
from geekagent_tui.rag.model import DocumentText, IngestResult, SearchResult, Selection, SourcePreview
from geekagent_tui.sanitize import hide_credentials

if TYPE_CHECKING:
    from geekagent_tui.rag.service import RagService

_log = logging.getLogger(__name__)

_MOVES_STATUS = (
    ev.ChatAdded,
    ev.ChatCleared,
    ev.ToolChanged,
    ev.TurnStarted,
    ev.TurnFinished,
)


class Agent:
    """One conversation on one workspace. Make it with `open`, end it with `close`.

    It owns its model and, unless one was handed in, its rag service.
    """

    def __init__(
        self,
        workspace: Workspace,
        config: Config,
        model: ChatModel,
        rag: RagService,
        memory: Memory,
        sessions: Sessions,
        file: SessionFile,
        conversation: Conversation,
        *,
        owns_rag: bool,
    ) -> None:
        self._model = Models(config, model)
        self._rag = rag
        self._owns_rag = owns_rag
        self._memory = memory
        self._mask = config.mask
        self._hub = Hub(lambda: self._present.snapshot(), self._unattended)
        self._desk = Desk(self._publish, lambda: self._hub.attended)
        self._permissions = Permissions(
            config.policies, self._desk, config.rules, GrantFile(grants_file(), workspace.folder)
        )
        self._journal = Journal(file, conversation, self._publish, offline=lambda: self._model.offline)
        self._library = Library(
            rag, workspace, self._journal, self._permissions, self._publish, self._pass_on
        )
        self._guidance = Guidance(workspace.folder, config, self._journal, self._library.focusing)
        skilled = self._guidance.skilled
        changes = Changes(ChangeLog(workspace.undo), Confined(config.root), self._journal.turn)
        self._tools = toolbox(
            config,
            rag,
            self._library,
            memory,
            self._permissions,
            self._journal,
            changes,
            skilled,
            self._model,
        )

        def before_messages() -> int:
            return self._guidance.tokens(self._tools.specs())

        self._turns = Turns(
            self._model,
            self._tools,
            self._journal,
            self._recall,
            self._guidance,
            self._publish,
            before_messages,
            self._tell_status,
        )
        self._inbox = Inbox(self._journal, self._tell_status)
        parts = (self._model, self._journal, self._library, memory, self._desk, self._turns, self._inbox)
        self._present = Present(*parts, self._guidance, before_messages)
        places = (rag, memory, sessions, self._journal, self._permissions, self._library, self._publish)
        self._context = Context(*places, self._inbox, workspace, self._model, self._turns, changes, skilled)
        self._status: ev.Status | None = None
        self._told = 0
        self._resumes = False

    @classmethod
    async def open(
        cls,
        workspace: Workspace,
        config: Config,
        model: ChatModel,
        *,
        rag: RagService | None = None,
        resume: bool = True,
    ) -> Agent:
        """Open the agent of a workspace; nothing heavy is loaded until it is needed.

        Args:
            workspace: Its `.geekagent/` is made when it is missing.
            config: Settings.
            model: Who answers; the agent closes it.
            rag: The knowledge base, when the caller has it open already; the caller closes it.
            resume: Go on with the session that was open last, and with ingests that were interrupted; else
                begin a new session and leave those alone.

        Raises:
            RagError: The knowledge base can't be opened.
            OSError: The workspace can't be written.
        """
        await asyncio.to_thread(prepare, workspace)
        owned = rag is None
        rag = rag or await open_knowledge(workspace, config)
        try:
            memory, sessions = Memory(workspace.memory), Sessions(workspace.sessions)
            file, conversation = await asyncio.to_thread(take_up, sessions, resume=resume)
        except BaseException:
            if owned:
                await rag.close()
            raise
        agent = cls(workspace, config, model, rag, memory, sessions, file, conversation, owns_rag=owned)
        try:
            await agent._start(config.notices, resume=resume)
        except BaseException:
            await agent.close()
            raise
        return agent

    # --- what front ends ask for ----------------------------------------------------------------------

    def subscribe(self, *, interactive: bool = False) -> Subscription:
        """The events, beginning with a `Snapshot`; use it as an async context manager and iterator.

        Args:
            interactive: This front end can answer requests. Without any such one they are refused.
        """
        return self._hub.subscribe(interactive=interactive)

    async def submit(self, text: str, *, literal: bool = False) -> None:
        """Take what the user typed: a message, or a `/command`.

        While a turn runs, messages queue (`Status.queued`), and so do commands that change the session;
        other commands run at once.

        Args:
            text: As typed; blank text is ignored, and passwords in web addresses are hidden for good.
            literal: It is a message even when it begins with `/`.
        """
        text = hide_credentials(text.strip())
        if not text:
            return
        if literal or not text.startswith("/"):
            self._inbox.put(text, self._turns.run, releases=True)
            return
        command, _rest = find(text)
        if command is None or not command.changes_session:
            await self._command(text)
            return
        waits = self._inbox.busy
        done = self._inbox.put(text, self._command, releases=False)
        if not waits:
            await done.wait()

    def queued(self) -> tuple[ev.QueuedMessage, ...]:
        """What waits for the running turn to end, oldest first."""
        return self._inbox.queued()

    def unqueue(self, key: str) -> bool:
        """Take back what waits; False when it waits no more."""
        return self._inbox.remove(key)

    def commands(self) -> tuple[CommandInfo, ...]:
        """The commands that `submit` takes, for completion and help, in the current language."""
        return tuple(command.described() for command in COMMANDS)

    def interrupt(self) -> bool:
        """Stop the running turn and keep what was said; what waits is held until the user's next message.

        Returns:
            False when no turn was running.
        """
        stopped = self._turns.interrupt()
        if stopped:
            self._inbox.hold()
        return stopped

    def answer(self, request_id: str, decision: ev.Decision) -> bool:
        """Answer a request; False when it has been answered or withdrawn."""
        return self._desk.answer(request_id, decision)

    # --- the knowledge base -----------------------------------------------------------------------------

    async def preview(self, typed: Sequence[str], crawl: int = 0) -> list[SourcePreview]:
        """What typed words stand for, before consent: no request of any kind is made."""
        return await self._library.preview(typed, crawl)

    async def ingest(self, typed: Sequence[str], crawl: int = 0, tags: Sequence[str] = ()) -> None:
        """Ask the user about sources, then ingest them in the background; see `Ingests.start`."""
        self._library.ingests.start(typed, crawl, tags)

    async def take_in(self, previews: Sequence[SourcePreview], *, tags: Sequence[str] = ()) -> None:
        """Ingest, in the background, what the user has agreed to in a dialog that showed these previews.

        Raises:
            RagError: One of the tags can't be one; nothing was begun.
        """
        self._library.ingests.start_agreed(previews, tags)

    async def retry(self, sources: Sequence[str] = ()) -> int:
        """Try sources again that failed in this run of the program; see `Ingests.retry`."""
        return self._library.ingests.retry(sources)

    async def sync(self, sources: Sequence[str] = (), *, prune: bool = False) -> None:
        """Bring known documents up to date in the background; told like an ingest.

        Args:
            sources: What `RagService.sync` takes; empty for all.
            prune: Whether documents whose source is gone are removed.
        """
        self._library.ingests.start_sync(sources, prune=prune)

    def cancel_ingest(self) -> bool:
        """Stop the user's running ingests and syncs; what is done stays. False when there is none."""
        return self._library.ingests.cancel()

    async def models(self) -> tuple[ev.ModelChoice, ...]:
        """The models there are; servers are asked now, all at once, for a second at most."""
        return await self._model.choices()

    async def use_model(self, choice: ev.ModelChoice) -> None:
        """Have another model answer from the next request on; the session keeps the choice.

        Raises:
            UnknownModelError: Its server is none of the settings and none of this machine's.
        """
        use(self._model, self._journal, choice)
        self._tell_status()

    async def tag(
        self, names: Sequence[str | int], *, add: Sequence[str] = (), remove: Sequence[str] = ()
    ) -> list[IngestResult]:
        """Put tags on documents and take others off; see `Tagging.tag`."""
        return await self._library.tagging.tag(names, add=add, remove=remove)

    async def focus(self, selection: Selection | None) -> ev.Focus | None:
        """Limit this session's turns to some documents; None ends that. `Status.focus` tells it as well."""
        return await self._library.focusing.choose(selection)

    async def search(
        self, query: str, limit: int = 4, *, within: Selection | None = None, explain: bool = False
    ) -> SearchResult:
        """Search the knowledge base, whatever the focus; see `RagService.search`."""
        return await self._library.search(query, limit, within=within, explain=explain)

    async def document(self, document_id: int) -> DocumentText:
        """A document with its text and passages.

        Raises:
            UnknownDocumentError: There is none with this id.
        """
        return await self._library.document(document_id)

    async def cited(self, document_id: int) -> tuple[ev.Cited, ...]:
        """The answers, of this and other sessions, that cite a document; newest first."""
        return await self._library.cited(document_id)

    async def cited_passage(self, citation: ev.Citation) -> ev.CitedPassage:
        """The words that a citation of this session rests on; see `Library.cited_passage`."""
        return await self._library.cited_passage(citation)

    async def remove(self, sources: Sequence[str | int]) -> list[IngestResult]:
        """Remove documents by source, pattern or id; notices in the chat say how each ended."""
        return await self._library.remove(sources)

    async def undo_remove(self) -> list[IngestResult]:
        """Bring back what was removed last; notices in the chat say so."""
        return await self._library.undo_remove()

    # --- its end --------------------------------------------------------------------------------------

    async def wait_idle(self) -> None:
        """Wait until no turn runs, nothing is queued but what is held, and no ingest runs."""
        while self._inbox.busy or self._library.ingests.busy:
            await self._inbox.wait()
            await self._library.ingests.wait()

    async def close(self) -> None:
        """Stop everything, save everything, let go of everything; safe to call twice.

        A batch that is being ingested stays in the queue, and goes on when an agent is opened here again; not
        so with an agent that was opened for a single question.
        """
        if self._resumes:
            self._library.ingests.keep()
        async with contextlib.AsyncExitStack() as stack:  # each step is taken even when one before it fails
            if self._owns_rag:
                stack.push_async_callback(self._rag.close)
            stack.push_async_callback(self._model.close)
            stack.callback(self._hub.close)
            stack.push_async_callback(self._journal.close)
            stack.push_async_callback(self._library.close)
            stack.push_async_callback(self._inbox.close)

    # --- the work -------------------------------------------------------------------------------------

    async def _command(self, line: str) -> None:
        await run_line(self._context, line)
        self._pass_on()

    async def _recall(self, question: str) -> Recall:
        within = self._library.focusing.within
        found = await recall(question, self._memory, self._rag, within, self._model.context_window)
        self._pass_on()
        return replace(found, text=self._mask(found.text), hits=masked(found.hits, self._mask))

    async def _start(self, notices: Sequence[str], *, resume: bool) -> None:
        self._resumes = resume
        await self._memory.load()
        await self._library.start(resume=resume)
        for sentence in (*notices, *await self._guidance.start()):
            self._journal.remark(sentence, ev.Level.WARNING)
        take_up_model(self._model, self._journal)
        self._pass_on()
        if resume:
            await offer_archive(self._context.sessions, self._context.workspace, self._journal)
        self._inbox.tell_unsent()

    def _pass_on(self) -> None:
        """Show what memory and the knowledge base have to say since the last time."""
        self._tell_status()
        told, self._told = self._told, len(self._rag.notices)
        for sentence in (*self._memory.take_notices(), *self._rag.notices[told:]):
            self._journal.remark(sentence, ev.Level.WARNING)

    def _unattended(self) -> None:
        self._desk.refuse_all()

    # --- what front ends are told ---------------------------------------------------------------------

    def _publish(self, event: ev.Event) -> None:
        self._hub.publish(event)
        if isinstance(event, ev.ChatCleared):
            take_up_model(self._model, self._journal)
        if isinstance(event, _MOVES_STATUS):
            self._tell_status()

    def _tell_status(self) -> None:
        status = self._present.status()
        if status != self._status:
            self._status = status
            self._hub.publish(ev.StatusChanged(status))
