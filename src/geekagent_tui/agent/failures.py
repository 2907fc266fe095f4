"""The sources that failed in this run of the program, and how each of them is tried again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from geekagent_tui.rag.addresses import is_url
from geekagent_tui.rag.model import IngestResult, IngestState, Source, SourceKind

_MENDED = (IngestState.ADDED, IngestState.UPDATED, IngestState.UNCHANGED, IngestState.REMOVED)


@dataclass(frozen=True, slots=True)
class Adding:
    """A batch that adds sources the user has agreed to.

    Attributes:
        sources: What a batch meets besides them was found on the way.
        tags: Put on what is added.
    """

    sources: tuple[Source, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Syncing:
    """A batch that brings known documents up to date."""


@dataclass(frozen=True, slots=True)
class Typed:
    """Words that stand for nothing that could have been agreed to, such as a file that is missing."""

    crawl: int = 0
    tags: tuple[str, ...] = ()


Origin = Adding | Syncing | Typed


@dataclass(frozen=True, slots=True)
class Again:
    """What is to be tried again, together.

    Attributes:
        origin: Where it comes from.
        names: As results name them.
    """

    origin: Origin
    names: tuple[str, ...]


class Failures:
    """Remembers what failed until it succeeds or is tried again.

    Args:
        workspace: What identities of files are relative to.
    """

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace
        self._failed: dict[str, Origin] = {}

    def note(self, result: IngestResult, origin: Origin) -> None:
        """A source ended."""
        if result.state is IngestState.FAILED:
            self._failed[result.source] = origin
        elif result.state in _MENDED:
            self._failed.pop(result.source, None)

    def take(self, names: Sequence[str]) -> list[Again]:
        """What failed among these, or all of it when none is named; it counts as failed no longer."""
        chosen = [name for name in dict.fromkeys(names or self._failed) if name in self._failed]
        groups: dict[tuple[type[Origin], int, tuple[str, ...]], list[str]] = {}
        origins = {name: self._failed.pop(name) for name in chosen}
        for name, origin in origins.items():
            crawl = origin.crawl if isinstance(origin, Typed) else 0
            tags = () if isinstance(origin, Syncing) else origin.tags
            groups.setdefault((type(origin), crawl, tags), []).append(name)
        return [self._together(group, origins) for group in groups.values()]

    def _together(self, names: Sequence[str], origins: dict[str, Origin]) -> Again:
        first = origins[names[0]]
        if isinstance(first, Adding):
            first = Adding(self._sources(names, origins), first.tags)
        return Again(first, tuple(names))

    def _sources(self, names: Sequence[str], origins: dict[str, Origin]) -> tuple[Source, ...]:
        batches = {id(origin): origin.sources for origin in origins.values() if isinstance(origin, Adding)}
        agreed = {source.identity: source for sources in batches.values() for source in sources}
        return tuple(agreed.get(name) or self._found(name) for name in names)

    def _found(self, identity: str) -> Source:
        """A source that a batch met on its way, by itself."""
        if is_url(identity):
            return Source(SourceKind.URL, identity, identity)
        return Source(SourceKind.FILE, identity, str(self._workspace / identity))
