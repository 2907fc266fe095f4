"""A passage's pieces lose nothing, and each of its vectors is of a text of its own."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from geekagent_tui.rag.dense.keeper import _ordered, _texts
from geekagent_tui.rag.dense.pieces import described, pieces
from geekagent_tui.rag.dense.table import NUMBER, Unembedded

BLANKS = st.text(" \n\t\u3000\u00a0", max_size=20)
TEXTS = st.one_of(BLANKS, st.text(max_size=300), st.text("ab 。.\n！", max_size=600))
PARTS = st.integers(1, 4)


@given(TEXTS, PARTS)
def test_pieces_hold_the_whole_text(text: str, count: int) -> None:
    found = pieces(text, count)
    assert "".join("".join(found).split()) == "".join(text.split())
    assert all(piece.strip() for piece in found)
    assert len(found) <= count


@given(TEXTS, TEXTS, TEXTS, PARTS)
def test_what_is_embedded_is_never_blank(title: str, heading: str, text: str, count: int) -> None:
    found = described(title, heading, text, count)
    assert all(each.strip() for each in found)
    assert bool(found) == bool(text.strip())


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=5), PARTS, st.integers(1, 3))
def test_each_passage_has_its_own_vectors(passages: list[tuple[str, str]], parts: int, width: int) -> None:
    document = Unembedded(1, 1, "title", tuple(passages))
    texts, places = _texts(document, parts)
    size = NUMBER * width
    data = _ordered([(at + 1).to_bytes(size, "big") for at in range(len(texts))], width, places)
    assert len(data) == len(passages) * parts * size
    vectors = [int.from_bytes(data[at : at + size], "big") for at in range(0, len(data), size)]
    own = iter(texts)
    for number, (heading, text) in enumerate(passages):
        wanted = described(document.title, heading, text, parts)
        assert [next(own) for _ in wanted] == wanted
        got = vectors[number * parts : (number + 1) * parts]
        assert {texts[at - 1] for at in got if at} == set(wanted)
        assert (0 in got) == (not wanted)
