"""The documents of the knowledge panel: which of them are shown, under which headings, in which order.

Nothing here touches a widget: for thousands of documents it is called in a thread.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, TypeVar

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


class _Entry(NamedTuple):
    """A document and what is asked of it again and again."""

    document: Document
    title: str
    text: str
    groups: Mapping[Grouping, Sequence[str]]


class Shelf:
    """All documents, ready to be looked through.

    Attributes:
        tag_counts: The tags in use, the most used first, with how many documents have each.
        hosts: The hosts of the pages.
        failed: The ids of the documents whose source could not be read the last time.
    """

    def __init__(self, documents: Iterable[Document]) -> None:
        self._entries = {document.id: _entry(document) for document in documents}
        self.failed = frozenset(
            number for number, entry in self._entries.items() if entry.document.badge is Badge.FAILED
        )
        self._sorted: dict[Order, list[_Entry]] = {}
        counts = Counter(tag for entry in self._entries.values() for tag in entry.document.tags)
        self.tag_counts = dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
        self.hosts = tuple(sorted({host for e in self._entries.values() if (host := host_of(e.document))}))

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, document_id: int) -> Document | None:
        """A document; None when it is not there any more."""
        entry = self._entries.get(document_id)
        return None if entry is None else entry.document

    def under(self, name: str, view: View) -> list[Document]:
        """The documents under a heading of a view."""
        found = _that(self._entries.values(), view.wanted)
        return [entry.document for entry in found if name in entry.groups[view.grouping]]

    def selection(self, view: View, name: str | None) -> Selection:
        """The documents of a view as a selection, one that new documents fall into where that goes.

        Args:
            view: Of the documents that its filter leaves.
            name: Only those under this heading; None for all.
        """
        found = self.find(view.wanted) if name is None else self.under(name, view)
        ids = {document.id for document in found}
        for selection in (view.wanted.selection, _named(name, view.grouping)):
            # A host means its subdomains too, a folder what is below it: then the heading means less.
            if selection and self._chosen(selection) == ids:
                return selection
        return Selection(documents=tuple(document.id for document in found))

    def _chosen(self, selection: Selection) -> set[int]:
        chosen = chooser(selection)
        return {number for number, entry in self._entries.items() if chosen(entry.document)}

    def find(self, wanted: Wanted) -> list[Document]:
        """The documents that a filter leaves: every word occurs in title, source or tags."""
        return [entry.document for entry in _that(self._entries.values(), wanted)]

    def rows(self, view: View, marks: AbstractSet[int]) -> list[Row]:
        """The documents that a view shows, under their headings."""
        found = list(_that(self._in(view.order), view.wanted))
        filtered = bool(view.wanted.text or view.wanted.selection)
        titles = Counter(entry.title for entry in found)
        groups: dict[str, list[_Entry]] = {}
        for entry in found:
            for name in entry.groups[view.grouping]:
                groups.setdefault(name, []).append(entry)
        rows: list[Row] = []
        for place, name in enumerate(sorted(groups, key=lambda name: (name == "", name))):
            opened = filtered or name not in view.closed
            rows.append(GroupRow(name, _label(name, view.grouping), len(groups[name]), opened=opened))
            if opened:
                rows += [
                    DocumentRow(
                        f"document:{e.document.id}:{place}", e.document, marks, shared=titles[e.title] > 1
                    )
                    for e in groups[name]
                ]
        return rows

    def _in(self, order: Order) -> list[_Entry]:
        """All of them in an order, worked out once."""
        if order not in self._sorted:
            self._sorted[order] = sorted(self._entries.values(), key=lambda entry: _key(entry, order))
        return self._sorted[order]


def _that(entries: Iterable[_Entry], wanted: Wanted) -> Iterable[_Entry]:
    """Those that a filter leaves, in their order."""
    if words := wanted.text.casefold().split():
        entries = [entry for entry in entries if all(word in entry.text for word in words)]
    if wanted.selection:
        chosen = chooser(wanted.selection)
        entries = [entry for entry in entries if chosen(entry.document)]
    return entries


def _entry(document: Document) -> _Entry:
    title = one_line(document.title).casefold()
    tags = "".join(f"\n#{tag}" for tag in document.tags)
    return _Entry(
        document,
        title,
        f"{document.title}\n{document.source}{tags}".casefold(),
        {
            Grouping.PLACE: (group_of(document),),
            Grouping.TAG: document.tags or ("",),
            Grouping.KIND: (format_of(document),),
        },
    )


def group_of(document: Document) -> str:
    """The host of a page, the folder of a file; "" for a file right in the workspace."""
    if document.kind is SourceKind.URL:
        return host_of(document) or document.source
    return document.source.rpartition("/")[0] or ("/" if document.source.startswith("/") else "")


def _label(name: str, grouping: Grouping) -> str:
    match grouping:
        case Grouping.TAG:
            return f"#{name}" if name else _("没有标签")
        case Grouping.KIND:
            return name or _("没有扩展名")
        case Grouping.PLACE:
            return name or _("本地")


def _named(name: str | None, grouping: Grouping) -> Selection:
    """A selection that may be what is under a heading."""
    match grouping:
        case _ if not name:
            return Selection()
        case Grouping.TAG:
            return Selection(tags=(name,))
        case Grouping.PLACE:
            return Selection(sources=(name,))
        case Grouping.KIND:
            return Selection(kinds=(name,))


_RANKS = {badge: rank for rank, badge in enumerate(Badge)}


def _key(entry: _Entry, order: Order) -> tuple[float, str, int]:
    document = entry.document
    match order:
        case Order.TITLE:
            return 0, entry.title, document.id
        case Order.ADDED:
            return -document.added_at.timestamp(), "", -document.id
        case Order.SIZE:
            return -document.characters, entry.title, document.id
        case Order.BADGE:
            return len(_RANKS) if document.badge is None else _RANKS[document.badge], entry.title, document.id
