"""The rag service's vocabulary: frozen values that cross its door.

Offsets and counts of characters are Unicode code points of a document's stored text, overlap counted once.
Passages count from 1, as users read them (《title》第 N 段).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class SourceKind(StrEnum):
    """Where a source's bytes come from."""

    URL = "url"
    FILE = "file"
    FOLDER = "folder"


class IngestState(StrEnum):
    """The one state in which a source ends."""

    ADDED = "added"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    SKIPPED = "skipped"
    FAILED = "failed"
    CANCELLED = "cancelled"
    REMOVED = "removed"


class Badge(StrEnum):
    """What is worth knowing about a document at a glance; the first that holds, in this order.

    FAILED: it could not be read when it was brought up to date last. STALE: its file has changed since it
    was read, or its address was not looked at for a long time. CHANGED, NEW: its text changed, or it was
    added, not long ago.
    """

    FAILED = "failed"
    STALE = "stale"
    CHANGED = "changed"
    NEW = "new"


class IngestPhase(StrEnum):
    """What is being done to a source right now."""

    QUEUED = "queued"
    FETCHING = "fetching"
    PARSING = "parsing"
    STORING = "storing"


class Growth(StrEnum):
    """How a web source leads to further pages while it is read."""

    LINKS = "links"
    SITEMAP = "sitemap"


@dataclass(frozen=True, slots=True)
class GivenText:
    """Text that is handed over as it is, because it can't be read from a place, such as standard input.

    Attributes:
        data: As it came, in any encoding.
        title: The document's title, which also names it; "" to take both from the text.
    """

    data: bytes = field(repr=False)
    title: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """One thing that becomes one document; one with a `growth` becomes several, or leads to them.

    Attributes:
        kind: URL or FILE, never FOLDER.
        identity: One spelling for one document: the URL without its fragment, or the path relative to the
            workspace with `/` (absolute when outside). It is the contract's `source`. Given text is a FILE
            `stdin:TITLE`, or `stdin:` and the first 16 hexadecimal digits of its SHA-256.
        location: What is really opened: the URL to request, or the absolute path; empty for given text.
        growth: Set when it leads to further pages.
        pages: How many pages it may become at most, itself included unless it is a sitemap.
        given: The content, when it was handed over.
    """

    kind: SourceKind
    identity: str
    location: str
    growth: Growth | None = None
    pages: int = 1
    given: GivenText | None = None


@dataclass(frozen=True, slots=True)
class SourcePreview:
    """What can be told about a typed source before consent: from its spelling and from `stat`, no request.

    Attributes:
        typed: The user's or the model's own words.
        kind: FOLDER also for a glob pattern.
        place: The host of a URL; of a file its folder, relative to the workspace when inside.
        sources: The documents it stands for; one, except for folders and globs.
        size: Bytes of the file, or of all files of a folder; None for a URL.
        modified: Time of last modification of a file, local time zone; None otherwise.
        known: How many of `sources` are in the knowledge base already.
        skipped: Files of a folder left out, by reason (ignored, binary, hidden ...).
        problem: A sentence when it can't be ingested (missing, outside the root ...), else empty.
        growth: How its one source leads to further pages, which nobody knows yet; None when it does not.
        pages: How many pages that may be at most.
    """

    typed: str
    kind: SourceKind
    place: str
    sources: tuple[Source, ...] = ()
    size: int | None = None
    modified: datetime | None = None
    known: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    problem: str = ""
    growth: Growth | None = None
    pages: int = 1


@dataclass(frozen=True, slots=True)
class Document:
    """One document as lists show it.

    Attributes:
        id: Positive and never used again.
        passages: How many it was cut into.
        characters: Length of its text.
        added_at: When it was first added, UTC.
        updated_at: When its text last changed, UTC.
        tags: In the order of their names.
        checked_at: When its source was last compared with it, UTC, to the day; None when never since then.
        problem: Why its source could not be read the last time, a sentence; empty when it could.
    """

    id: int
    title: str
    source: str
    kind: SourceKind
    passages: int
    characters: int
    added_at: datetime
    updated_at: datetime
    tags: tuple[str, ...] = ()
    checked_at: datetime | None = None
    problem: str = ""
    badge: Badge | None = None


@dataclass(frozen=True, slots=True)
class Selection:
    """The documents that a search, a list or a turn is limited to: those for which every given part holds.

    Attributes:
        documents: Ids; a document is one of them.
        tags: A document has one of them.
        sources: In any spelling, patterns, folders, or hosts; a document's source is, matches, or is in
            one of them.
        kinds: A document is of one of them: "url", "file", or the name of a format such as "pdf".
        since: A document was added or changed then or later, UTC. Together with `until`, one of the two
            lies between them.
        until: A document was added or changed before that, UTC.
    """

    documents: tuple[int, ...] = ()
    tags: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None

    def __bool__(self) -> bool:
        return self != Selection()


@dataclass(frozen=True, slots=True)
class Passage:
    """One citable piece of a document: `document.text[start:start + len(text)] == text`.

    Attributes:
        number: Counts from 1.
        heading: The path of headings above it, joined by " › "; may be empty.
        page: The page or slide on which it begins, from 1; 0 when the document has none.
    """

    number: int
    start: int
    text: str
    heading: str = ""
    page: int = 0


@dataclass(frozen=True, slots=True)
class DocumentText:
    """A document with all its text and passages."""

    document: Document
    text: str
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """One passage that answers a query.

    Attributes:
        id: The document's id.
        passage: The passage's number, from 1.
        start: Offset of `text` in the document's text.
        score: How well it answers: its fields' weighted BM25 scores in sum, what words and vectors add up to,
            or what the reranker says. Comparable within one result only, and there only among hits that the
            same of these has scored.
        shares: What each kind of match adds to the score, by name; empty unless asked for.
        page: The page or slide on which it begins, from 1; 0 when the document has none.
    """

    id: int
    title: str
    source: str
    passage: int
    start: int
    text: str
    heading: str
    score: float
    shares: dict[str, float] = field(default_factory=dict, hash=False)
    page: int = 0


class NoHits(StrEnum):
    """Why a search found nothing."""

    NO_TERMS = "no_terms"
    EMPTY_BASE = "empty_base"
    NO_MATCH = "no_match"
    NOT_SELECTED = "not_selected"


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits, best first, or the reason why there are none.

    Attributes:
        milliseconds: Time spent searching, measured inside the service.
        none: Set exactly when `hits` is empty.
        note: A sentence when something that was asked for had to be left out, such as a retriever whose
            server did not answer; else empty.
    """

    query: str
    hits: tuple[Hit, ...]
    milliseconds: float
    none: NoHits | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Stats:
    """The size of the knowledge base."""

    documents: int
    passages: int
    characters: int


@dataclass(frozen=True, slots=True)
class IngestResult:
    """How one source ended.

    Attributes:
        id: The document's id; None when there is no document.
        reason: A sentence for skipped, failed, unchanged and cancelled sources, else empty.
    """

    source: str
    state: IngestState
    id: int | None = None
    title: str = ""
    characters: int = 0
    passages: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class IngestProgress:
    """Where one source of a batch stands.

    Attributes:
        position: Counts from 1 to `total`.
        done: Bytes read so far.
        size: Bytes expected; None when the server did not tell.
    """

    source: str
    position: int
    total: int
    phase: IngestPhase
    done: int = 0
    size: int | None = None


@dataclass(frozen=True, slots=True)
class IngestFinished:
    """One source of a batch has ended; an added or updated one is durable by now."""

    result: IngestResult
    position: int
    total: int


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """Where a whole batch stands; told at most a few times a second, and once at its end.

    Attributes:
        done: Sources that have ended.
        total: Sources known so far; a crawl finds more.
        bytes: Bytes read so far.
        passages: Passages stored so far.
        failed: Sources that have failed.
        seconds: Since it began.
        seconds_left: An estimate; None while there is nothing to base one on.
    """

    done: int
    total: int
    bytes: int
    passages: int
    failed: int
    seconds: float
    seconds_left: float | None = None


IngestEvent = IngestProgress | IngestFinished | BatchProgress


@dataclass(frozen=True, slots=True)
class Interrupted:
    """A batch whose process ended before its work did.

    Attributes:
        batch: Names it.
        left: Sources that have not ended, in order.
        total: Sources that it had.
        began_at: When it began, UTC.
    """

    batch: str
    left: tuple[str, ...]
    total: int
    began_at: datetime


@dataclass(frozen=True, slots=True)
class DenseStatus:
    """How far the passages have vectors.

    Attributes:
        model: The embedding model's name; empty when dense retrieval is off.
        embedded: Passages that have a vector of this model.
        passages: All passages.
        problem: A sentence when vectors can't be made at the moment; else empty.
    """

    model: str = ""
    embedded: int = 0
    passages: int = 0
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """The knowledge base changed, in this process or another.

    Attributes:
        revision: Grows with every change.
    """

    revision: int
