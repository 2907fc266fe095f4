"""The documents of the knowledge panel: which of them are shown, under which headings, in which order.

Nothing here touches a widget: for thousands of documents it is called in a thread.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import PurePosixPath
from typing import TypeVar
from urllib.parse import urlsplit

from geekagent_tui.i18n import _
from geekagent_tui.rag.model import Badge, Document, Selection, SourceKind
from geekagent_tui.ui.panels.knowledge_documents import DocumentRow, GroupRow
from geekagent_tui.ui.panels.knowledge_query import Wanted, chooser, format_of, host_of
from geekagent_tui.ui.text import one_line
from geekagent_tui.ui.widgets.row_list import Row

_E = TypeVar("_E", bound=StrEnum)


class Grouping(StrEnum):
    """What documents under one heading have in common."""

    PLACE = "place"
    TAG = "tag"
    KIND = "kind"

    @property
    def word(self) -> str:
        """As the panel tells it."""
        return {Grouping.PLACE: _("来源"), Grouping.TAG: _("标签"), Grouping.KIND: _("类型")}[self]

    @property
    def next(self) -> Grouping:
        """The one after it, round at the end."""
        return _after(self)


class Order(StrEnum):
    """What documents under one heading are sorted by."""

    TITLE = "title"
    ADDED = "added"
    SIZE = "size"
    BADGE = "badge"

    @property
    def word(self) -> str:
        """As the panel tells it."""
        return {
            Order.TITLE: _("标题"),
            Order.ADDED: _("加入时间"),
            Order.SIZE: _("字数"),
            Order.BADGE: _("状态"),
        }[self]

    @property
    def next(self) -> Order:
        """The one after it, round at the end."""
        return _after(self)


def _after(member: _E) -> _E:
    members = list(type(member))
    return members[(members.index(member) + 1) % len(members)]


@dataclass(frozen=True, slots=True)
class View:
    """How the documents are shown."""

    grouping: Grouping = Grouping.PLACE
    order: Order = Order.TITLE
    closed: frozenset[str] = frozenset()
    wanted: Wanted = field(default_factory=Wanted)


class Shelf:
    """All documents, ready to be looked through.

    Attributes:
        tag_counts: The tags in use, the most used first, with how many documents have each.
        hosts: The hosts of the pages.
    """

    def __init__(self, documents: Iterable[Document]) -> None:
        self._documents = {document.id: document for document in documents}
        counts = Counter(tag for document in self._documents.values() for tag in document.tags)
        self.tag_counts = dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
        self.hosts = tuple(sorted({host for d in self._documents.values() if (host := host_of(d))}))
        self._texts = {number: _text(document) for number, document in self._documents.items()}

    def __len__(self) -> int:
        return len(self._documents)

    def get(self, document_id: int) -> Document | None:
        """A document; None when it is not there any more."""
        return self._documents.get(document_id)

    def under(self, name: str, view: View) -> list[Document]:
        """The documents under a heading of a view."""
        return [d for d in self.find(view.wanted) if name in _groups(d, view.grouping)]

    def selection(self, name: str, view: View) -> Selection:
        """The documents under a heading as a selection, one that new documents fall into where that goes."""
        if name and view.grouping is Grouping.TAG:
            return Selection(tags=(name,))
        if name and view.grouping is Grouping.PLACE:
            return Selection(sources=(name,))
        if name and view.grouping is Grouping.KIND:
            return Selection(kinds=(name,))
        return Selection(documents=tuple(document.id for document in self.under(name, view)))

    def find(self, wanted: Wanted) -> list[Document]:
        """The documents that a filter leaves: every word occurs in title, source or tags."""
        words = wanted.text.casefold().split()
        found: Iterable[Document] = self._documents.values()
        if words:
            found = [d for d in found if all(word in self._texts[d.id] for word in words)]
        if wanted.selection:
            found = filter(chooser(wanted.selection), found)
        return list(found)

    def rows(self, view: View, marks: AbstractSet[int]) -> list[Row]:
        """The documents that a view shows, under their headings."""
        found = self.find(view.wanted)
        filtered = bool(view.wanted.text or view.wanted.selection)
        titles = Counter(_title(document) for document in found)
        groups: dict[str, list[Document]] = {}
        for document in sorted(found, key=lambda d: _key(d, view.order)):
            for name in _groups(document, view.grouping):
                groups.setdefault(name, []).append(document)
        rows: list[Row] = []
        for place, name in enumerate(sorted(groups, key=lambda name: (name == "", name))):
            opened = filtered or name not in view.closed
            rows.append(GroupRow(name, _label(name, view.grouping), len(groups[name]), opened=opened))
            if opened:
                rows += [
                    DocumentRow(f"document:{d.id}:{place}", d, marks, shared=titles[_title(d)] > 1)
                    for d in groups[name]
                ]
        return rows


def group_of(document: Document) -> str:
    """The host of a page, the folder of a file; "" for a file right in the workspace."""
    if document.kind is SourceKind.URL:
        return urlsplit(document.source).netloc or document.source
    parent = str(PurePosixPath(document.source).parent)
    return "" if parent == "." else parent


def _groups(document: Document, grouping: Grouping) -> Sequence[str]:
    match grouping:
        case Grouping.PLACE:
            return (group_of(document),)
        case Grouping.TAG:
            return document.tags or ("",)
        case Grouping.KIND:
            return (format_of(document),)


def _label(name: str, grouping: Grouping) -> str:
    if grouping is Grouping.TAG:
        return f"#{name}" if name else _("没有标签")
    if grouping is Grouping.KIND:
        return name or _("没有扩展名")
    return name or _("本地")


def _title(document: Document) -> str:
    return one_line(document.title).casefold()


def _text(document: Document) -> str:
    tags = "".join(f"\n#{tag}" for tag in document.tags)
    return f"{document.title}\n{document.source}{tags}".casefold()


_RANKS = {badge: rank for rank, badge in enumerate(Badge)}


def _key(document: Document, order: Order) -> tuple[float, str, int]:
    title = document.title.casefold()
    match order:
        case Order.TITLE:
            return 0, title, document.id
        case Order.ADDED:
            return -document.added_at.timestamp(), "", -document.id
        case Order.SIZE:
            return -document.characters, title, document.id
        case Order.BADGE:
            return len(_RANKS) if document.badge is None else _RANKS[document.badge], title, document.id
