"""Whatever a file of questions holds, it is read or refused with a sentence."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from geekagent_tui.rag.question_file import Paragraphs, QuestionFileError, Wanted, read_question_file

KEY = st.sampled_from(["data", "paragraphs", "context", "qas", "question", "source", "passage", "text"])
VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEY, inner, max_size=4),
    max_leaves=12,
)
LINES = st.lists(VALUE.map(json.dumps), max_size=4).map(lambda lines: "\n".join(lines).encode())
WORDS = st.text(min_size=1, max_size=10).filter(str.strip)


@given(st.binary(max_size=60) | LINES)
def test_no_file_raises_anything_else(data: bytes) -> None:
    with TemporaryDirectory() as folder, contextlib.suppress(QuestionFileError):
        path = Path(folder) / "file"
        path.write_bytes(data)
        assert read_question_file(path)


@given(st.lists(st.tuples(WORDS, WORDS, st.integers(1), WORDS), min_size=1, max_size=4))
def test_every_line_comes_back(rows: list[tuple[str, str, int, str]]) -> None:
    lines = [dict(zip(("question", "source", "passage", "text"), row, strict=True)) for row in rows]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_text("\n".join(map(json.dumps, lines)))
        assert read_question_file(path) == tuple(Wanted(*row[:3], row[3:]) for row in rows)


@given(st.lists(st.lists(st.tuples(st.text(max_size=9), st.lists(st.text(max_size=9))), max_size=4)))
def test_every_paragraph_keeps_its_number(articles: list[list[tuple[str, list[str]]]]) -> None:
    data = [
        {
            "paragraphs": [
                {"context": text, "qas": [{"question": q} for q in asked]} for text, asked in article
            ]
        }
        for article in articles
    ]
    pool = [paragraph for article in articles for paragraph in article]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_text(json.dumps({"data": data}))
        try:
            found = read_question_file(path)
        except QuestionFileError:
            assert not any(asked for _text, asked in pool)
            return
    assert isinstance(found, Paragraphs)
    assert list(found.texts) == [text for text, _asked in pool]
    assert list(found.questions) == [(q, n) for n, (_text, asked) in enumerate(pool) for q in asked]
