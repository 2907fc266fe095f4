"""Where a document was cited: from the files of all sessions, whatever is in them."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from geekagent_tui.agent import events as ev
from geekagent_tui.agent.citings import Citings
from geekagent_tui.agent.messages import ToolCall
from geekagent_tui.agent.records import AssistantSaid, Forgotten, Record, UserSaid, encode
from geekagent_tui.config import Policy
from support.agents import open_agent, snapshot, watching
from support.bases import write_files
from support.scripted_model import ScriptedModel


def at(hour: int) -> datetime:
    return datetime(2026, 12, 1, hour, tzinfo=UTC)


def asked(text: str) -> UserSaid:
    return UserSaid(1, text, at(1))


def cites(hour: int, *places: tuple[int | None, int]) -> AssistantSaid:
    citations = tuple(ev.Citation(0, 1, "t", passage, identifier) for identifier, passage in places)
    return AssistantSaid(2, "…", at(hour), citations=citations)


def write(path: Path, *records: Record) -> None:
    path.write_bytes(b"".join(map(encode, records)))


async def test_answers_of_all_sessions_newest_first(tmp_path: Path) -> None:
    write(
        tmp_path / "one.jsonl",
        asked("鲸鱼\n呢？"),
        cites(3, (7, 2), (7, 1), (None, 9), (7, 2)),
        asked("x" * 500),
    )
    write(tmp_path / "two.jsonl", cites(9, (7, 5), (8, 1)))
    citings = Citings(tmp_path)
    assert await citings.of(7) == (
        ev.Cited(5, "two", "two", at(9), ""),
        ev.Cited(1, "one", "one", at(3), "鲸鱼 呢？"),
        ev.Cited(2, "one", "one", at(3), "鲸鱼 呢？"),
    )
    assert await citings.of(99) == ()
    write(tmp_path / "two.jsonl", asked("y" * 500), cites(9, (8, 1)))
    assert [cited.session for cited in await citings.of(7)] == ["one", "one"]
    assert [len(cited.question) for cited in await citings.of(8)] == [120]
    (tmp_path / "one.jsonl").unlink()
    assert await citings.of(7) == ()


async def test_what_was_reset_is_forgotten(tmp_path: Path) -> None:
    write(tmp_path / "one.jsonl", cites(3, (7, 2)), Forgotten(), cites(4, (7, 3)))
    assert [cited.passage for cited in await Citings(tmp_path).of(7)] == [3]


@pytest.mark.parametrize(
    "line",
    [
        b"\xff\xfe{",
        b"[" * 100_000,
        b'{"type": "assistant"}',
        encode(cites(1, (7, 1))).replace(b'"document_id": 7', b'"document_id": [7]'),
        encode(cites(1, (7, 1))).replace(b'"document_id": 7', b'"document_id": true'),
        encode(cites(1, (7, 1))).replace(b'"entry_id": 2', b'"entry_id": Infinity'),
        encode(cites(1, (7, 1))).replace(b"+00:00", b""),
    ],
)
async def test_a_broken_line_breaks_nothing(tmp_path: Path, line: bytes) -> None:
    good = encode(cites(4, (7, 3)))
    (tmp_path / "one.jsonl").write_bytes(line + b"\n" + good + good[:20])
    assert [cited.passage for cited in await Citings(tmp_path).of(7)] == [3]


async def test_what_is_no_session_is_left_alone(tmp_path: Path) -> None:
    assert await Citings(tmp_path / "nothing").of(7) == ()
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "folder.jsonl").mkdir()
    write(tmp_path / "real", cites(4, (7, 3)))
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "real")
    assert await Citings(tmp_path).of(7) == ()


async def test_the_present_answer_counts_at_once(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": "# 鲸鱼\n\n鲸鱼在夜里唱歌。"})
    search = ToolCall("s", "rag_search", json.dumps({"query": "鲸鱼唱歌"}))
    model = ScriptedModel([[search], ["在夜里《鲸鱼》第 1 段，又见《鲸鱼》第 8 段"]])
    agent = await open_agent(tmp_path, model, {"rag_add": Policy.ALLOW})
    async with watching(agent) as watcher:
        await agent.ingest(["a.md"])
        await agent.wait_idle()
        await agent.submit("鲸鱼什么时候唱歌？")
        await watcher.until(ev.TurnFinished)
        shown = await snapshot(agent)
        [document] = shown.documents
        [cited] = await agent.cited(document.id)
        assert (cited.passage, cited.session) == (1, shown.status.session)
        assert cited.question == "鲸鱼什么时候唱歌？"
        assert cited.at == shown.chat[-1].at
