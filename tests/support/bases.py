"""Knowledge bases on temporary folders, and documents to put into them."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from geekagent_tui.rag.exchange import Exchange
from geekagent_tui.rag.model import IngestEvent, IngestFinished, IngestResult, SourceKind
from geekagent_tui.rag.opening import DATABASE
from geekagent_tui.rag.store import NewDocument, Span, Store

PATIENCE = 30.0
"""Seconds a test waits for something before it says that it never came."""

SRC = Path(__file__).parents[2] / "src"


def new_document(source: str, text: str, spans: Sequence[Span] = (), title: str = "") -> NewDocument:
    spans = spans or ((Span(0, len(text)),) if text else ())
    return NewDocument(source, SourceKind.FILE, title or source, text, spans)


def rag_folder(workspace: Path) -> Path:
    folder = workspace / ".geekagent" / "rag"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def exchange(workspace: Path, limit: int = 10_000) -> Exchange:
    return Exchange(rag_folder(workspace), workspace, limit)


def open_store(workspace: Path) -> Store:
    return Store.open(rag_folder(workspace) / DATABASE)


def index_json(workspace: Path) -> Path:
    return rag_folder(workspace) / "index.json"


def reference_json(*docs: dict[str, Any]) -> bytes:
    """An index.json as the reference writes it."""
    return (json.dumps({"docs": docs}, ensure_ascii=False, indent=2) + "\n").encode()


def reference_doc(
    source: str, *windows: tuple[int, str], title: str = "", added: str = "2026-08-26T12:42:11.000Z"
) -> dict[str, Any]:
    """One document there, from the start and the text of each window."""
    chunks = [
        {"entry": 0, "index": index, "start": start, "text": text}
        for index, (start, text) in enumerate(windows)
    ]
    return {"title": title or source, "source": source, "addedAt": added, "chunks": chunks}


def write_files(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def finished(events: Sequence[IngestEvent]) -> list[IngestResult]:
    return [event.result for event in events if isinstance(event, IngestFinished)]


async def eventually(condition: Callable[[], Awaitable[bool]]) -> None:
    """Wait until something is true."""
    async with asyncio.timeout(PATIENCE):
        while not await condition():
            await asyncio.sleep(0.01)


async def start_program(code: str, *arguments: str) -> asyncio.subprocess.Process:
    """Run some Python in a process of its own, with the package on its path."""
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        code,
        *arguments,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(SRC)},
    )


async def run_program(code: str, *arguments: str) -> str:
    """Run some Python to its end and return what it printed."""
    process = await start_program(code, *arguments)
    async with asyncio.timeout(PATIENCE):
        out, _ = await process.communicate()
    assert process.returncode == 0
    return out.decode()
