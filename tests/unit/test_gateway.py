"""What comes in is clean, and what points into a text still points at the same words."""

from __future__ import annotations

from contextlib import aclosing

from geekagent_tui.agent import events as ev
from geekagent_tui.rag.model import (
    DocumentText,
    IngestResult,
    IngestState,
    Passage,
    SourceKind,
    SourcePreview,
)
from geekagent_tui.ui.gateway import Gateway
from support.pilot import NOW, EventSource, document

FOUL = "\x1b[31m\u202e甲\r\n\ud800"


async def first(gateway: Gateway, **wants: bool) -> ev.Snapshot:
    async with aclosing(gateway.events(**wants)) as events:
        async for event in events:
            assert isinstance(event, ev.Snapshot)
            return event
    raise AssertionError


async def test_citations_move_with_the_text() -> None:
    core = EventSource()
    text = f"{FOUL}《笔记》第 1 段{FOUL}"
    start = text.index("《")
    core.say("assistant", text, citations=(ev.Citation(start, start + 9, "笔记", 1, 1),))
    entry = (await first(Gateway(core), chat=True)).chat[0]
    citation = entry.citations[0]
    assert entry.text[citation.start : citation.end] == "《笔记》第 1 段"
    assert "\x1b" not in entry.text


async def test_passages_move_with_the_text() -> None:
    core = EventSource()
    known = document(1, FOUL, FOUL)
    text = f"{FOUL}第一{FOUL}第二"
    places = [text.index("第一"), text.index("第二")]
    core.texts[1] = DocumentText(
        known, text, tuple(Passage(n + 1, p, text[p : p + 2]) for n, p in enumerate(places))
    )
    found = await Gateway(core).document(1)
    for passage in found.passages:
        assert found.text[passage.start : passage.start + 2] == passage.text
    assert "\x1b" not in found.text + found.document.title + found.document.source


async def test_readers_get_what_they_show_only() -> None:
    core = EventSource(documents=[document(n, FOUL, FOUL) for n in range(1, 200)])
    core.say("user", FOUL)
    core.publish(ev.ToolChanged(ev.ToolEntry("a", FOUL, FOUL, FOUL, NOW)))
    bare = await first(Gateway(core))
    assert (bare.documents, bare.chat, bare.tools) == ((), (), ())
    full = await first(Gateway(core), documents=True, chat=True)
    assert len(full.documents) == 199
    assert "\x1b" not in repr(full).encode().decode("unicode_escape", "replace")


async def test_consent_names_sources_as_they_were_typed() -> None:
    core = EventSource()
    review = ev.IngestReview("r", tuple(SourcePreview(f"{n}{FOUL}", SourceKind.FILE, "") for n in range(3)))
    core.publish(review)
    gateway = Gateway(core)
    shown = (await first(gateway, interactive=True)).requests[0]
    assert isinstance(shown, ev.IngestReview)
    assert shown.previews[0].typed != review.previews[0].typed
    gateway.accept("r", [0, 2])
    assert core.answers == [("r", ev.IngestDecision((f"0{FOUL}", f"2{FOUL}")))]


async def test_what_is_over_is_kept_no_longer() -> None:
    core = EventSource()
    gateway = Gateway(core)
    events = gateway.events(interactive=True)
    await anext(events)
    core.publish(ev.IngestReview("r", (SourcePreview("a", SourceKind.FILE, ""),)))
    await anext(events)
    assert gateway._reviews
    core.publish(ev.RequestClosed("r"))
    await anext(events)
    assert not gateway._reviews
    for source in ("a.md", FOUL):
        core.publish(ev.IngestEnded(IngestResult(source, IngestState.FAILED)))
        await anext(events)
    assert list(gateway._failed.values()) == [FOUL]
    await events.aclose()
