"""Documents with pages: where each page begins in the text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from geekagent_tui.rag import limits
from geekagent_tui.rag.extract.tidy import tidy
from geekagent_tui.rag.failures import too_much_text


@dataclass(frozen=True, slots=True)
class Paged:
    """What a document says that may have pages.

    Attributes:
        title: May be empty.
        text: Tidy already when there are pages, so that their offsets stay right.
        pages: Where each page begins in `text`; an empty page begins where the next one does.
    """

    title: str
    text: str
    pages: tuple[int, ...] = ()


def join_pages(pages: Iterable[str]) -> tuple[str, tuple[int, ...]]:
    """One text of all pages, and the offset at which each begins.

    An empty page begins where the next one does. The text is tidy, so that the offsets stay right.

    Raises:
        TooLargeError: The limit of one document is reached.
    """
    most = limits.max_characters()
    parts: list[str] = []
    starts: list[int] = []
    size = 0
    for page in pages:
        page = tidy(page)
        starts.append(size)
        if page:
            parts.append(page)
            size += len(page) + 2
        if size > most + 2:
            raise too_much_text(size - 2, most)
    return "\n\n".join(parts), tuple(starts)
