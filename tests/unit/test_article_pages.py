"""Pages that say they are one article: news, reviews, posts."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from geekagent_tui.rag.extract.article import drop_beside_text
from geekagent_tui.rag.extract.html import extract_html

FIRST = "The council decided on Tuesday to keep the old bridge open until the new one has been tested. " * 3
SECOND = "Engineers had warned for years that the piers were moving, a few millimetres every winter. " * 3
LAST = "The new bridge is to open in spring, if the weather allows the last tests to be made in time. " * 3
OPEN_GRAPH = '<meta property="og:type" content="article">'
LINKED_DATA = '<script type="application/ld+json">{"@type": ["NewsArticle"], "headline": "x"}</script>'


def text_of(body: str, head: str = OPEN_GRAPH, title: str = "Old bridge stays open | The Daily") -> str:
    head = f"<head><title>{title}</title>{head}</head>"
    return extract_html(f"<!doctype html><html>{head}<body><main>{body}</main></body></html>")[1]


def paragraphs(*texts: str) -> str:
    return "\n\n".join(text.strip() for text in texts)


@pytest.mark.parametrize("head", [OPEN_GRAPH, LINKED_DATA])
def test_the_headline_is_the_title_and_not_text(head: str) -> None:
    body = f"<article><h1>Old bridge stays open</h1><p>{FIRST}</p><h2>Piers</h2><p>{SECOND}</p></article>"
    assert text_of(body, head) == paragraphs(FIRST, "## Piers", SECOND)


def test_other_pages_keep_their_first_heading() -> None:
    body = f"<article><h1>Old bridge stays open</h1><p>{FIRST}</p></article>"
    assert text_of(body, head="") == paragraphs("# Old bridge stays open", FIRST)


def test_a_heading_that_only_shares_words_with_the_title_stays() -> None:
    body = f"<article><p>{FIRST}</p><h2>Bridge</h2><p>{SECOND}</p></article>"
    assert "## Bridge" in text_of(body, title="Bridge closed, tunnel opened, ferry delayed")


def test_the_standfirst_that_is_the_description_goes() -> None:
    head = f'{OPEN_GRAPH}<meta name="description" content="Tests come first, says the council.">'
    body = f"<article><h2>Tests come first, says the council.</h2><p>{FIRST}</p></article>"
    assert text_of(body, head) == paragraphs(FIRST)


def test_lines_of_nothing_but_a_link_go() -> None:
    body = (
        f"<article><p>{FIRST}</p><p><strong><a href=/b>READ MORE ABOUT BRIDGES</a></strong></p>"
        f"<p><b>Related:</b> <a href=/c>Seven bridges that are older than they look</a></p><p>{SECOND}</p>"
        f"<p>{LAST}<br><a href=/d>Subscribe to our letter about bridges</a></p></article>"
    )
    assert text_of(body) == paragraphs(FIRST, SECOND, LAST)


@pytest.mark.parametrize(
    "block",
    [
        "<p>It was <a href=/b>the longest debate of the year</a> so far, and the last one.</p>",
        "<ul><li><a href=/c>The engineers' report of last winter</a></li></ul>",
        "<p><a href='https://example.org/plan'>https://example.org/plan</a></p>",
        "<p><a href=/short>Plan B</a></p>",
        "<h2><a href=/shop>A bridge of paper for the table</a></h2>",
    ],
)
def test_links_that_are_text_stay(block: str) -> None:
    page = LexborHTMLParser(f"<html><body>{block}</body></html>")
    before = page.html
    drop_beside_text(page)
    assert page.html == before


def test_a_tutorial_keeps_its_links_and_captions() -> None:
    body = (
        f"<article><p>{FIRST}</p><p><a href=/b>The complete example as one file</a></p><p><img src=a></p>"
        f"<p><em>Figure 1: the bridge</em></p><p>{SECOND}</p><pre>bridge --test</pre></article>"
    )
    text = text_of(body)
    assert "The complete example as one file" in text
    assert "Figure 1: the bridge" in text


def test_captions_below_pictures_go() -> None:
    body = (
        f"<article><p>{FIRST}</p><p><a href=/big><img src=a></a></p><p><em>The bridge in winter</em></p>"
        f"<p>{SECOND}</p><div><img src=b><br><span>The bridge in spring</span></div>"
        f"<p><em>Nobody</em> was hurt. {LAST}</p></article>"
    )
    assert text_of(body) == paragraphs(FIRST, SECOND, f"Nobody was hurt. {LAST}")


def test_cards_inside_sentences_go() -> None:
    card = (
        "<span class=x><span><img src=a><a href=/p>Ann Example</a><a href=/1>Ann Example opens a school</a>"
        "<a href=/2>Ann Example closes a road</a></span></span>"
    )
    body = f"<article><p>Mayor <a href=/p>Ann Example</a>{card} agreed. {FIRST}</p><p>{SECOND}</p></article>"
    assert text_of(body) == paragraphs(f"Mayor Ann Example agreed. {FIRST}", SECOND)


def test_what_stands_above_the_headline_goes_and_so_does_the_date_below_it() -> None:
    body = (
        "<div>Review</div><h1>Old bridge stays open</h1><p>Published 18 November 2019</p>"
        f"<p>{FIRST}</p><p>{SECOND}</p><h3>Comments</h3>"
    )
    assert text_of(body) == paragraphs(FIRST, SECOND)
    assert text_of(body, head="") == paragraphs("# Old bridge stays open", FIRST, SECOND)


def test_a_first_sentence_with_a_date_stays() -> None:
    body = f"<article><p>On 18 November 2019 the river rose.</p><p>{FIRST}</p><p>{SECOND}</p></article>"
    assert text_of(body).startswith("On 18 November 2019 the river rose.")


def test_a_list_of_releases_keeps_its_dates() -> None:
    body = f"<ul><li>2024-03-05 first</li><li>2024-04-05 second</li></ul><p>{FIRST}</p>"
    assert "- 2024-03-05 first\n- 2024-04-05 second" in text_of(body, head="")
