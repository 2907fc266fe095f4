import unicodedata

from hypothesis import example, given
from hypothesis import strategies as st

from geekagent_tui.sanitize import clean, clean_line

# Surrogates too: they come from undecodable file names and from JSON escapes.
ANY_TEXT = st.text(st.characters(codec=None))


@given(ANY_TEXT)
@example("\x1b]52;c;aGk=\x07\x9b2J\u202e\ud800\x00\r")
def test_nothing_cleaned_can_steer_a_terminal(text: str) -> None:
    cleaned = clean(text)
    cleaned.encode("utf-8")
    assert not [c for c in cleaned if unicodedata.category(c) == "Cc" and c not in "\n\t"]
    assert not [
        c
        for c in cleaned
        if unicodedata.bidirectional(c) in {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    ]


@given(ANY_TEXT)
def test_cleaning_again_changes_nothing(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@given(ANY_TEXT)
def test_a_cleaned_line_is_one_line(text: str) -> None:
    assert len(clean_line(text).splitlines()) <= 1


@given(st.text(st.characters(categories=("L", "N", "P", "S", "M", "Zs"))))
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert clean(text) == text
