"""The full-text index's fields, and what a match in each is worth."""

from __future__ import annotations

from dataclasses import dataclass

from tantivy import Document, Schema, SchemaBuilder

from geekagent_tui.rag.analysis import Terms

BOOSTS = {"words": 1.0, "unigrams": 0.7, "trigrams": 0.5, "heading": 0.5, "title": 0.5}
"""Weight of the BM25 score by kind of match; `heading` and `title` are searched for the query's words.

Measured as in `bench/search.py`: from 0.5 to 0.9 for unigrams and from 0.3 to 0.8 for trigrams no set’s
MRR@10 moves by more than 0.004. Titles lift the one of CMRC from 0.988 to 0.991.
"""

FIELDS = {
    "words": "words",
    "unigrams": "parts",
    "trigrams": "parts",
    "heading": "heading",
    "title": "title",
}
"""The field of each kind. Parts of words share one, so that every passage has some, whatever its script: BM25
compares lengths with the average of all passages, and with a field of their own the few English passages of a
Chinese base would seem endless. With all sets in one pool, xquad.zh's MRR@10 rises from 0.958 to 0.961."""


@dataclass(frozen=True, slots=True)
class IndexedPassage:
    """One passage as the index takes it.

    Attributes:
        number: Counts from 1 within its document.
    """

    document_id: int
    number: int
    title: Terms
    heading: Terms
    body: Terms


def schema() -> Schema:
    """The numbers that name a passage, and its terms, already analysed."""
    builder = SchemaBuilder()
    # i64: on an unsigned field, deleting by term deletes nothing (tantivy-py 0.27).
    builder.add_integer_field("document", indexed=True, fast=True)
    builder.add_integer_field("number", indexed=True, fast=True)
    for name in dict.fromkeys(FIELDS.values()):
        builder.add_text_field(name, tokenizer_name="spaces", index_option="freq")
    return builder.build()


def entry(passage: IndexedPassage) -> Document:
    """A passage as Tantivy takes it."""
    document = Document()
    document.add_integer("document", passage.document_id)
    document.add_integer("number", passage.number)
    document.add_text("words", passage.body.words)
    document.add_text("parts", f"{passage.body.unigrams} {passage.body.trigrams}")
    document.add_text("heading", passage.heading.words)
    document.add_text("title", passage.title.words)
    return document
