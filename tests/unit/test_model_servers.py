"""What embedding and rerank servers may answer, and what is made of it."""

from __future__ import annotations

import asyncio
from array import array
from typing import Any

import pytest

from geekagent_tui.config import Embeddings, Reranking
from geekagent_tui.rag.dense import post, rerank
from geekagent_tui.rag.dense.encoder import EncoderError
from geekagent_tui.rag.dense.post import Poster
from geekagent_tui.rag.dense.rerank import Reranker
from geekagent_tui.rag.dense.server import ServerEncoder
from geekagent_tui.rag.model import Hit
from support.vector_server import Reply, VectorServer, vector

HITS = [Hit(n, "", f"{n}.md", 1, 0, "字" * (9 - n), "", 9.0 - n) for n in range(1, 5)]


def entry(*values: Any, index: int = 0) -> dict[str, Any]:
    return {"index": index, "embedding": list(values)}


async def embedded(
    server: VectorServer, *texts: str, model: str = "m", dimensions: int = 0
) -> list[list[float]]:
    encoder = ServerEncoder(Embeddings(model, server.base_url, "", dimensions))
    try:
        rows = await encoder.embed(texts, query=True)
    finally:
        await encoder.close()
    values = array("f", rows.data).tolist()
    return [values[at : at + rows.width] for at in range(0, len(values), rows.width)]


@pytest.mark.parametrize("encoded", [False, True])
async def test_vectors_come_in_the_order_of_the_texts(encoded: bool) -> None:
    texts = [f"whale {n}" for n in range(70)]
    async with VectorServer(encoded=encoded) as server:
        found = await embedded(server, *texts)
        assert len(server.requests) == 3
    assert found == [pytest.approx(vector(text), abs=1e-6) for text in texts]


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"<html>\x1b[31mnot found</html>", "不是 JSON"),
        (b"[" * 100_000, "不是 JSON"),
        ([], "没有 data"),
        ({"data": [1]}, "没有 data"),
        ({"data": []}, "0 个向量"),
        ({"data": [entry(1.0), entry(1.0, index=1)]}, "2 个向量"),
        ({"data": [entry(1.0, index=3)]}, "序号"),
        ({"data": [entry("a")]}, "不是数"),
        ({"data": [entry(None)]}, "不是数"),
        ({"data": [{"embedding": {}}]}, "没有向量"),
        ({"data": [{"embedding": "!"}]}, "不是数"),
        ({"data": [entry()]}, "不可用"),
        ({"data": [entry(0.0, 0.0)]}, "不可用"),
        (b'{"data": [{"embedding": [NaN, 1]}]}', "不可用"),
        (b'{"data": [{"embedding": [1e999, 1]}]}', "不可用"),
    ],
)
async def test_an_unusable_answer_is_a_sentence(body: Any, sentence: str) -> None:
    async with VectorServer(Reply(body)) as server:
        with pytest.raises(EncoderError, match=sentence) as caught:
            await embedded(server, "text")
    assert "\x1b" not in caught.value.message


async def test_other_dimensions_than_asked_for_are_refused() -> None:
    async with VectorServer() as server:
        with pytest.raises(EncoderError, match=r"48 维.*16 维"):
            await embedded(server, "text", dimensions=16)
        assert server.requests[0][2]["dimensions"] == 16


async def test_a_huge_answer_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(post, "_BYTES", 1000)
    async with VectorServer(Reply(b"x" * 5000)) as server:
        with pytest.raises(EncoderError, match="太大"):
            await embedded(server, "text")


@pytest.mark.parametrize(("status", "sentence"), [(401, "密钥"), (404, "404"), (500, "500")])
async def test_a_refusal_tells_its_status(status: int, sentence: str) -> None:
    async with VectorServer(Reply(b"<html>", status=status)) as server:
        with pytest.raises(EncoderError, match=sentence):
            await embedded(server, "text")
        assert len(server.requests) == 1  # a search does not ask twice


async def test_a_busy_server_is_asked_again_while_nobody_waits() -> None:
    async with VectorServer(Reply(status=429, headers={"Retry-After": "0"}), Reply(status=503)) as server:
        poster = Poster(server.base_url, "embeddings", "secret", pauses=(0.0, 0.0))
        answer = await poster.post({"input": ["text"]}, patient=True)
        await poster.close()
        assert len(answer["data"]) == 1
        assert {headers["authorization"] for _, headers, _ in server.requests} == {"Bearer secret"}


async def test_a_key_follows_no_redirect() -> None:
    async with VectorServer() as stranger:
        moved = Reply(status=307, headers={"Location": stranger.base_url + "/embeddings"})
        async with VectorServer(moved) as server:
            with pytest.raises(EncoderError, match="307"):
                await embedded(server, "text")
        assert stranger.requests == []


async def test_models_get_the_prefixes_that_they_were_trained_with() -> None:
    async with VectorServer() as server:
        await embedded(server, "text", model="intfloat/multilingual-e5-small")
        await embedded(server, "text", model="bge-m3")
        assert server.texts == ["query: text", "text"]
        assert "authorization" not in server.requests[0][1]


async def reordered(server: VectorServer) -> tuple[list[int], str]:
    reranker = Reranker(Reranking(server.base_url, "m", "secret"))
    try:
        hits, note = await reranker.ordered("question", HITS)
    finally:
        await reranker.close()
    return [hit.id for hit in hits], note


async def test_the_rerank_servers_order_is_the_final_one() -> None:
    async with VectorServer() as server:
        assert await reordered(server) == ([4, 3, 2, 1], "")
        path, headers, body = server.requests[0]
    assert path == "/v1/rerank"
    assert headers["authorization"] == "Bearer secret"
    assert body == {"model": "m", "query": "question", "documents": [hit.text for hit in HITS], "top_n": 4}


@pytest.mark.parametrize(
    "reply",
    [
        Reply(status=500),
        Reply(b"<html>"),
        Reply({"results": []}),
        Reply({"results": [{"index": 0, "relevance_score": 1}] * 4}),
        Reply({"results": [{"index": n, "relevance_score": "a"} for n in range(4)]}),
        Reply(b'{"results": [{"index": 0, "relevance_score": NaN}]}'),
    ],
)
async def test_without_a_usable_order_the_one_before_stays(reply: Reply) -> None:
    async with VectorServer(reply) as server:
        order, note = await reordered(server)
    assert order == [1, 2, 3, 4]
    assert note.startswith("重排没有参与")


async def test_a_slow_rerank_server_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rerank, "PATIENCE", 0.05)
    async with VectorServer(Reply(hold=asyncio.Event())) as server:
        order, note = await reordered(server)
    assert (order, "0.05" in note) == ([1, 2, 3, 4], True)
