"""A fresh user on a fresh folder: own home, no key, the sample notes, a local server for them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from support.terminal import Terminal

ASSETS = Path(__file__).resolve().parents[2] / "assets"
SOURCES = Path(__file__).resolve().parents[2] / "src"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Say nothing on stderr."""


@dataclass(frozen=True)
class Place:
    """Where a user works: a folder with the sample notes and the address that serves them."""

    folder: Path
    url: str
    env: dict[str, str]

    def open(self, size: tuple[int, int] = (140, 40), env: Mapping[str, str] | None = None) -> Terminal:
        """Run `geekagent` in a terminal."""
        return Terminal(
            [sys.executable, "-m", "geekagent_tui"],
            size=size,
            cwd=self.folder,
            env={**self.env, **(env or {})},
        )


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    folder, home = tmp_path / "笔记", tmp_path / "home"
    home.mkdir()
    shutil.copytree(ASSETS / "notes", folder / "assets" / "notes")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(ASSETS))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        env = {"HOME": str(home), "PYTHONPATH": str(SOURCES), "LANG": "C.UTF-8"}
        yield Place(folder, f"http://127.0.0.1:{server.server_port}", env)
        server.shutdown()
        thread.join()


@contextmanager
def model_server(folder: Path, script: Sequence[object]) -> Iterator[tuple[dict[str, str], Path]]:
    """A scripted OpenAI-compatible server in a process of its own.

    Yields:
        The environment that connects to it, and the file with one request body a line.
    """
    told, log = folder / "script.json", folder / "requests.jsonl"
    told.write_text(json.dumps(script, ensure_ascii=False), encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "support.openai_server", "--script", str(told), "--log", str(log)],
        cwd=Path(__file__).resolve().parents[1],
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            assert process.stdout is not None
            port = int(process.stdout.readline())
            env = {
                "OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1",
                "OPENAI_API_KEY": "sk-test-of-the-walk",
                "OPENAI_MODEL": "scripted-1",
            }
            yield env, log
        finally:
            process.kill()
