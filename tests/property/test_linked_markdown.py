"""Markdown with numbered links: no text crashes it, nothing of a target gets into it, citations are found."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from markdown_it.token import Token

from geekagent_tui.agent.citations import Evidence
from geekagent_tui.agent.events import Citation
from geekagent_tui.rag.model import Hit
from geekagent_tui.ui.widgets.folded import fold
from geekagent_tui.ui.widgets.linked_markdown import Links

TEXT = st.text(
    st.one_of(st.sampled_from("[]()《》<>`*_#|!-\n \\第段1\ue000\ue001"), st.characters(codec="utf-8")),
    max_size=80,
)
MENTION = "《笔记 [1] *x*》第 2 段"


def hrefs(tokens: list[Token]) -> list[str]:
    found = []
    for token in tokens:
        found += [str(token.attrs[name]) for name in ("href", "src") if name in token.attrs]
        found += hrefs(token.children or [])
    return found


@given(TEXT, TEXT)
def test_only_numbers_get_into_links(before: str, after: str) -> None:
    text = before + MENTION + after
    links = Links()
    marked = links.mark(text, [Citation(len(before), len(before) + len(MENTION), "笔记", 2, 1)])
    tokens = links.parser().parse(marked)
    for href in hrefs(tokens):
        assert links.target(href) is not None
        assert href[0] in "cu"
        assert href[1:].isdecimal()
    plain = fold(links, marked).plain
    assert "\ue000" not in plain
    assert "\ue001" not in plain


def test_citations_of_an_answer_become_links_in_order() -> None:
    evidence = Evidence()
    evidence.add([Hit(7, "笔记", "n.md", 1, 0, "", "", 1.0), Hit(7, "笔记", "n.md", 2, 0, "", "", 1.0)])
    text = "`《笔记》第 1 段` 见**《笔记》第 1、2 段**，《别的》第 3 段。\n\n    《笔记》第 2 段\n"
    links = Links()
    marked = links.mark(text, evidence.find(text))
    found = [links.target(href) for href in hrefs(links.parser().parse(marked))]
    assert [(c.document_id, c.passage) for c in found if isinstance(c, Citation)] == [(7, 1), (7, 2)]
    folded = fold(links, marked).plain
    assert "《别的》第 3 段（未核实）" in folded
    assert "《笔记》第 1、2 段" in folded


def test_a_citation_tells_its_page_once() -> None:
    text = "见《书》第 2 段，又《书》第 2 段（第 7 页），还有《书》第 1、2 段。"
    mention = "《书》第 2 段"
    places = [text.index(mention), text.rindex(mention)]
    citations = [Citation(p, p + len(mention), "书", 2, 1, page=7) for p in places]
    start = text.index("《书》第 1")
    citations.append(Citation(start, start + 8, "书", 1, 1, page=6))
    links = Links()
    assert fold(links, links.mark(text, citations)).plain == (
        "见《书》第 2 段（第 7 页），又《书》第 2 段（第 7 页），还有《书》第 1、2 段。"
    )


@given(
    st.lists(
        st.tuples(st.sampled_from(["", "见", "。\n", "\n\n", " 另见 ", "\n- "]), st.integers(1, 9)),
        max_size=8,
    )
)
def test_every_link_leads_to_its_own_mention(pieces: list[tuple[str, int]]) -> None:
    text, citations = "", []
    for between, passage in pieces:
        mention = f"《笔记{passage}》第 {passage} 段"
        text += between or "，"
        citations.append(Citation(len(text), len(text) + len(mention), f"笔记{passage}", passage, passage))
        text += mention
    links = Links()
    tokens = links.parser().parse(links.mark(text, citations))
    shown = [token for block in tokens for token in block.children or ()]
    opened = [place for place, token in enumerate(shown) if token.type == "link_open"]
    assert len(opened) == len(pieces)
    for place in opened:
        target = links.target(str(shown[place].attrs["href"]))
        assert isinstance(target, Citation)
        assert shown[place + 1].content == f"《{target.title}》第 {target.passage} 段"


def test_nothing_else_is_a_target() -> None:
    links = Links()
    assert [links.target(href) for href in ("", "c0", "u0", "x1", "c-1", "u١", "javascript:1")] == [None] * 7
