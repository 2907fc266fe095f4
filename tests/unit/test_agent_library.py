"""What the user does with the knowledge base through the agent: adding what was shown, tags, retrying."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from geekagent_tui.agent import events as ev
from geekagent_tui.agent.messages import ToolCall, ToolMessage
from geekagent_tui.config import Policy
from geekagent_tui.rag.errors import TagError
from geekagent_tui.rag.model import Growth, IngestState
from support.agents import open_agent, snapshot, watching
from support.bases import write_files
from support.pages import PageServer, Reply
from support.scripted_model import ScriptedModel


def page(title: str, *links: str) -> Reply:
    anchors = "".join(f'<a href="{link}">weiter</a>' for link in links)
    body = f"<h1>{title}</h1><p>{title}，{'正文。' * 60}</p><nav>{anchors}</nav>"
    html = f"<html><head><title>{title}</title></head><body><main>{body}</main></body></html>"
    return Reply(html.encode())


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    write_files(tmp_path, {"a.md": "# 甲\n\n鲸鱼唱歌。", "b.md": "# 乙\n\n灯塔。", "c.md": "# 丙\n\n潮汐。"})
    return tmp_path


@pytest.fixture
async def server() -> AsyncIterator[PageServer]:
    pages = {"/": page("首页", "/one", "/two"), "/one": page("一"), "/two": page("二")}
    async with PageServer({**pages}) as running:
        yield running


async def tags_of(agent: object) -> dict[str, tuple[str, ...]]:
    shown = await snapshot(agent)  # type: ignore[arg-type]  # the fixture's agent
    return {document.source: document.tags for document in shown.documents}


async def test_what_a_dialog_showed_is_taken_in_without_a_second_question(
    workspace: Path, server: PageServer
) -> None:
    async with watching(await open_agent(workspace, ScriptedModel())) as watcher:
        agent = watcher.agent
        previews = await agent.preview(["a.md", "a.md", "missing.md", f"{server.url}/"], crawl=5)
        assert server.requests == []
        assert [(each.typed, bool(each.problem)) for each in previews] == [
            ("a.md", False),
            ("missing.md", True),
            (f"{server.url}/", False),
        ]
        await agent.take_in(previews, tags=["读书"])
        await agent.wait_idle()
        assert await tags_of(agent) == {
            "a.md": ("读书",),
            f"{server.url}/": ("读书",),
            f"{server.url}/one": ("读书",),
            f"{server.url}/two": ("读书",),
        }
        notices = [entry.text for entry in (await snapshot(agent)).chat]
        assert any("missing.md" in text for text in notices)
        assert not watcher.all(ev.IngestReview)


async def test_a_policy_forbids_that_too(workspace: Path) -> None:
    agent = await open_agent(workspace, ScriptedModel(), {"rag_add": Policy.DENY})
    async with watching(agent) as watcher:
        await agent.take_in(await agent.preview(["a.md"]))
        await watcher.notice("[已取消采集]")
        await agent.wait_idle()
        assert (await snapshot(agent)).documents == ()


async def test_the_answer_to_a_review_may_change_tags_and_crawl(workspace: Path, server: PageServer) -> None:
    async with watching(await open_agent(workspace, ScriptedModel())) as watcher:
        agent = watcher.agent
        await agent.submit(f"/rag add a.md {server.url}/ --tag 读书 --tag 海")
        review = await watcher.until(ev.IngestReview)
        assert review.tags == ("读书", "海")
        accepted = tuple(each.typed for each in review.previews)
        agent.answer(review.request_id, ev.IngestDecision(accepted, tags=("网页",), crawl=2))
        await agent.wait_idle()
        tagged = await tags_of(agent)
        assert set(tagged.values()) == {("网页",)}
        assert len(tagged) == 3  # the file, the page, and one that it leads to

        await agent.ingest(["b.md"], tags=["海"])
        review = await watcher.until(ev.IngestReview)
        agent.answer(review.request_id, ev.IngestDecision(("b.md",)))
        await agent.wait_idle()
        assert (await tags_of(agent))["b.md"] == ("海",)


async def test_a_crawl_can_be_taken_back_in_the_answer(workspace: Path, server: PageServer) -> None:
    async with watching(await open_agent(workspace, ScriptedModel())) as watcher:
        agent = watcher.agent
        await agent.ingest([f"{server.url}/"], crawl=20)
        review = await watcher.until(ev.IngestReview)
        assert (review.previews[0].growth, review.previews[0].pages) == (Growth.LINKS, 20)
        agent.answer(review.request_id, ev.IngestDecision((f"{server.url}/",), crawl=0))
        await agent.wait_idle()
        assert list(await tags_of(agent)) == [f"{server.url}/"]


async def test_a_tag_that_is_none_is_refused_before_anything_is_asked(workspace: Path) -> None:
    async with watching(await open_agent(workspace, ScriptedModel())) as watcher:
        await watcher.agent.submit("/rag add a.md --tag 'a,b'")
        assert (await watcher.notice("a,b")).level is ev.Level.ERROR
        await watcher.agent.submit("/rag add a.md --tag")
        await watcher.notice("用法：/rag add <网页 URL 或文件路径>... --tag <标签>")
        await watcher.agent.wait_idle()
        assert not watcher.all(ev.IngestReview)


async def test_a_model_may_wish_for_tags_and_a_bounded_crawl(workspace: Path, server: PageServer) -> None:
    wish = {"source": f"{server.url}/", "tags": ["海", 7, " "], "crawl": 9999, "reason": "想看"}
    call = ToolCall("c", "rag_add", json.dumps(wish))
    model = ScriptedModel([[call], ["好。"]])
    async with watching(await open_agent(workspace, model)) as watcher:
        await watcher.agent.submit("收下")
        review = await watcher.until(ev.IngestReview)
        assert (review.by_model, review.tags, review.previews[0].pages) == (True, ("海",), 50)
        watcher.agent.answer(review.request_id, ev.IngestDecision((f"{server.url}/",)))
        await watcher.until(ev.TurnFinished)
        assert set((await tags_of(watcher.agent)).values()) == {("海",)}
    told = model.requests[1].messages[-1]
    assert isinstance(told, ToolMessage)
    assert "正文" not in told.content


async def test_what_failed_is_tried_again(workspace: Path, server: PageServer) -> None:
    server.pages |= {"/one": Reply(status=503, reason="Busy"), "/two": Reply(status=404, reason="Not Found")}
    agent = await open_agent(workspace, ScriptedModel(), {"rag_add": Policy.ALLOW})
    async with watching(agent) as watcher:
        assert await agent.retry() == 0
        await agent.submit("/rag retry")
        await watcher.notice("[没有可以重试的来源]")
        await agent.ingest([f"{server.url}/one", f"{server.url}/two", "missing.md", "a.md"], tags=["海"])
        await agent.wait_idle()
        assert await agent.retry(["never heard of"]) == 0

        server.pages |= {"/one": page("一")}
        assert await agent.retry([f"{server.url}/one"]) == 1
        await agent.wait_idle()
        assert (await tags_of(agent))[f"{server.url}/one"] == ("海",)

        server.pages |= {"/two": page("二")}
        write_files(workspace, {"missing.md": "# 丁\n\n回来了。"})
        await agent.submit("/rag retry")
        await watcher.notice("[正在重试 2 个来源]")
        await agent.wait_idle()
        tagged = await tags_of(agent)
        assert tagged[f"{server.url}/two"] == tagged["missing.md"] == ("海",)
        assert await agent.retry() == 0


async def test_what_was_never_agreed_to_is_asked_about_when_tried_again(workspace: Path) -> None:
    async with watching(await open_agent(workspace, ScriptedModel())) as watcher:
        agent = watcher.agent
        await agent.ingest(["missing.md"])
        await agent.wait_idle()
        write_files(workspace, {"missing.md": "# 丁\n\n回来了。"})
        assert await agent.retry() == 1
        review = await watcher.until(ev.IngestReview)
        agent.answer(review.request_id, ev.IngestDecision())
        await agent.wait_idle()
        assert (await snapshot(agent)).documents == ()


async def test_a_failed_sync_is_tried_again(workspace: Path) -> None:
    agent = await open_agent(workspace, ScriptedModel(), {"rag_add": Policy.ALLOW})
    async with watching(agent) as watcher:
        await agent.ingest(["a.md"])
        await agent.wait_idle()
        (workspace / "a.md").unlink()
        await agent.sync()
        await agent.wait_idle()
        write_files(workspace, {"a.md": "# 甲\n\n鲸鱼又唱歌了。"})
        assert await agent.retry() == 1
        ended = await watcher.until(ev.IngestEnded, lambda event: event.result.state is IngestState.UPDATED)
        assert ended.result.source == "a.md"
        await agent.wait_idle()


async def test_tags_by_hand(workspace: Path) -> None:
    agent = await open_agent(workspace, ScriptedModel(), {"rag_add": Policy.ALLOW})
    async with watching(agent) as watcher:
        await agent.submit("/rag tag")
        await watcher.notice("还没有标签")
        await agent.ingest(["a.md", "b.md"])
        await agent.wait_idle()
        await agent.submit("/rag tag a.md b.md nothing.md +读书 ＋海")
        await watcher.notice("[知识库里没有 nothing.md]")
        await watcher.notice("[已更新 2 个文档的标签]")
        await agent.submit("/rag tag b.md -海")
        await watcher.notice("[已更新 1 个文档的标签]")
        await agent.submit("/rag tag b.md -海")
        await watcher.notice("[标签没有变化]")
        assert await tags_of(agent) == {"a.md": ("海", "读书"), "b.md": ("读书",)}
        await agent.submit("/rag tag")
        assert (await watcher.notice("标签：")).text == "标签：\n  海（1 个文档）\n  读书（2 个文档）"
        await agent.submit("/rag tag a.md")
        await watcher.notice("《甲》：#海 #读书")
        await agent.submit("/rag tag nothing.md")
        await watcher.notice("知识库里没有 nothing.md\n用法：/rag tag")
        for wrong in ("+读书", "a.md +"):
            await agent.submit(f"/rag tag {wrong}")
            await watcher.notice("用法：/rag tag <来源>... [+标签] [-标签]")
        await agent.submit("/rag tag a.md +a,b")
        await watcher.notice("逗号")
        with pytest.raises(TagError):
            await agent.tag(["a.md"], add=[""])


async def test_stopping_by_command(workspace: Path) -> None:
    async with watching(await open_agent(workspace, ScriptedModel())) as watcher:
        await watcher.agent.submit("/rag cancel")
        await watcher.notice("[没有正在进行的采集]")
        await watcher.agent.submit("/rag cancel now")
        await watcher.notice("用法：/rag cancel")
        await watcher.agent.submit("/rag add a.md")
        await watcher.until(ev.IngestReview)
        await watcher.agent.submit("/rag cancel")
        await watcher.notice("[已取消采集]")
        await watcher.agent.wait_idle()


async def test_a_changed_file_is_marked(workspace: Path) -> None:
    agent = await open_agent(workspace, ScriptedModel(), {"rag_add": Policy.ALLOW})
    async with watching(agent) as watcher:
        await agent.ingest(["a.md"])
        await agent.wait_idle()
        write_files(workspace, {"a.md": "# 甲\n\n鲸鱼在夜里唱了一首很长的歌。"})
        await agent.ingest(["b.md"])  # after each batch sources are looked at
        await watcher.until(
            ev.KnowledgeChanged,
            lambda event: any(d.source == "a.md" and d.badge == "stale" for d in event.documents),
        )
        await agent.wait_idle()


async def test_a_batch_is_told_as_a_whole(workspace: Path) -> None:
    agent = await open_agent(workspace, ScriptedModel(), {"rag_add": Policy.ALLOW})
    async with watching(agent) as watcher:
        await agent.ingest(["."])
        moved = await watcher.until(
            ev.BatchMoved, lambda event: event.progress is not None and event.progress.done == 3
        )
        assert moved.progress is not None
        assert (moved.progress.total, moved.progress.failed) == (3, 0)
        await watcher.until(ev.BatchMoved, lambda event: event.progress is None)
        assert (await snapshot(agent)).batch is None
        await agent.wait_idle()


def _done(event: ev.BatchMoved) -> int:
    return event.progress.done if event.progress else 0
