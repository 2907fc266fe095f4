"""Long-term memory: kept in a list that other programs write too, found by what it is about."""

from __future__ import annotations

import asyncio
import gc
import json
import math
import stat
from pathlib import Path

import pytest

from geekagent_tui.agent.memory import ENTRY_LENGTH, Memory, Written
from geekagent_tui.agent.memory_search import MemoryIndex
from geekagent_tui.agent.recall import MEMORY_FLOOR, MOST_TOKENS, compose, recall
from geekagent_tui.rag.model import Hit
from geekagent_tui.rag.service import RagService

ENTRIES = [
    "用户叫小林，住在杭州，喜欢简短的中文回答。",
    "历史压缩的触发阈值在我们的项目里改成了 6000 字符。",
    "部署密钥在 vault",
    "The user prefers dark themes and vim key bindings.",
]


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(tmp_path / ".geekagent" / "memory.json")


async def test_entries_are_kept_as_the_reference_keeps_them(memory: Memory, tmp_path: Path) -> None:
    assert await memory.write("  喜欢猫\n") == (Written.NEW, "喜欢猫")
    assert await memory.write("喜欢猫") == (Written.KNOWN, "喜欢猫")
    written, entry = await memory.write("长" * (ENTRY_LENGTH + 1))
    assert (written, len(entry)) == (Written.CUT, ENTRY_LENGTH)
    path = tmp_path / ".geekagent" / "memory.json"
    text = path.read_text(encoding="utf-8")
    assert json.loads(text) == ["喜欢猫", "长" * ENTRY_LENGTH]
    assert text == json.dumps(json.loads(text), ensure_ascii=False, indent=2) + "\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


async def test_two_writers_lose_nothing(memory: Memory, tmp_path: Path) -> None:
    other = Memory(tmp_path / ".geekagent" / "memory.json")
    await asyncio.gather(*(writer.write(f"第 {n} 条") for n in range(10) for writer in (memory, other)))
    assert sorted(await other.load()) == sorted(f"第 {n} 条" for n in range(10))


@pytest.mark.parametrize("content", [b"{", b'{"a": 1}', b'["a", 1]', b"\xff\xfe", b"[" * 100_000])
async def test_a_broken_file_is_set_aside(memory: Memory, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / ".geekagent" / "memory.json"
    path.parent.mkdir()
    path.write_bytes(content)
    assert await memory.load() == ()
    (notice,) = memory.take_notices()
    (aside,) = path.parent.glob("memory.json.broken-*")
    assert aside.name in notice
    assert aside.read_bytes() == content
    assert memory.take_notices() == []
    assert await memory.write("新的") == (Written.NEW, "新的")


async def test_blank_entries_are_dropped(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / ".geekagent" / "memory.json"
    path.parent.mkdir()
    path.write_text('["  a ", "", "  "]', encoding="utf-8")
    assert await memory.load() == ("a",)


@pytest.mark.parametrize(
    ("question", "entry"),
    [
        ("这套笔记里，历史压缩相关的触发阈值是多少？", 2),
        ("歷史壓縮的閾值", 2),
        ("which theme do I like?", 4),
        ("小林住在哪里", 1),
        ("你好", None),
        ("what is a list", None),
        ("今天天气怎么样", None),
        ("把这个函数改成异步的", None),
        ("项目的部署流程是什么？", None),
    ],
)
async def test_what_comes_to_mind(memory: Memory, question: str, entry: int | None) -> None:
    for text in ENTRIES:
        await memory.write(text)
    found = await memory.search(question, 5, floor=MEMORY_FLOOR)
    assert [hit.entry for hit in found] == ([] if entry is None else [entry])


async def test_an_entry_that_another_program_wrote_is_found(memory: Memory, tmp_path: Path) -> None:
    await memory.write("无关的事")
    assert await memory.search("历史压缩", 5) == ()
    await Memory(tmp_path / ".geekagent" / "memory.json").write("历史压缩在第五天")
    assert [hit.text for hit in await memory.search("历史压缩", 5)] == ["历史压缩在第五天"]


def test_scores_are_bm25() -> None:
    index = MemoryIndex(["alpha beta beta", "alpha gamma", "delta"])
    (hit,) = index.search("beta", 5, 0.0)
    idf = math.log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    assert hit.score == pytest.approx(idf * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 3 / 2)))
    assert hit.coverage == 1.0
    assert [found.entry for found in index.search("alpha", 1, 0.0)] == [2]
    assert index.search("alpha", 0, 0.0) == ()


def test_a_long_entry_is_found_by_its_best_piece() -> None:
    index = MemoryIndex(["无关" * 200 + "。触发阈值是四千。" + "别的" * 150, "触发"])
    (hit, *_rest) = index.search("触发阈值", 5, 0.5)
    assert (hit.entry, hit.passage) == (1, 2)
    assert hit.label().startswith("（条目 #1，第 2 段）")


def test_recall_takes_the_best_of_both_within_its_budget() -> None:
    memories = MemoryIndex(["猫喜欢鱼", "猫喜欢睡觉"]).search("猫喜欢", 5, 0.0)
    hits = [Hit(1, "猫", "cat.md", number, 0, f" 猫 {number} ", "", 1.0) for number in (1, 2)]
    both = compose(memories, hits, MOST_TOKENS)
    assert both.text.splitlines() == [
        "自动唤起 4 条相关内容（供参考）：",
        f"1. {memories[0].label()}",
        "2. 《猫》第 1 段：猫 1",
        f"3. {memories[1].label()}",
        "4. 《猫》第 2 段：猫 2",
    ]
    assert both.hits == tuple(hits)
    only = compose(memories, [], MOST_TOKENS)
    assert only.text.startswith("自动唤起 2 条相关记忆（供参考）：")
    assert compose([], [], MOST_TOKENS).text == ""
    assert compose(memories, hits, 3).hits == ()
    long = Hit(2, "长", "long.md", 1, 0, "字" * 5000, "", 1.0)
    assert compose([], [long, hits[0]], 200).hits == (hits[0],)


@pytest.mark.parametrize("steps", [0, 1, 2, 3])
async def test_a_recall_can_be_cancelled_at_any_moment(tmp_path: Path, steps: int) -> None:
    async with await RagService.open(tmp_path) as rag:
        looking = asyncio.create_task(recall("猫", Memory(tmp_path / "m.json"), rag, None, 8000))
        for _ in range(steps):
            await asyncio.sleep(0)
        looking.cancel()
        await asyncio.wait([looking])
        assert looking.cancelled()
    gc.collect()  # a coroutine that was never awaited is told now, and is an error
