"""What an answer rested on: a cited passage's own words, and whether its document still says so."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from geekagent_tui.agent.citations import Evidence, digest
from geekagent_tui.agent.events import Citation, CitedPassage, TextState
from geekagent_tui.rag.errors import UnknownDocumentError
from geekagent_tui.rag.model import DocumentText, Passage

if TYPE_CHECKING:
    from geekagent_tui.rag.service import RagService


async def cited_passage(rag: RagService, evidence: Evidence, citation: Citation) -> CitedPassage:
    """The words behind a citation.

    Args:
        rag: The knowledge base.
        evidence: What the session retrieved: it keeps the words when the document is changed or removed.
        citation: One that was checked, with a `document_id`.

    Raises:
        RagError: The knowledge base can't be read.
    """
    kept = evidence.text(citation)
    document = await _present(rag, citation)
    if document is None:
        return CitedPassage(kept, TextState.GONE, None, citation.passage)
    wanted = citation.digest or (digest(kept) if kept else "")
    same = await asyncio.to_thread(_same, document, citation.passage, wanted)
    if same is None:
        return CitedPassage(kept, TextState.CHANGED, document.document.id, citation.passage)
    return CitedPassage(same.text, TextState.SAME, document.document.id, same.number)


async def _present(rag: RagService, citation: Citation) -> DocumentText | None:
    """The document as it is now: one that was removed and added again has another id."""
    if citation.document_id is not None:
        try:
            return await rag.document(citation.document_id)
        except UnknownDocumentError:
            pass
    found = await rag.find(citation.source) if citation.source else None
    return None if found is None else await rag.document(found.id)


def _same(document: DocumentText, number: int, wanted: str) -> Passage | None:
    """The passage with the cited words, the cited number first; where they are unknown the number counts."""
    for passage in sorted(document.passages, key=lambda each: each.number != number):
        if not wanted:
            return passage if passage.number == number else None
        if digest(passage.text) == wanted:
            return passage
    return None
