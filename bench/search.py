"""Retrieval: quality on the sets of ../shared/data/retrieval, what the floor costs and keeps out, and speed.

`python bench/search.py [PASSAGES]` builds an index of so many made-up passages (100,000) for the speed table.
"""

from __future__ import annotations

import json
import random
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from unittest import mock

import opencc
from tantivy import Occur, Query

from geekagent_tui.rag import ranking
from geekagent_tui.rag.analysis import Terms, analyse, analyse_query
from geekagent_tui.rag.chunk import chunk
from geekagent_tui.rag.index import Index, IndexedPassage
from geekagent_tui.rag.model import Hit
from geekagent_tui.rag.reader import BOOSTS, Scored

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "retrieval"
SETS = ("xquad.zh", "xquad.zh traditional", "cmrc2018_trial", "xquad.en", "xquad.ru", "xquad.ar", "xquad.th")
BARS = (0.963, 0.963, 0.984, 0.960, 0.950, 0.943, 0.960)

Question = tuple[str, int]


class Pool:
    """Paragraphs, each one a document of one passage."""

    def __init__(self, folder: Path, paragraphs: Sequence[str]) -> None:
        self.paragraphs = paragraphs
        self.index = Index.open(folder)
        self.index.rebuild(
            (IndexedPassage(n, 1, Terms(), Terms(), analyse(text)) for n, text in enumerate(paragraphs)),
            1,
            "bench",
        )

    def read(self, found: Sequence[Scored]) -> list[Hit]:
        return [Hit(s.document_id, "", "", 1, 0, self.paragraphs[s.document_id], "", s.score) for s in found]

    def ranks(self, questions: Sequence[Question]) -> list[int | None]:
        """For each question, its paragraph's rank among ten, 0 when it isn't; None when nothing is found."""
        ranks: list[int | None] = []
        for text, wanted in questions:
            ids = [hit.id for hit in ranking.search(self.index, text, 10, self.read)[0]]
            ranks.append((ids.index(wanted) + 1 if wanted in ids else 0) if ids else None)
        return ranks


def load(name: str) -> tuple[list[str], list[Question]]:
    data = json.loads((DATA / f"{name.split()[0]}.json").read_text("utf-8"))["data"]
    paragraphs = [paragraph for article in data for paragraph in article["paragraphs"]]
    texts = [paragraph["context"] for paragraph in paragraphs]
    if name.endswith("traditional"):
        texts = [opencc.OpenCC("s2t").convert(text) for text in texts]
    questions = [(qa["question"], n) for n, paragraph in enumerate(paragraphs) for qa in paragraph["qas"]]
    return texts, questions


def mrr(ranks: Sequence[int | None]) -> float:
    return statistics.fmean(1 / rank if rank else 0.0 for rank in ranks)


def recall(ranks: Sequence[int | None], k: int) -> float:
    return statistics.fmean(bool(rank and rank <= k) for rank in ranks)


def quality(folder: Path) -> None:
    print("| set | R@1 | R@4 | R@10 | MRR@10 | bar | without floor | nothing found |")
    print("|---|---|---|---|---|---|---|---|")
    everything: tuple[list[str], dict[str, list[Question]]] = ([], {})
    for name, bar in zip(SETS, BARS, strict=True):
        texts, questions = load(name)
        pool = Pool(folder / name, texts)
        with mock.patch.object(ranking, "FLOOR", 0.0):
            bare = mrr(pool.ranks(questions))
        ranks = pool.ranks(questions)
        figures = " | ".join(f"{recall(ranks, k):.3f}" for k in (1, 4, 10))
        lost = sum(rank is None for rank in ranks)
        print(f"| {name} | {figures} | {mrr(ranks):.4f} | {bar} | {bare:.4f} | {lost} of {len(ranks)} |")
        if name != "xquad.zh traditional":
            everything[1][name] = [(text, n + len(everything[0])) for text, n in questions]
            everything[0].extend(texts)
    pool = Pool(folder / "everything", everything[0])
    figures = ", ".join(
        f"{name} {mrr(pool.ranks(questions)):.4f}" for name, questions in everything[1].items()
    )
    print(f"\nAll six files in one pool, MRR@10: {figures}\n")


def floor(folder: Path) -> None:
    """Questions about paragraphs that are in a small base, and about ones that aren't."""
    print("| set | passages | MRR@10 lost to the floor | foreign questions that find nothing |")
    print("|---|---|---|---|")
    choose = random.Random(1)
    for name in SETS:
        texts, questions = load(name)
        for size in (4, 12, 40, 120):
            lost, kept_out = [], []
            for run in range(min(12, 480 // size)):
                at = choose.randrange(len(texts) - size + 1)
                pool = Pool(folder / f"{name} {size} {run}", texts[at : at + size])
                own = [(text, n - at) for text, n in questions if at <= n < at + size]
                foreign = [(text, -1) for text, n in questions if not at - 6 <= n < at + size + 6]
                with mock.patch.object(ranking, "FLOOR", 0.0):
                    bare = mrr(pool.ranks(own))
                lost.append(bare - mrr(pool.ranks(own)))
                ranks = pool.ranks(choose.sample(foreign, min(60, len(foreign))))
                kept_out.append(statistics.fmean(rank is None for rank in ranks))
            print(f"| {name} | {size} | {statistics.fmean(lost):.4f} | {statistics.fmean(kept_out):.0%} |")
    print()


def speed(folder: Path, passages: int) -> None:
    texts = {name: load(name) for name in ("xquad.zh", "cmrc2018_trial", "xquad.en", "xquad.ru")}
    print("| text | chunk MB/s | analyse MB/s |")
    print("|---|---|---|")
    for name, (paragraphs, _questions) in texts.items():
        text = "\n\n".join(paragraphs)
        megabytes = len(text.encode()) / 1e6
        analyse(text)  # once, to load what it needs
        cutting, analysing = seconds(lambda text=text: chunk(text)), seconds(lambda text=text: analyse(text))
        print(f"| {name} | {megabytes / cutting:.0f} | {megabytes / analysing:.1f} |")

    choose = random.Random(7)
    sentences = [
        [s for text in texts[name][0] for s in re.findall(r"[^。！？.!?]+[。！？.!?]", text)]
        for name in ("cmrc2018_trial", "xquad.en")
    ]
    made = (make_passage(choose, sentences[n % 2]) for n in range(passages))
    index = Index.open(folder / "speed")
    building = seconds(
        lambda: index.rebuild(
            (
                IndexedPassage(n // 5, n % 5 + 1, Terms(), Terms(), analyse(text))
                for n, text in enumerate(made)
            ),
            1,
            "s",
        )
    )
    print(f"\n{passages:,} passages of 800 characters analysed and indexed in {building:.1f} s")
    new = [IndexedPassage(passages + n, 1, Terms(), Terms(), Terms("新")) for n in range(30)]
    adding = [milliseconds(lambda n=n: index.apply([], [new[n]], n + 2, "s")) for n in range(30)]
    print(f"one more document: median {statistics.median(adding):.0f} ms, max {max(adding):.0f} ms\n")
    print("| questions | raw Tantivy p50 | p99 | ranking.search p50 | p99 | ratio of means |")
    print("|---|---|---|---|---|---|")
    for name in ("cmrc2018_trial", "xquad.en"):
        asked = [text for text, _ in choose.sample(texts[name][1], 300)]
        compare(name, index, asked)


def make_passage(choose: random.Random, sentences: Sequence[str]) -> str:
    text = ""
    while len(text) < 800:
        text += choose.choice(sentences)
    return text[:800]


def compare(name: str, index: Index, questions: Sequence[str]) -> None:
    searcher = index._index.searcher()
    raw: list[Query] = []
    for question in questions:
        reader = index.reader()
        terms = reader._terms(analyse_query(question))
        clauses = [(Occur.Should, clause) for kind in BOOSTS for clause in reader._clauses(terms, kind)]
        raw.append(Query.boolean_query(clauses))

    def read(found: Sequence[Scored]) -> list[Hit]:
        return [
            Hit(s.document_id, "", "", s.number, 0, f"{s.document_id} {s.number}", "", s.score) for s in found
        ]

    theirs = [milliseconds(lambda query=query: searcher.search(query, 4, count=False)) for query in raw]
    ours = [milliseconds(lambda text=text: ranking.search(index, text, 4, read)) for text in questions]
    ratio = statistics.fmean(ours) / statistics.fmean(theirs)
    figures = " | ".join(f"{value:.2f} ms" for times in (theirs, ours) for value in percentiles(times))
    print(f"| {name} | {figures} | {ratio:.2f} |")


def percentiles(times: Sequence[float]) -> tuple[float, float]:
    cuts = statistics.quantiles(times, n=100)
    return cuts[49], cuts[98]


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def milliseconds(work: Callable[[], object]) -> float:
    return seconds(work) * 1e3


def main() -> None:
    if not DATA.is_dir():
        print(f"skipped: {DATA} is not there")
        return
    with tempfile.TemporaryDirectory() as folder:
        quality(Path(folder))
        floor(Path(folder))
        speed(Path(folder), int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)


if __name__ == "__main__":
    main()
