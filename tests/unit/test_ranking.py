"""From candidates to hits: the floor, repetitions, the share of one document."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from geekagent_tui.rag import ranking
from geekagent_tui.rag.analysis import Terms, analyse
from geekagent_tui.rag.index import Index, IndexedPassage
from geekagent_tui.rag.model import Hit, NoHits
from geekagent_tui.rag.reader import Scored

NOTES = [
    "历史压缩：消息越来越多，请求会超过上下文窗口。做法是把旧消息合并为一条摘要，只留下最近的消息。",
    "触发阈值由 MAX_HISTORY_CHARS 控制，默认 4000 个字符；超过阈值就压缩，最近的 6 条消息原样保留。",
    "TODO 列表让模型先拆解任务，再逐项完成；子 Agent 只做有边界的分析。",
    "The agent asks before it runs a shell command; tools are allowed, asked for or denied.",
]


class Base:
    """Passages in a list, standing for the store."""

    def __init__(self, folder: Path, documents: Sequence[Sequence[str]]) -> None:
        self.texts = {(d, n): text for d, texts in enumerate(documents, 1) for n, text in enumerate(texts, 1)}
        self.index = Index.open(folder)
        passages = [
            IndexedPassage(d, n, Terms(), Terms(), analyse(text)) for (d, n), text in self.texts.items()
        ]
        self.index.rebuild(passages, 1, "s")

    def read(self, found: Sequence[Scored]) -> list[Hit | None]:
        hits: list[Hit | None] = []
        for hit in found:
            text = self.texts.get((hit.document_id, hit.number))
            kept = text is not None
            hits.append(
                Hit(hit.document_id, "", "", hit.number, 0, text or "", "", hit.score) if kept else None
            )
        return hits

    def search(
        self, text: str, limit: int = ranking.LIMIT, documents: list[int] | None = None
    ) -> tuple[list[tuple[int, int]], NoHits | None]:
        hits, none = ranking.search(self.index, text, limit, self.read, documents)
        return [(hit.id, hit.passage) for hit in hits], none


@pytest.fixture
def notes(tmp_path: Path) -> Base:
    return Base(tmp_path, [[text] for text in NOTES])


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("这套笔记里，历史压缩相关的触发阈值是多少？", 2),
        ("什麼是歷史壓縮？", 1),
        ("MAX_HISTORY_CHARS", 2),
        ("任务怎么拆解？", 3),
        ("Which commands does the agent ask for?", 4),
        ("shel comand", 4),
    ],
)
def test_questions_find_their_passage(notes: Base, question: str, best: int) -> None:
    (first, *_rest), none = notes.search(question)
    assert (first, none) == ((best, 1), None)


@pytest.mark.parametrize("text", ["你好", "hello!", "谢谢", "？？？", ""])
def test_a_greeting_finds_nothing(notes: Base, text: str) -> None:
    assert notes.search(text) == ([], NoHits.NO_TERMS)


@pytest.mark.parametrize(
    "question",
    [
        "北京的人口是多少？",
        "红烧肉怎么做才好吃？",
        "What is the capital of France?",
        "Wer schrieb den Faust?",
        "zzqxv",
    ],
)
def test_what_the_base_can_not_answer_finds_nothing(notes: Base, question: str) -> None:
    assert notes.search(question) == ([], NoHits.NO_MATCH)


def test_a_term_that_every_passage_has_is_found_all_the_same(tmp_path: Path) -> None:
    base = Base(tmp_path, [["压缩的第一段", "压缩的第二段"]])
    assert len(base.search("压缩是怎么做的？")[0]) == 2


def test_an_empty_base_has_no_match(tmp_path: Path) -> None:
    assert Base(tmp_path, []).search("压缩") == ([], NoHits.NO_MATCH)


def test_a_text_that_repeats_counts_once(tmp_path: Path) -> None:
    copies = [["历史压缩 阈值"] for _ in range(60)]
    base = Base(tmp_path, [*copies, ["历史  压缩\n阈值"], ["历史压缩 阈值 以及更多的内容"]])
    assert base.search("历史压缩阈值")[0] == [(1, 1), (62, 1)]


def test_one_document_has_at_most_three_hits(tmp_path: Path) -> None:
    base = Base(tmp_path, [[f"历史压缩 阈值 {n}" for n in range(100)], ["其他 历史 内容 很长 " * 9 + "压缩"]])
    hits, _ = base.search("历史压缩阈值")
    assert [document for document, _ in hits] == [1, 1, 1, 2]


def test_what_scores_next_to_nothing_is_no_hit(notes: Base) -> None:
    assert notes.search("TODO 列表让模型拆解任务，控制")[0] == [(3, 1)]


def test_one_document_may_have_all_hits_when_it_is_asked_for(tmp_path: Path) -> None:
    base = Base(tmp_path, [[f"历史压缩 阈值 {n}" for n in range(9)], ["历史压缩"]])
    hits, _ = base.search("历史压缩阈值", limit=6, documents=[1])
    assert [document for document, _ in hits] == [1] * 6


def test_what_the_store_has_no_more_is_left_out(notes: Base) -> None:
    del notes.texts[2, 1]
    hits, none = notes.search("历史压缩相关的触发阈值")
    assert (2, 1) not in hits
    assert none is None
    notes.texts.clear()
    assert notes.search("历史压缩相关的触发阈值") == ([], NoHits.NO_MATCH)


def test_the_limit_is_kept(notes: Base) -> None:
    assert len(notes.search("历史压缩 消息", limit=1)[0]) == 1
