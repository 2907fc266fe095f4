"""Whatever the text: terms that an index can take, the same for documents and queries."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from geekagent_tui.rag.analysis import Terms, analyse, analyse_query

TEXTS = st.one_of(
    st.text(max_size=300),
    st.text(st.characters(categories=["Cs", "Lo", "Mn"]), max_size=50),
    st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), max_size=100),
    st.text(st.sampled_from("aZ_.-+#',’9٣éßİ的是吗字กำَक्้ᄀ가\u200d^ \n"), max_size=200),
    st.builds(lambda text, times: text * times, st.text(min_size=1, max_size=4), st.integers(1, 300)),
)


def fields(terms: Terms) -> list[str]:
    return [terms.words, terms.unigrams, terms.trigrams]


@given(TEXTS)
def test_terms_are_what_an_index_takes(text: str) -> None:
    for terms in (analyse(text), analyse_query(text)):
        for field in fields(terms):
            assert field == " ".join(field.split())
            assert all(len(term.encode("utf-8", "surrogatepass")) <= 255 for term in field.split())


@given(TEXTS)
def test_a_query_has_no_word_that_the_same_text_as_a_document_lacks(text: str) -> None:
    document, query = analyse(text), analyse_query(text)
    assert set(query.unigrams.split()) <= set(document.unigrams.split())


@given(TEXTS)
def test_case_does_not_matter_for_plain_words(text: str) -> None:
    plain = " ".join(word for word in text.split() if word.isascii() and word.isalpha())
    assert analyse(plain.lower()) == analyse(plain.upper())
