"""Tab strips and footnote marks: words whose place on the screen tells what they belong to."""

from __future__ import annotations

import html

from selectolax.lexbor import LexborHTMLParser, LexborNode

from geekagent_tui.rag.extract.dom import drop, element_after, elements, outermost

_STRIPS = "[role=tablist], ul.nav-tabs, .tabs-nav, .tabbed-labels, .tabs"
_NAMES = ("[role=tab]", "label", "li")
_CALLS = "sup > a[href^='#'], a.footnote-ref"
_BACK = "a.footnote-backref, a.footnote-back, a[role=doc-backlink], a[href*='fnref']"


def name_tabs(page: LexborHTMLParser) -> None:
    """Put each tab's name above its panel instead of in a strip of names above all.

    A strip that fits no panels is left alone when its links or labels could be the text, and goes otherwise.
    """
    for strip in outermost(page.css(_STRIPS)):
        names = next((found for name in _NAMES if (found := strip.css(name))), [])
        panels = _panels(strip)
        if names and len(names) == len(panels):
            for name, panel in zip([name.text() for name in names], panels, strict=True):
                panel.insert_before(_element("p", name))
        elif strip.css_first("[role=tab]") is None:
            continue
        drop([strip])


def bracket_footnotes(page: LexborHTMLParser) -> None:
    """Make a footnote's number `[1]`: glued to the word before it, it changes that; drop the way back."""
    for call in outermost(page.css(_CALLS)):
        number = call.text().strip()
        if number.isalnum():
            call.replace_with(f"[{number}]")
    drop(link for link in page.css(_BACK) if not any(map(str.isalnum, link.text())))


def _panels(strip: LexborNode) -> list[LexborNode]:
    """What the next element beside the strip holds."""
    beside = element_after(strip)
    return [] if beside is None else list(elements(beside))


def _element(tag: str, text: str) -> LexborNode:
    new = LexborHTMLParser(f"<{tag}>{html.escape(text.strip())}</{tag}>").css_first(tag)
    assert new is not None
    return new
