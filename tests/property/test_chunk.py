"""Whatever the text: every passage fits, none is blank, nothing is lost."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from geekagent_tui.rag.chunk import OVERLAP, SIZE, Chunking, chunk, windows

LINES = st.one_of(
    st.text(max_size=60),
    st.sampled_from(
        [
            "",
            "# 标题",
            "## Sub",
            "===",
            "---",
            "```py",
            "~~~",
            "- item",
            "| a | b |",
            "    x",
            "👩‍👩‍👧‍👦" * 30,
        ]
    ),
    st.builds(lambda text, times: text * times, st.text(min_size=1, max_size=8), st.integers(1, 400)),
)
TEXTS = st.lists(LINES, max_size=25).map("\n".join)


@given(TEXTS)
def test_structure(text: str) -> None:
    found = chunk(text)
    covered = bytearray(len(text))
    for passage in found:
        assert 0 < passage.end - passage.start <= SIZE
        assert text[passage.start : passage.end].strip()
        covered[passage.start : passage.end] = b"\1" * (passage.end - passage.start)
    assert all(kept or character.isspace() for kept, character in zip(covered, text, strict=True))
    for before, after in pairwise(found):
        assert before.start < after.start
        assert before.end < after.end
        assert after.start >= before.end - OVERLAP


@given(TEXTS, st.integers(160, 900))
def test_windows(text: str, size: int) -> None:
    spans = windows(text, size)
    assert bool(spans) == bool(text)
    end = 0
    for start, stop in spans:
        assert len(text[start:stop].encode("utf-16-le", "surrogatepass")) <= 2 * size
        assert start <= end < stop
        end = stop
    assert end == len(text)


@given(TEXTS)
def test_no_window_is_blank(text: str) -> None:
    assert all(text[c.start : c.end].strip() for c in chunk(text, Chunking.WINDOW))
