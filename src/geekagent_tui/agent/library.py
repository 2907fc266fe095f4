"""What the user does with the knowledge base: one room for all of it."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from geekagent_tui.agent.cited import cited_passage
from geekagent_tui.agent.citings import Citings
from geekagent_tui.agent.embedding import Embedding
from geekagent_tui.agent.events import Citation, Cited, CitedPassage, Event, Level
from geekagent_tui.agent.failures import Failures
from geekagent_tui.agent.focusing import Focusing
from geekagent_tui.agent.ingest import Ingests
from geekagent_tui.agent.ingest_report import IngestReport
from geekagent_tui.agent.journal import Journal
from geekagent_tui.agent.knowledge import Knowledge
from geekagent_tui.agent.permissions import Permissions
from geekagent_tui.agent.removal import Removal
from geekagent_tui.agent.tagging import Tagging
from geekagent_tui.config import Policy
from geekagent_tui.i18n import _, ngettext
from geekagent_tui.paths import Workspace
from geekagent_tui.rag.errors import RagError
from geekagent_tui.rag.model import DocumentText, IngestResult, SearchResult, Selection, SourcePreview

if TYPE_CHECKING:
    from geekagent_tui.rag.service import RagService

_log = logging.getLogger(__name__)


class Library:
    """The knowledge base as an agent and its user work with it.

    Args:
        rag: The knowledge base.
        workspace: Where it is.
        journal: Where it is told how things went.
        permissions: What may be done.
        publish: Tells the front ends.
        moved: Called when figures of the status line may have changed.

    Attributes:
        knowledge: The list of documents.
        ingests: What is being brought in.
        removal: Removing and undoing it.
        tagging: Tags.
        focusing: What the session is limited to.
        embedding: How far dense retrieval is.
    """

    def __init__(
        self,
        rag: RagService,
        workspace: Workspace,
        journal: Journal,
        permissions: Permissions,
        publish: Callable[[Event], None],
        moved: Callable[[], None],
    ) -> None:
        self._rag = rag
        self._journal = journal
        self._permissions = permissions
        self._moved = moved
        self._resumes = False
        self._taken_up: set[str] = set()
        self._citings = Citings(workspace.sessions)
        self.focusing = Focusing(rag, journal, moved)
        self.embedding = Embedding(rag, moved)
        self.knowledge = Knowledge(rag, publish, self._looked)
        after: Callable[[], Awaitable[None]] = self._changed
        self.ingests = Ingests(
            rag, journal, permissions, publish, after, Failures(workspace.folder), self._take_up
        )
        self.removal = Removal(rag, journal, after)
        self.tagging = Tagging(rag, journal, after)

    async def start(self, *, resume: bool) -> None:
        """Look once, then follow.

        Args:
            resume: Go on with what another process could not bring to its end, now and before each ingest.
        """
        await self.knowledge.start()
        await self.embedding.start()
        self._resumes = resume
        await self._take_up()

    async def close(self) -> None:
        """Stop everything, for good."""
        async with contextlib.AsyncExitStack() as stack:  # each step is taken even when one before it fails
            stack.push_async_callback(self.knowledge.close)
            stack.push_async_callback(self.embedding.close)
            stack.push_async_callback(self.ingests.close)

    def new_report(self) -> IngestReport:
        """A report for an ingest of the model, whose call is one entry of the tool log already."""
        return IngestReport(self._journal, log=False)

    # --- reading --------------------------------------------------------------------------------------

    async def preview(self, typed: Sequence[str], crawl: int = 0) -> list[SourcePreview]:
        """What typed words stand for, lines of list files too; no request of any kind is made.

        Raises:
            RagError: The knowledge base or a list file can't be read.
        """
        typed = await self._rag.listed(typed)
        return await self._rag.preview(list(dict.fromkeys(typed)), crawl=crawl)

    async def search(
        self, query: str, limit: int = 4, *, within: Selection | None = None, explain: bool = False
    ) -> SearchResult:
        """Search; the focus does not count here.

        Raises:
            RagError: The search failed.
        """
        return await self._rag.search(query, limit, within=within, explain=explain)

    async def document(self, document_id: int) -> DocumentText:
        """A document with its text and passages.

        Raises:
            UnknownDocumentError: There is none with this id.
        """
        return await self._rag.document(document_id)

    async def cited(self, document_id: int) -> tuple[Cited, ...]:
        """The answers of all sessions that cite a document, newest first."""
        await self._journal.written()
        return await self._citings.of(document_id)

    async def cited_passage(self, citation: Citation) -> CitedPassage:
        """The words that an answer of this session rests on, and whether the document still says so.

        Raises:
            RagError: The knowledge base can't be read.
        """
        return await cited_passage(self._rag, self._journal.conversation.evidence, citation)

    # --- changing -------------------------------------------------------------------------------------

    async def remove(self, sources: Sequence[str | int]) -> list[IngestResult]:
        """Remove documents by source, pattern or id; notices in the chat say how each ended."""
        return await self.removal.remove(sources)

    async def undo_remove(self) -> list[IngestResult]:
        """Bring back what was removed last; notices in the chat say so."""
        return await self.removal.undo()

    async def _looked(self) -> None:
        self.embedding.nudge()
        await self.focusing.look()

    async def _changed(self) -> None:
        await self.knowledge.moved()
        self._moved()

    async def _take_up(self) -> None:
        """Go on with interrupted batches; the user agreed to their sources when they began."""
        if not self._resumes:
            return
        try:
            found = await self._rag.interrupted()
            interrupted = [each for each in found if each.batch not in self._taken_up]
            batches = [each.batch for each in interrupted]
            if batches and self._permissions.policy("rag_add") is Policy.DENY:
                await self._rag.forget_interrupted(batches)
                told = _("上次采集被中断；设置里 rag_add 的策略是 deny，不再继续")
                self._journal.notice(f"[{told}]", Level.WARNING)
                return
        except RagError as error:
            _log.exception("looking for interrupted batches")
            told = _("上次中断的采集不能继续：{reason}").format(reason=error.message)
            self._journal.notice(f"[{told}]", Level.ERROR)
            return
        if batches:
            self._taken_up.update(batches)
            left = sum(len(each.left) for each in interrupted)
            told = ngettext(
                "上次采集被中断，继续处理剩余 {n} 个来源", "上次采集被中断，继续处理剩余 {n} 个来源", left
            )
            self._journal.notice(f"[{told.format(n=left)}]", Level.WARNING)
            self.ingests.start_interrupted(batches)
