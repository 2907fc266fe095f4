"""Questions with known answers, asked of a base and of paragraphs."""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from geekagent_tui.rag.errors import RagError
from geekagent_tui.rag.evaluate import Answered, Evaluation, ask_base, ask_paragraphs
from geekagent_tui.rag.question_file import Paragraphs, Wanted, read_question_file
from geekagent_tui.rag.service import RagService
from support.bases import write_files

NOTES = Path(__file__).parents[2] / "assets" / "notes"
SETS = Path(__file__).parents[3] / "shared" / "data" / "retrieval"
QUESTION = "这套笔记里，历史压缩相关的触发阈值是多少？"

FILLER = "Everything else in the harbour is counted twice a year by people who like counting things. "


def ignore(_done: int, _total: int) -> None:
    """Tell nobody."""


@pytest.fixture
async def rag(tmp_path: Path) -> AsyncIterator[RagService]:
    shutil.copytree(NOTES, tmp_path / "notes")
    service = await RagService.open(tmp_path)
    await service.add(["notes"])
    yield service
    await service.close()


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary folders are made meanwhile."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_measures() -> None:
    ranks = (1, 0, 2, 10, 5)
    found = Evaluation(tuple(Answered("", rank, ()) for rank in ranks))
    assert [found.recall(k) for k in (1, 4, 10)] == [0.2, 0.4, 0.8]
    assert found.mrr == pytest.approx((1 + 1 / 2 + 1 / 10 + 1 / 5) / 5)


async def test_a_right_hit_has_all_that_is_wanted(rag: RagService, tmp_path: Path) -> None:
    (best, *_rest) = (await rag.search(QUESTION)).hits
    wanted = [
        Wanted(QUESTION, "notes/day5.html"),
        Wanted(QUESTION, str(tmp_path / "notes" / "day5.html")),
        Wanted(QUESTION, "notes/day5.html", best.passage),
        Wanted(QUESTION, texts=("默认 4000\n",)),
        Wanted("TODO 列表", "notes/day9.html", texts=("todo",)),
        Wanted(QUESTION, "notes/day5.html", 99),
        Wanted(QUESTION, "notes/day5.html", texts=("no such words",)),
        Wanted(QUESTION, "notes/nowhere.html"),
        Wanted(QUESTION, "notes/nowhere.html", texts=("4000",)),
        Wanted("你好", "notes/day5.html"),
    ]
    told: list[tuple[int, int]] = []
    found = await ask_base(rag, wanted, lambda *news: told.append(news))

    assert [each.rank for each in found.answered] == [1, 1, 1, 1, 1, 0, 0, 0, 0, 0]
    assert told == [(done, len(wanted)) for done in range(1, len(wanted) + 1)]
    hits = (await rag.search(QUESTION, 10)).hits
    assert found.answered[0] == Answered(QUESTION, 1, tuple(hit.id for hit in hits))


async def test_an_empty_base_is_an_error(tmp_path: Path) -> None:
    async with await RagService.open(tmp_path) as rag:
        with pytest.raises(RagError, match="知识库还是空的"):
            await ask_base(rag, [Wanted("a", "b")], ignore)


async def test_a_paragraph_is_ranked_by_its_best_passage(temporary: Path) -> None:
    whales = "鲸鱼夜里唱歌。" * 2000  # many passages with the same words
    texts = (whales, "清点货物。", "", "清点货物。" * 300 + "灯塔夜里发光。", "鲸鱼。", "\ud800\0")
    questions = (("谁夜里唱歌？", 0), ("灯塔", 3), ("鲸鱼", 4), ("货物", 2), ("", 1))
    told: list[tuple[int, int]] = []
    found = await ask_paragraphs(Paragraphs(texts, questions), lambda *news: told.append(news))

    assert [each.ids for each in found.answered] == [(0, 3), (3,), (0, 4), (3, 1), ()]
    assert [each.rank for each in found.answered] == [1, 1, 2, 0, 0]
    assert [each.question for each in found.answered] == [question for question, _ in questions]
    assert told == [(done, 5) for done in range(6)]
    assert list(temporary.iterdir()) == []


async def test_equal_paragraphs_are_all_ranked(temporary: Path) -> None:
    found = await ask_paragraphs(Paragraphs(("猫与狗", "狗", "猫与狗"), (("猫？", 2),)), ignore)
    assert found.answered == (Answered("猫？", 2, (0, 2)),)


async def test_nothing_is_left_when_it_is_stopped(temporary: Path) -> None:
    texts = tuple(f"{FILLER} {n}" for n in range(300))
    asking = asyncio.create_task(ask_paragraphs(Paragraphs(texts, (("harbour", 1),)), ignore))
    while not list(temporary.iterdir()):
        await asyncio.sleep(0)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert list(temporary.iterdir()) == []


async def test_the_workspace_is_not_touched_by_paragraphs(rag: RagService, tmp_path: Path) -> None:
    before = await rag.documents()
    await ask_paragraphs(Paragraphs(("鲸鱼在夜里唱歌",), (("谁唱歌？", 0),)), ignore)
    assert await rag.documents() == before
    assert (await rag.search("鲸鱼唱歌")).hits == ()


async def test_the_ranking_alone_has_no_limits(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": "\n\n".join(f"{FILLER * 6} Whale {n}." for n in range(8)), "b.md": FILLER})
    async with await RagService.open(tmp_path) as rag:
        await rag.add(["a.md", "b.md"])
        shown, bare = await rag.search("whale", 20), await rag.search("whale", 20, bare=True)
        assert [hit.source for hit in shown.hits] == ["a.md"] * 3
        assert sorted(hit.passage for hit in bare.hits if hit.source == "a.md") == [*range(1, 9)]
        assert bare.hits[:3] == shown.hits
        unlikely = "whale xylophone zeppelin quagmire jukebox wizard"
        assert not (await rag.search(unlikely)).hits
        assert (await rag.search(unlikely, bare=True)).hits
        nothing = await rag.search("xylophone", bare=True)
        assert (nothing.hits, nothing.none) == ((), "no_match")


async def test_shares_add_up_to_the_score(rag: RagService) -> None:
    asked, told = await rag.search(QUESTION), await rag.search(QUESTION, explain=True)
    for plain, hit in zip(asked.hits, told.hits, strict=True):
        assert plain.shares == {}
        assert set(hit.shares) <= {"words", "unigrams", "trigrams", "heading", "title"}
        assert sum(hit.shares.values()) == pytest.approx(hit.score, rel=1e-4)
        assert (plain.id, plain.passage, plain.score) == (hit.id, hit.passage, hit.score)
    assert len(told.hits[0].shares) > 1
    assert len({*told.hits, *told.hits}) == len(told.hits)  # still a value that sets take


@pytest.mark.skipif(not SETS.is_dir(), reason="the sets are not here")
async def test_a_real_set(tmp_path: Path, temporary: Path) -> None:
    data = json.loads((SETS / "xquad.zh.json").read_text("utf-8"))
    small = tmp_path / "small.json"
    small.write_text(json.dumps({"data": data["data"][:4]}), "utf-8")
    pool = read_question_file(small)
    assert isinstance(pool, Paragraphs)
    found = await ask_paragraphs(pool, ignore)
    assert found.recall(10) > 0.95
