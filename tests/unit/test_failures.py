"""What failed is remembered until it is tried again or succeeds."""

from __future__ import annotations

from pathlib import Path

from geekagent_tui.agent.failures import Adding, Again, Failures, Syncing, Typed
from geekagent_tui.rag.model import Growth, IngestResult, IngestState, Source, SourceKind

URL = "https://example.org/a"
SITE = Source(SourceKind.URL, "https://example.org/", "https://example.org/", Growth.LINKS, 20)


def ended(source: str, state: IngestState = IngestState.FAILED) -> IngestResult:
    return IngestResult(source, state)


def test_sources_keep_their_crawl_and_tags(tmp_path: Path) -> None:
    failures = Failures(tmp_path)
    origin = Adding((SITE,), ("海",))
    for name in (SITE.identity, URL, "notes/a.md"):
        failures.note(ended(name), origin)
    [again] = failures.take([])
    assert again.names == (SITE.identity, URL, "notes/a.md")
    assert again.origin == Adding(
        (
            SITE,
            Source(SourceKind.URL, URL, URL),  # found on the way, so it leads nowhere
            Source(SourceKind.FILE, "notes/a.md", str(tmp_path / "notes/a.md")),
        ),
        ("海",),
    )
    assert failures.take([]) == []


def test_what_belongs_together_is_tried_together(tmp_path: Path) -> None:
    failures = Failures(tmp_path)
    failures.note(ended("a"), Typed(3, ("x",)))
    failures.note(ended("b"), Syncing())
    failures.note(ended("c"), Typed(3, ("x",)))
    failures.note(ended("d"), Typed(0, ("x",)))
    assert failures.take(["d", "nothing", "b", "d"]) == [
        Again(Typed(0, ("x",)), ("d",)),
        Again(Syncing(), ("b",)),
    ]
    assert failures.take([]) == [Again(Typed(3, ("x",)), ("a", "c"))]


def test_what_succeeds_in_between_needs_no_second_try(tmp_path: Path) -> None:
    failures = Failures(tmp_path)
    for state in (IngestState.ADDED, IngestState.UPDATED, IngestState.UNCHANGED, IngestState.REMOVED):
        failures.note(ended("a"), Syncing())
        failures.note(ended("a", state), Syncing())
        assert failures.take([]) == []
    for state in (IngestState.CANCELLED, IngestState.SKIPPED):
        failures.note(ended("a"), Syncing())
        failures.note(ended("a", state), Syncing())
        assert len(failures.take([])) == 1
