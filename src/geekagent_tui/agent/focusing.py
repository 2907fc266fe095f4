"""The focus: "only these documents". It belongs to the session and limits its turns and searches."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from geekagent_tui.agent.events import Focus, Level
from geekagent_tui.agent.journal import Journal
from geekagent_tui.agent.records import Focused
from geekagent_tui.agent.scope import label
from geekagent_tui.i18n import _, ngettext
from geekagent_tui.rag.errors import RagError
from geekagent_tui.rag.model import Document, Selection

if TYPE_CHECKING:
    from geekagent_tui.rag.service import RagService

_log = logging.getLogger(__name__)


class Focusing:
    """What the present session is limited to.

    Args:
        rag: The knowledge base.
        journal: The session, which keeps it.
        moved: Called when it was looked at.
    """

    def __init__(self, rag: RagService, journal: Journal, moved: Callable[[], None]) -> None:
        self._rag = rag
        self._journal = journal
        self._moved = moved
        self._seen: Focus | None = None
        self._looking = asyncio.Lock()

    @property
    def within(self) -> Selection | None:
        """The documents that the session's searches are limited to; None when to none."""
        return self._journal.conversation.focus

    @property
    def focus(self) -> Focus | None:
        """The same with what it means, as of the last look."""
        selection = self.within
        if selection is None:
            return None
        if self._seen is None or self._seen.selection != selection:
            return Focus(selection, label(selection, ()), len(selection.documents))
        return self._seen

    async def choose(self, selection: Selection | None) -> Focus | None:
        """Limit the session from now on, and tell what that means; None or an empty selection ends it."""
        chosen = selection or None
        if chosen != self.within:
            self._journal.record(Focused(chosen))
        await self.look()
        return self.focus

    async def look(self) -> None:
        """See what it means by now. Documents that are gone are dropped from it, and that is told."""
        async with self._looking:
            try:
                await self._look()
            except RagError:
                _log.exception("looking at the focus")
        self._moved()

    async def _look(self) -> None:
        selection = self.within
        if selection is None:
            return
        left = await self._rag.documents(selection)
        chosen = Selection(documents=selection.documents)
        present = left if selection == chosen or not chosen else await self._rag.documents(chosen)
        if self.within is not selection:  # another choice, or another session, came meanwhile
            return
        if selection.documents:
            selection = self._without_gone(selection, present)
        if selection is not None:
            self._seen = Focus(selection, label(selection, left), len(left))

    def _without_gone(self, selection: Selection, present: Sequence[Document]) -> Selection | None:
        known = {document.id for document in present}
        kept = tuple(identifier for identifier in selection.documents if identifier in known)
        gone = len(selection.documents) - len(kept)
        if not gone:
            return selection
        if not kept:
            self._journal.record(Focused(None))
            self._journal.notice("[" + _("选定的文档都已不在知识库里，现在检索全部文档") + "]", Level.WARNING)
            return None
        fewer = replace(selection, documents=kept)
        self._journal.record(Focused(fewer))
        told = ngettext("选定的文档里有 {n} 个已不在知识库里", "选定的文档里有 {n} 个已不在知识库里", gone)
        self._journal.notice("[" + told.format(n=gone) + "]", Level.WARNING)
        return fewer
