"""A program killed at any moment: what it reported as added is there, and the next start is ordinary."""

from __future__ import annotations

import asyncio
import random
import sqlite3
from pathlib import Path

from geekagent_tui.rag.opening import DATABASE
from geekagent_tui.rag.service import RagService
from support.bases import PATIENCE, rag_folder, start_program, write_files

KILLS = 5

_WORK = """
import asyncio, sys
from geekagent_tui.rag.model import IngestFinished
from geekagent_tui.rag.service import RagService

def tell(event):
    if isinstance(event, IngestFinished) and event.result.state == "added":
        print("added", event.result.source, flush=True)

async def main():
    async with await RagService.open(sys.argv[1]) as rag:
        for number in range(int(sys.argv[2]), 10_000, 7):
            names = [f"{number}-{at}.md" for at in range(7)]
            for name in names:
                with open(f"{sys.argv[1]}/{name}", "w") as file:
                    file.write(f"# Wal {name}\\n\\n" + f"Der Wal Nummer {name} singt im Meer. " * 60)
            await rag.add(names, tell)
            removed = await rag.remove([names[0]])
            print("removed", removed[0].source, flush=True)

asyncio.run(main())
"""


async def test_nothing_reported_is_lost(tmp_path: Path) -> None:
    dice = random.Random(2)
    added: set[str] = set()
    removed: set[str] = set()
    for run in range(KILLS):
        process = await start_program(_WORK, str(tmp_path), str(run * 1000))
        assert process.stdout is not None
        lines = dice.randrange(3, 40)
        async with asyncio.timeout(PATIENCE):
            for _ in range(lines):
                _note(await process.stdout.readline(), added, removed)
        process.kill()
        rest, _ = await process.communicate()
        for line in rest.splitlines(keepends=True):
            if line.endswith(b"\n"):
                _note(line, added, removed)

        async with await RagService.open(tmp_path) as rag:
            assert rag.notices == ()
            known = {document.source for document in await rag.documents()}
            assert added - removed <= known
            assert not removed & known
            found = await rag.search("Wal singt", 10_000)
            assert {hit.source for hit in found.hits} == known
            for document in await rag.documents():
                text = (await rag.document(document.id)).text
                assert len(text) == document.characters
    connection = sqlite3.connect(rag_folder(tmp_path) / DATABASE)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()


def _note(line: bytes, added: set[str], removed: set[str]) -> None:
    verb, source = line.decode().split()
    (added if verb == "added" else removed).add(source)


async def test_a_batch_that_was_killed_can_simply_be_repeated(tmp_path: Path) -> None:
    write_files(tmp_path, {"keep.md": "bleibt"})
    process = await start_program(_WORK, str(tmp_path), "0")
    assert process.stdout is not None
    await process.stdout.readline()
    process.kill()
    await process.communicate()

    async with await RagService.open(tmp_path) as rag:
        names = sorted(path.name for path in tmp_path.glob("0-*.md"))
        results = await rag.add([*names, "keep.md"])
        assert {result.state.value for result in results} <= {"added", "unchanged"}
        assert {document.source for document in await rag.documents()} >= {*names, "keep.md"}
