"""Which stored documents some words mean: an id, a source in any spelling, or a pattern."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from geekagent_tui.i18n import _
from geekagent_tui.rag import queries
from geekagent_tui.rag.addresses import is_url
from geekagent_tui.rag.listing import is_pattern, matcher
from geekagent_tui.rag.model import Document, SourceKind
from geekagent_tui.rag.naming import spellings
from geekagent_tui.rag.sources import identity_of
from geekagent_tui.rag.store import Store


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
    return _matching(queries.documents(store), name.strip(), workspace)


def below(store: Store, folder: str, workspace: Path) -> list[Document]:
    """The documents whose files are below a folder, in any spelling; it need not exist any more."""
    if not folder.strip():
        return []
    top = spellings(folder, workspace)[1].rstrip("/") + "/"
    documents = queries.documents(store)
    if top == "./":  # the workspace itself
        return [
            each for each in documents if each.kind is SourceKind.FILE and not each.source.startswith("/")
        ]
    return [each for each in documents if each.source.startswith(top)]


def unknown(name: str | int) -> str:
    """The sentence for words that mean no document."""
    if isinstance(name, str) and _has_wildcards(name):
        return _("知识库里没有匹配 {pattern} 的文档").format(pattern=name)
    return _("知识库里没有 {source}").format(source=name)


def _has_wildcards(name: str) -> bool:
    return "*" in name if is_url(name) else is_pattern(name)


def _matching(documents: Sequence[Document], pattern: str, workspace: Path) -> list[Document]:
    kind = SourceKind.URL if is_url(pattern) else SourceKind.FILE
    matches = _in_address(pattern) if kind is SourceKind.URL else matcher(_proper(pattern, workspace))
    return [each for each in documents if each.kind is kind and matches(each.source)]


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
