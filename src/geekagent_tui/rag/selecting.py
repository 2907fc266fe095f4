"""Which stored documents some words mean: an id, a source in any spelling, a pattern, a folder, a host."""

from __future__ import annotations

import os
from collections.abc import Callable
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


def selected(store: Store, name: str | int, workspace: Path) -> list[Document]:
    """The documents that are meant, in the order in which they were added.

    Args:
        store: The store.
        name: An id, a source in any spelling, or a pattern. In a path's pattern `*` stays inside a folder and
            `**` does not; in an address `*` is the only wildcard and stands for anything.
        workspace: What paths are relative to.
    """
    if isinstance(name, int):
        found = queries.document(store, name)
        return [found] if found else []
    found = queries.by_source(store, spellings(name, workspace))
    if found is not None:
        return [found]
    if not _has_wildcards(name):
        return []
    matches = _matching(name.strip(), workspace)
    return [each for each in queries.documents(store) if matches(each.source, each.kind)]


def meant(store: Store, name: str | int, workspace: Path) -> list[Document]:
    """`selected`, and when that is none, what is below a folder of this name."""
    found = selected(store, name, workspace)
    return found if found or isinstance(name, int) else below(store, name, workspace)


def below(store: Store, folder: str, workspace: Path) -> list[Document]:
    """The documents whose files are below a folder, in any spelling; it need not exist any more."""
    if not folder.strip():
        return []
    holds = _in_folder(folder, workspace)
    return [each for each in queries.documents(store) if holds(each.source, each.kind)]


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
    top = spellings(folder, workspace)[1].rstrip("/") + "/"
    if top == "./":  # the workspace itself
        return lambda source, kind: kind is SourceKind.FILE and not source.startswith("/")
    return lambda source, _kind: source.startswith(top)


def _on_host(word: str) -> Test:
    host = _host(word)
    if not host:
        return lambda _source, _kind: False

    def test(source: str, kind: SourceKind) -> bool:
        if kind is not SourceKind.URL or host not in source:
            return False
        site = site_of(source)
        return host in {site, site.partition(":")[0]} or site.partition(":")[0].endswith(f".{host}")

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
