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
    identifier = document.document.id
    found = await asyncio.to_thread(_found, document, citation, kept)
    if found is None:
        return CitedPassage(kept, TextState.CHANGED, identifier, citation.passage)
    return CitedPassage(kept or found.text, TextState.SAME, identifier, found.number)


async def _present(rag: RagService, citation: Citation) -> DocumentText | None:
    """The document as it is now: one that was removed and added again has another id."""
    if citation.document_id is not None:
        try:
            return await rag.document(citation.document_id)
        except UnknownDocumentError:
            pass
    found = await rag.find(citation.source) if citation.source else None
    return None if found is None else await rag.document(found.id)


def _found(document: DocumentText, citation: Citation, kept: str) -> Passage | None:
    """The passage that still has the cited words; where they are not known the number counts.

    The document may have been cut in another way since, so that they stand inside of a passage.
    """
    numbered = [passage for passage in document.passages if passage.number == citation.passage]
    wanted = citation.digest or (digest(kept) if kept else "")
    if not wanted:
        return numbered[0] if numbered else None
    for passage in (*numbered, *document.passages):
        if digest(passage.text) == wanted:
            return passage
    place = document.text.find(kept) if kept else -1
    behind = (passage for passage in reversed(document.passages) if 0 <= passage.start <= place)
    return next(behind, None)
