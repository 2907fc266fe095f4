"""Random changes of long-term memory, by two programs, equal the same changes of a plain list."""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from geekagent_tui.agent.memory import ENTRY_LENGTH, Memory, MemoryChangeError
from geekagent_tui.agent.memory_times import key_of

TEXTS = st.sampled_from(["甲", "乙", " 丙 ", "丁\n戊", "", "x" * (ENTRY_LENGTH + 1)])
CHANGES = st.lists(
    st.tuples(st.sampled_from(["write", "edit", "rm", "merge", "lose"]), st.integers(0, 5), TEXTS),
    max_size=12,
)


def replaced(entries: list[str], old: list[str], new: str) -> list[str]:
    """What memory should be after `Memory.replace`; as it was when that is refused."""
    new = new.strip()
    if len(new) > ENTRY_LENGTH or (new in entries and new not in old):
        return entries
    kept = [new if entry == old[0] else entry for entry in entries if entry not in old[1:]]
    return [entry for entry in kept if entry]


def written(entries: list[str], text: str) -> list[str]:
    text = text.strip()[:ENTRY_LENGTH]
    return entries if text in entries else [*entries, text]


@given(CHANGES)
def test_memory_equals_a_list(changes: list[tuple[str, int, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_check(Path(folder) / "memory.json", changes))


async def _check(file: Path, changes: list[tuple[str, int, str]]) -> None:
    programs = [Memory(file), Memory(file)]
    model: list[str] = []
    for turn, (kind, place, text) in enumerate(changes):
        memory = programs[turn % 2]
        old = model[place : place + (2 if kind == "merge" else 1)]
        if kind == "write" and text:
            await memory.write(text)
            model = written(model, text)
        elif kind == "lose":
            file.with_suffix(".meta.json").write_bytes(text.encode())
        elif old and kind != "write":
            new = {"edit": text, "rm": "", "merge": "；".join(old)}[kind]
            try:
                await memory.replace(old, new)
            except MemoryChangeError:
                assert replaced(model, old, new) == model
            model = replaced(model, old, new)
        assert list(await memory.load()) == model
        if file.exists():
            assert json.loads(file.read_bytes()) == model, "the reference's format"
        assert set(await memory.times()) <= set(model)
    kept = file.with_suffix(".meta.json")
    if changes and changes[-1][0] == "write" and kept.exists() and changes[-1][2]:
        content = kept.read_bytes()
        if content.startswith(b"{"):
            assert set(json.loads(content)) <= set(map(key_of, model))
