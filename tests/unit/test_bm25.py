"""The ranking formula: the reference's golden values, and the index against the formula."""

from __future__ import annotations

from pathlib import Path

import pytest

from geekagent_tui.rag.analysis import Terms, analyse, analyse_query
from geekagent_tui.rag.fields import BOOSTS
from geekagent_tui.rag.index import Index, IndexedPassage
from support.exact_bm25 import reference_scores, rounded_length, term_scores

CHUNKS = [
    "历史压缩的触发阈值默认 4000 字符",
    "压缩保留最近 6 条",
    "TODO 列表由模型维护",
    "Go is not MongoDB",
]


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        ("压缩", [0.615060, 0.793946, 0, 0]),
        ("压缩 阈值", [1.683397, 0.793946, 0, 0]),
        ("go", [0, 0, 0, 1.578900]),
        ("历史 史压 压缩 缩的 的触 触发 发阈 阈值", [8.093422, 0.793946, 0, 0]),
    ],
)
def test_the_reference_s_golden_scores(tokens: str, expected: list[float]) -> None:
    assert reference_scores(tokens.split(), CHUNKS) == pytest.approx(expected, abs=5e-7)


def test_lengths_in_one_byte() -> None:
    lengths = [0, 1, 23, 24, 39, 40, 41, 42, 55, 56, 57, 59, 60, 800]
    assert [rounded_length(n) for n in lengths] == [0, 1, 23, 24, 39, 40, 40, 42, 54, 56, 56, 56, 60, 792]


BODIES = [
    *CHUNKS,
    "短语。" + "会话压缩之后，历史里只留下摘要和最近的消息。" * 9,
    "The agent compacts its history; compaction keeps the latest messages. " * 7,
    "Ключевые слова запроса и порог сжатия истории",
    "ประวัติการสนทนาถูกบีบอัดเมื่อยาวเกินไป",
]
TITLES = ["压缩", "压缩 笔记", "TODO", "Go", "历史压缩 历史压缩", "History", "История", ""]


@pytest.mark.parametrize(
    "question",
    [
        "历史压缩的触发阈值是多少？",
        "history compaction messages history",
        "порог сжатия",
        "ประวัติการสนทนา",
        "MongoDB 压缩",
    ],
)
def test_the_index_scores_by_the_formula(tmp_path: Path, question: str) -> None:
    bodies, titles = [analyse(body) for body in BODIES], [analyse(title) for title in TITLES]
    index = Index.open(tmp_path)
    passages = zip(titles, bodies, strict=True)
    index.rebuild(
        [IndexedPassage(n, 1, title, Terms(), body) for n, (title, body) in enumerate(passages, 1)], 1, "s"
    )
    query = analyse_query(question)
    asked = {
        "words": query.words,
        "title": query.words,
        "unigrams": query.unigrams,
        "trigrams": query.trigrams,
    }
    indexed = {
        "words": [body.words for body in bodies],
        "unigrams": [f"{body.unigrams} {body.trigrams}" for body in bodies],
        "trigrams": [f"{body.unigrams} {body.trigrams}" for body in bodies],
        "title": [title.words for title in titles],
    }
    found = {hit.document_id: hit for hit in index.reader().search(query, 100, explain=True)}

    def expected(name: str, *, rounded: bool) -> list[float]:
        documents = [terms.split() for terms in indexed[name]]
        return [
            BOOSTS[name] * score for score in term_scores(asked[name].split(), documents, rounded=rounded)
        ]

    for name in asked:
        rounded, exact = expected(name, rounded=True), expected(name, rounded=False)
        for number in range(1, len(BODIES) + 1):
            share = found[number].shares.get(name, 0.0) if number in found else 0.0
            assert share == pytest.approx(rounded[number - 1], rel=1e-5)
            assert share == pytest.approx(exact[number - 1], rel=0.07)
    for number, hit in found.items():
        assert hit.score == pytest.approx(
            sum(expected(name, rounded=True)[number - 1] for name in asked), rel=1e-5
        )
