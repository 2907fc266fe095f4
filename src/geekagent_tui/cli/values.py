"""The rag service's values as the contract's JSON, and what they mean for the exit code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from geekagent_tui.cli import FAILED, OK
from geekagent_tui.rag.model import Document, DocumentText, Hit, IngestResult, IngestState


def exit_code(results: Sequence[IngestResult]) -> int:
    """1 when any source failed, else 0."""
    return FAILED if any(result.state is IngestState.FAILED for result in results) else OK


def hit_value(hit: Hit) -> dict[str, Any]:
    """A hit as the contract's JSON; with `page` where there are pages, `shares` when asked to explain."""
    value: dict[str, Any] = {
        "id": hit.id,
        "title": hit.title,
        "source": hit.source,
        "passage": hit.passage,
        "start": hit.start,
        "text": hit.text,
        "heading": hit.heading,
        "score": hit.score,
    }
    if hit.page:
        value["page"] = hit.page
    return {**value, "shares": hit.shares} if hit.shares else value


def document_value(document: Document) -> dict[str, Any]:
    """A document as the contract's JSON, and what else is known about it."""
    return {
        "id": document.id,
        "title": document.title,
        "source": document.source,
        "passages": document.passages,
        "characters": document.characters,
        "added_at": document.added_at.isoformat(),
        "status": "indexed",
        "kind": document.kind.value,
        "tags": list(document.tags),
        "updated_at": document.updated_at.isoformat(),
        "checked_at": document.checked_at.isoformat() if document.checked_at else None,
        "problem": document.problem,
        "badge": document.badge.value if document.badge else None,
    }


def result_value(result: IngestResult) -> dict[str, Any]:
    """A source's end as the contract's JSON."""
    return {
        "id": result.id,
        "source": result.source,
        "state": result.state.value,
        "title": result.title,
        "characters": result.characters,
        "passages": result.passages,
        "reason": result.reason,
    }


def text_value(shown: DocumentText) -> dict[str, Any]:
    """A document with its text and passages as the contract's JSON."""
    return {
        "id": shown.document.id,
        "title": shown.document.title,
        "source": shown.document.source,
        "text": shown.text,
        "passages": [
            {
                "passage": passage.number,
                "start": passage.start,
                "text": passage.text,
                "heading": passage.heading,
                **({"page": passage.page} if passage.page else {}),
            }
            for passage in shown.passages
        ],
    }
