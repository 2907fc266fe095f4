"""The core's own words behind those on screen: what is shown is cleaned, what is asked for is not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from geekagent_tui.rag.kinds import ending
from geekagent_tui.rag.model import Document, Selection
from geekagent_tui.sanitize import clean


class Spelling:
    """What tags, sources, folders and kinds of documents are called where cleaning changed them.

    For thousands of documents it is made in a thread.

    Args:
        documents: As the core told of them.
    """

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = documents
        self._tags: dict[str, set[str]] = {}
        self._sources: dict[str, set[str]] = {}
        self._kinds: dict[str, set[str]] = {}
        for document in documents:
            for tag in document.tags:
                _keep(self._tags, tag)
            if (shown := clean(document.source)) != document.source:
                parents = PurePosixPath(document.source).parents
                for place in (document.source, *map(str, parents)):
                    _keep(self._sources, place)
                kind = ending(shown, document.kind)
                self._kinds.setdefault(kind, set()).add(ending(document.source, document.kind))

    def tags(self, shown: Iterable[str]) -> tuple[str, ...]:
        """The tags that are shown like these; one that isn't known is meant as it stands."""
        return _all(self._tags, shown)

    def selection(self, shown: Selection) -> Selection:
        """A selection by the words on screen, in the core's words."""
        return replace(
            shown,
            tags=self.tags(shown.tags),
            sources=_all(self._sources, shown.sources),
            kinds=_all(self._kinds, shown.kinds),
        )


def _keep(known: dict[str, set[str]], word: str) -> None:
    if (shown := clean(word)) != word:
        known.setdefault(shown, set()).add(word)


def _all(known: dict[str, set[str]], shown: Iterable[str]) -> tuple[str, ...]:
    """The words themselves as well: another document may be called exactly what is shown."""
    return tuple(dict.fromkeys(word for each in shown for word in (each, *sorted(known.get(each, ())))))
