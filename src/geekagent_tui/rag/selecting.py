"""Which stored documents some words mean: an id, a source in any spelling, a pattern, a folder, a host."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import islice, takewhile
from pathlib import Path

from geekagent_tui.i18n import _
from geekagent_tui.rag import queries
from geekagent_tui.rag.addresses import is_url, normalise, site_of
from geekagent_tui.rag.errors import SourceError
from geekagent_tui.rag.listing import is_pattern, matcher
from geekagent_tui.rag.model import Document, SourceKind
from geekagent_tui.rag.naming import spellings
from geekagent_tui.rag.sources import identity_of
from geekagent_tui.rag.store import Store

Test = Callable[[str, SourceKind], bool]
"""Whether a source of a kind is one of those that are meant."""
_HERE = "./"
"""What the workspace's own files would begin with, if that were told."""


def meant(store: Store, names: Sequence[str | int], workspace: Path) -> list[list[Document]]:
    """The documents that each of some words means, in the order in which they were added.

    Args:
        store: The store.
        names: Ids, sources in any spelling, patterns, or, when it is none of these, folders, which need not
            exist any more. In a path's pattern `*` stays inside a folder and `**` does not; in an address `*`
            is the only wildcard and stands for anything.
        workspace: What paths are relative to.
    """
    sources = _Sources(store)
    return [_meant(store, name, workspace, sources) for name in names]


class _Sources:
    """All sources, read once and only when a word is no source's own name."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @cached_property
    def all(self) -> list[tuple[str, SourceKind, int]]:
        """Source, kind and id of each document, in the order of the sources."""
        rows = self._store.connection.execute("SELECT source, kind, id FROM documents")
        return sorted((source, SourceKind(kind), id_) for source, kind, id_ in rows)

    def below(self, top: str) -> list[int]:
        """The ids of what begins with a text; of the many words of a call, few mean a folder."""
        first = bisect_left(self.all, (top,))
        found = takewhile(lambda each: each[0].startswith(top), islice(self.all, first, None))
        return sorted(id_ for _source, _kind, id_ in found)

    def passing(self, test: Test) -> list[int]:
        """The ids of what passes a test."""
        return sorted(id_ for source, kind, id_ in self.all if test(source, kind))


def _meant(store: Store, name: str | int, workspace: Path, sources: _Sources) -> list[Document]:
    if isinstance(name, int):
        found = queries.document(store, name)
    else:
        found = queries.by_source(store, spellings(name, workspace))
    if found is not None:
        return [found]
    if isinstance(name, int) or not name.strip():
        return []
    ids = sources.passing(_matching(name.strip(), workspace)) if _has_wildcards(name) else []
    if not ids:
        top = _top(name, workspace)
        ids = sources.passing(_is_here) if top == _HERE else sources.below(top)
    return queries.documents(store, ids) if ids else []


def named(name: str, workspace: Path) -> Test:
    """Whether a source is what a word of a `Selection` says, matches it, is below it, or on its host.

    Args:
        name: A source in any spelling, a pattern, a folder, or a host; one of a domain stands for all in it.
        workspace: What paths are relative to.
    """
    word = name.strip()
    if not word:
        return lambda _source, _kind: False
    spelled = spellings(name, workspace)
    tests = [_in_folder(word, workspace), _on_host(word)]
    if _has_wildcards(word):
        tests.append(_matching(word, workspace))
    return lambda source, kind: source in spelled or any(test(source, kind) for test in tests)


def unknown(name: str | int) -> str:
    """The sentence for words that mean no document."""
    if isinstance(name, str) and _has_wildcards(name):
        return _("知识库里没有匹配 {pattern} 的文档").format(pattern=name)
    return _("知识库里没有 {source}").format(source=name)


def _has_wildcards(name: str) -> bool:
    return "*" in name if is_url(name) else is_pattern(name)


def _matching(pattern: str, workspace: Path) -> Test:
    wanted = SourceKind.URL if is_url(pattern) else SourceKind.FILE
    matches = _in_address(pattern) if wanted is SourceKind.URL else matcher(_proper(pattern, workspace))
    return lambda source, kind: kind is wanted and matches(source)


def _in_folder(folder: str, workspace: Path) -> Test:
    top = _top(folder, workspace)
    return _is_here if top == _HERE else lambda source, _kind: source.startswith(top)


def _top(folder: str, workspace: Path) -> str:
    """What the sources in a folder begin with."""
    return spellings(folder, workspace)[1].rstrip("/") + "/"


def _is_here(source: str, kind: SourceKind) -> bool:
    return kind is SourceKind.FILE and not source.startswith("/")


def _on_host(word: str) -> Test:
    host = _host(word)
    if not host:
        return lambda _source, _kind: False

    def test(source: str, kind: SourceKind) -> bool:
        if kind is not SourceKind.URL or host not in source:
            return False
        site = site_of(source)
        name = site.partition(":")[0]
        # A word without a dot is no domain: `org` would be half the web
        return host in {site, name} or ("." in host and name.endswith(f".{host}"))

    return test


def _host(word: str) -> str:
    """The host, and port, that a word may be the name of, as addresses spell it; else empty."""
    word = word.removesuffix("/")
    if "/" in word:
        return ""
    try:
        return site_of(normalise(f"http://{word}"))
    except SourceError:
        return ""


def _in_address(pattern: str) -> Callable[[str], bool]:
    """Whether an address matches a pattern, in linear time."""
    first, *others = pattern.split("*")

    def matches(url: str) -> bool:
        if not (url.startswith(first) and url.endswith(others[-1])):
            return False
        place, end = len(first), len(url) - len(others[-1])
        for part in others[:-1]:
            found = url.find(part, place, end)
            if found < 0:
                return False
            place = found + len(part)
        return place <= end

    return matches


def _proper(pattern: str, workspace: Path) -> str:
    """A path's pattern as the sources that it is meant for are spelled."""
    try:
        path = Path(pattern).expanduser()
    except RuntimeError:
        path = Path(pattern)
    return identity_of(Path(os.path.normpath(workspace / path)), workspace)
