"""Ingest of plain text from end to end, adding to a large base, and how much the event loop notices.

`python bench/ingest.py [MEGABYTES]`; the text is made of sentences from ../shared/data/retrieval.
"""

from __future__ import annotations

import asyncio
import json
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

from geekagent_tui.rag.service import RagService

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "retrieval"
FILE_BYTES = 100_000
MORE = 20


def sentences() -> list[str]:
    """Real sentences, Chinese and English."""
    found: list[str] = []
    for name in ("xquad.zh", "xquad.en"):
        for article in json.loads((DATA / f"{name}.json").read_text("utf-8"))["data"]:
            for paragraph in article["paragraphs"]:
                found += paragraph["context"].replace("。", "。\n").replace(". ", ".\n").splitlines()
    return found


def write_files(folder: Path, megabytes: float, chooser: random.Random) -> int:
    """Fill a folder with text files; their bytes in all."""
    known = sentences()
    total = 0
    for number in range(max(1, round(megabytes * 1_000_000 / FILE_BYTES))):
        lines: list[str] = []
        size = 0
        while size < FILE_BYTES:
            lines.append("".join(chooser.choices(known, k=6)))
            size += len(lines[-1].encode()) + 2
        text = "\n\n".join(lines)
        (folder / f"{number:05}.txt").write_text(text, encoding="utf-8")
        total += len(text.encode())
    return total


async def lag(lags: list[float]) -> None:
    """Measure how late the event loop is, every 5 ms."""
    while True:
        before = time.perf_counter()
        await asyncio.sleep(0.005)
        lags.append((time.perf_counter() - before - 0.005) * 1000)


async def measure(megabytes: float) -> None:
    chooser = random.Random(1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "texts").mkdir()
        size = write_files(folder / "texts", megabytes, chooser)
        rag = await RagService.open(folder)
        lags: list[float] = []
        watching = asyncio.create_task(lag(lags))
        before = time.perf_counter()
        results = await rag.add(["texts"])
        seconds = time.perf_counter() - before
        watching.cancel()
        stats = await rag.stats()
        added = []
        for number in range(MORE):
            (folder / f"more{number}.md").write_text(chooser.choice(sentences()) * 3, encoding="utf-8")
            before = time.perf_counter()
            await rag.add([f"more{number}.md"])
            added.append((time.perf_counter() - before) * 1000)
        await rag.close()
    lags.sort()
    print("| what | figure | bar |")
    print("|---|---|---|")
    print(f"| documents, passages | {len(results)}, {stats.passages} | |")
    print(f"| plain text, end to end | {size / 1e6 / seconds:.2f} MB/s | ≥ 2 |")
    late, latest = lags[int(len(lags) * 0.95)], lags[int(len(lags) * 0.99)]
    print(f"| event-loop lag meanwhile, p95 / p99 | {late:.0f} / {latest:.0f} ms | 34 / 50 |")
    median, most = statistics.median(added), max(added)
    print(f"| one more document, median / most of {MORE} | {median:.0f} / {most:.0f} ms | ≤ 50 |")


if __name__ == "__main__":
    if DATA.is_dir():
        asyncio.run(measure(float(sys.argv[1]) if len(sys.argv) > 1 else 20))
    else:
        print(f"skipped: {DATA} is not there")
