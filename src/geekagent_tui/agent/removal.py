"""Removing documents and undoing it, told in the chat."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from geekagent_tui.agent.events import Level
from geekagent_tui.agent.ingest_report import LINES
from geekagent_tui.agent.journal import Journal
from geekagent_tui.i18n import _, ngettext
from geekagent_tui.rag.model import IngestResult, IngestState
from geekagent_tui.rag.wording import describe, restored

if TYPE_CHECKING:
    from geekagent_tui.rag.service import RagService

_GOOD = (IngestState.REMOVED, IngestState.ADDED)


class Removal:
    """Removes documents, and brings them back.

    Args:
        rag: The knowledge base.
        journal: Where it is told.
        after: Called when it is done, before it is told.
    """

    def __init__(self, rag: RagService, journal: Journal, after: Callable[[], Awaitable[None]]) -> None:
        self._rag = rag
        self._journal = journal
        self._after = after

    async def remove(self, sources: Sequence[str | int]) -> list[IngestResult]:
        """Remove documents by source, pattern or id; lines in the chat say how each ended."""
        results = await self._rag.remove(sources)
        await self._after()
        self._tell(results, describe)
        if (rest := len(results) - LINES) > 0:
            message = ngettext("[还有 {n} 个，/rag undo 可恢复]", "[还有 {n} 个，/rag undo 可恢复]", rest)
            self._journal.notice(message.format(n=rest))
        return results

    async def undo(self) -> list[IngestResult]:
        """Bring back what was removed last; lines in the chat say so."""
        results = await self._rag.undo_remove()
        await self._after()
        self._tell(results, restored)
        if not results:
            self._journal.notice("[" + _("没有可以恢复的移除") + "]")
        elif (rest := len(results) - LINES) > 0:
            self._journal.notice(ngettext("[还有 {n} 个]", "[还有 {n} 个]", rest).format(n=rest))
        return results

    def _tell(self, results: Sequence[IngestResult], sentence: Callable[[IngestResult], str]) -> None:
        for result in results[:LINES]:
            level = Level.INFO if result.state in _GOOD else Level.WARNING
            self._journal.notice(f"[{sentence(result)}]", level)
