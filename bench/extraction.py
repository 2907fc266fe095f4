"""Main-text extraction: quality on `../shared/data/pages`, and pages per second of processor time."""

from __future__ import annotations

import gzip
import json
import re
import statistics
import sys
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from geekagent_tui.rag.extract import extract  # noqa: E402
from geekagent_tui.rag.model import SourceKind  # noqa: E402
from geekagent_tui.rag.raw import Raw  # noqa: E402

PAGES = ROOT.parent / "shared" / "data" / "pages"
TOKEN = re.compile(r"[\u4e00-\u9fff]|[^\W_]+")
SHINGLE = 4


def shingles(text: str) -> Counter[tuple[str, ...]]:
    """How often each run of four tokens occurs: what `score_pages.py` counts."""
    tokens = TOKEN.findall(text.casefold())
    return Counter(tuple(tokens[at : at + SHINGLE]) for at in range(max(1, len(tokens) - SHINGLE + 1)))


def main() -> None:
    """Print one line."""
    if not PAGES.exists():
        print(f"no pages at {PAGES}")
        return
    truth = json.loads((PAGES / "truth.json").read_text("utf-8"))
    raws = {
        name: Raw(
            gzip.decompress((PAGES / f"{name}.html.gz").read_bytes()), SourceKind.URL, name, "text/html"
        )
        for name in truth
    }
    extract(next(iter(raws.values())))  # imports
    start = time.process_time()
    texts = {name: extract(raw).text for name, raw in raws.items()}
    seconds = time.process_time() - start
    precisions, recalls = [], []
    for name, page in truth.items():
        got, wanted = shingles(texts[name]), shingles(page["text"])
        common = (got & wanted).total()
        precisions.append(common / got.total())
        recalls.append(common / wanted.total())
    precision, recall = statistics.mean(precisions), statistics.mean(recalls)
    f1 = 2 * precision * recall / (precision + recall)
    quality = f"P {precision:.4f}  R {recall:.4f}  F1 {f1:.4f}"
    print(f"{len(truth)} pages  {quality}  {len(truth) / seconds:.0f} pages/CPU-s")


if __name__ == "__main__":
    main()
