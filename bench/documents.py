"""Reading documents: time of the first one (imports) and per megabyte, for each format.

The documents are made by `tests/support/documents.py` from sentences of two languages.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

from geekagent_tui.rag.extract import extract  # noqa: E402
from geekagent_tui.rag.model import SourceKind  # noqa: E402
from geekagent_tui.rag.raw import Raw  # noqa: E402
from support.documents import docx, epub, odt, paragraph, pdf, pptx, shape, xlsx  # noqa: E402

SENTENCES = (
    "历史压缩的触发阈值默认是四千个字符，最近的六条消息原样保留，其余的交给模型总结成一段话。",
    "The quick brown fox jumps over the lazy dog and keeps running through the forest until night. ",
)
PARAGRAPHS = 6_000
FIRST = """
import sys, time
sys.path.insert(0, sys.argv[1])
from geekagent_tui.rag.extract import extract
from geekagent_tui.rag.model import SourceKind
from geekagent_tui.rag.raw import Raw
raw = Raw(sys.stdin.buffer.read(), SourceKind.FILE, "a." + sys.argv[2])
start = time.process_time()
extract(raw)
print(time.process_time() - start)
"""


def paragraphs(count: int) -> list[str]:
    """Paragraphs of about 130 characters, always the same ones."""
    chooser = random.Random(1)
    return [
        "".join(chooser.choice(SENTENCES)[: chooser.randint(10, 90)] for _ in range(3)) for _ in range(count)
    ]


def cell(text: str) -> str:
    """A cell of a workbook."""
    return f'<c t="inlineStr"><is><t>{escape(text)}</t></is></c>'


def documents(texts: list[str]) -> dict[str, bytes]:
    """One document of each format, by what its name ends in."""
    numbered = list(enumerate(texts))
    cells = [
        {"cell_type": ("markdown", "code")[number % 2], "source": text, "outputs": []}
        for number, text in numbered
    ]
    objects = [{"id": number, "name": text[:10], "text": text} for number, text in numbered]
    rows = "".join(f"<row>{cell(text[:10])}<c><v>{n}</v></c>{cell(text)}</row>" for n, text in numbered)
    tens = [texts[at : at + 10] for at in range(0, len(texts), 10)]
    rst = "".join(f"标题\n====\n\n{text} ``x`` :ref:`a <b>`\n\n.. code:: py\n\n   x\n\n" for text in texts)
    adoc = "".join(f"== 标题\n\n{text} `x` link:a[b]\n\n----\nx\n----\n\n" for text in texts)
    chapters = {
        f"{number}.xhtml": "<h1>章</h1>" + "".join(f"<p>{text}</p>" for text in ten)
        for number, ten in enumerate(tens)
    }
    return {
        "docx": docx("".join(paragraph(text, "1" if n % 20 == 0 else "") for n, text in numbered)),
        "pptx": pptx([shape([ten[0][:20]], "title") + shape(ten) for ten in tens]),
        "xlsx": xlsx({"a": f"<row>{cell('名')}{cell('值')}{cell('说明')}</row>{rows}"}),
        "odt": odt("".join(f"<text:p>{text}</text:p>" for text in texts)),
        "epub": epub(chapters),
        "pdf": pdf([[line for text in ten for line in (text[:60], text[60:120])] for ten in tens]),
        "json": json.dumps(objects, ensure_ascii=False).encode(),
        "csv": ("id,名,说明\n" + "".join(f'{n},{text[:10]},"{text}"\n' for n, text in numbered)).encode(),
        "ipynb": json.dumps({"nbformat": 4, "cells": cells}, ensure_ascii=False).encode(),
        "rst": rst.encode(),
        "adoc": adoc.encode(),
        "eml": ("Subject: x\nContent-Type: text/plain; charset=utf-8\n\n" + "\n\n".join(texts)).encode(),
        "txt": "\n\n".join(texts).encode(),
    }


def first(name: str, data: bytes) -> float:
    """Seconds that a new process takes for its first document, imports included."""
    command = [sys.executable, "-c", FIRST, str(ROOT / "src"), name]
    return min(
        float(subprocess.run(command, input=data, capture_output=True, check=True).stdout) for _ in range(3)
    )


def main() -> None:
    """Print a line a format."""
    small = documents(paragraphs(1))
    print(f"{'format':8}{'first':>8}{'file':>9}{'text':>13}{'time':>10}{'per MB of text':>18}")
    for name, data in documents(paragraphs(PARAGRAPHS)).items():
        raw = Raw(data, SourceKind.FILE, f"a.{name}")
        extract(raw)
        start = time.process_time()
        text = extract(raw).text
        seconds = time.process_time() - start
        size = len(text.encode()) / 1e6
        print(
            f"{name:8}{1000 * first(name, small[name]):5.0f} ms{len(data) / 1e6:6.2f} MB"
            f"{len(text) / 1e6:7.2f} M ch{1000 * seconds:7.0f} ms{1000 * seconds / size:15.0f} ms"
        )


if __name__ == "__main__":
    main()
