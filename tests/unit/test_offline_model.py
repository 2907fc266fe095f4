"""The offline model searches first and quotes what it finds, word for word."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import pytest
from markdown_it import MarkdownIt

from geekagent_tui.agent.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from geekagent_tui.agent.models.base import ChatModel, Reply, TextDelta, ToolSpec
from geekagent_tui.agent.models.excerpts import best_excerpts
from geekagent_tui.agent.models.offline import OfflineModel
from geekagent_tui.rag.model import Hit

SEARCH = ToolSpec("rag_search", "检索", {"type": "object"})
QUESTION = "这套笔记里，历史压缩相关的触发阈值是多少？"
COMPACTION = """\
## 什么时候压缩

每次用户输入被放进历史之后，程序都会量一遍历史的大小。算法很朴素：把字符数加起来。
这样得到的不是 token 数，但足够稳定。

历史压缩的触发阈值是常量 `MAX_HISTORY_CHARS`，默认 4000 个字符；总长度超过它才会压缩，没有超过就什么也
不做。想换一个数，可以设置环境变量 `GEEKAGENT_MAX_HISTORY`。

```js
const KEEP_RECENT = 6;
function needsCompact(history) {}
```

| 情况 | 程序的反应 |
| --- | --- |
| 请求出错 | 保留原历史，这一轮继续 |
"""
TASKS = "任务清单由模型维护。历史压缩不会影响它。子 Agent 没有历史。"


def hit(text: str, title: str = "Day 5 学习笔记", passage: int = 1) -> Hit:
    return Hit(7, title, "day5.html", passage, 0, text, "", 1.0)


def searched(question: str, *hits: Hit, content: str = "命中 1 块：", failed: bool = False) -> list[Message]:
    call = ToolCall("c1", "rag_search", json.dumps({"query": question}))
    return [
        UserMessage("以前的问题"),
        AssistantMessage("以前的回答"),
        UserMessage(question),
        AssistantMessage("", (call,)),
        ToolMessage("c1", "rag_search", content, hits, failed),
    ]


async def ask(messages: Sequence[Message], tools: Sequence[ToolSpec] = (SEARCH,)) -> Reply:
    model: ChatModel = OfflineModel()
    events = [event async for event in model.stream("system", messages, tools)]
    *deltas, reply = events
    assert isinstance(reply, Reply)
    assert all(isinstance(delta, TextDelta) and len(delta.text) <= 6 for delta in deltas)
    assert "".join(delta.text for delta in deltas if isinstance(delta, TextDelta)) == reply.text
    await model.close()
    return reply


async def test_a_question_is_searched_for_first() -> None:
    earlier = searched("别的问题", hit(TASKS))
    replies = [await ask([*earlier, AssistantMessage("好"), UserMessage(QUESTION)]) for _time in range(2)]
    (call,) = replies[0].tool_calls
    assert (call.name, json.loads(call.arguments)) == ("rag_search", {"query": QUESTION})
    assert replies[0].finish == "tool_calls"
    assert call.id != replies[1].tool_calls[0].id


async def test_the_answer_is_the_sentence_with_its_citation() -> None:
    reply = await ask(searched(QUESTION, hit(COMPACTION, passage=2), hit(TASKS, "Day 9 学习笔记")))
    label, first, citation, *_rest = reply.text.split("\n\n")
    assert label == "（离线模型：以下是资料原文摘录，不是推理得出的回答。）"
    assert first == (
        r"> 历史压缩的触发阈值是常量 `MAX_HISTORY_CHARS`，默认 4000 个字符；"
        "总长度超过它才会压缩，没有超过就什么也不做。"
    )
    assert citation == "《Day 5 学习笔记》第 2 段"
    assert reply.text.count("》第") <= 3
    assert not reply.tool_calls


@pytest.mark.parametrize("greeting", ["你好", "Hello!", "谢谢", ""])
async def test_a_greeting_is_answered_without_a_search(greeting: str) -> None:
    reply = await ask([UserMessage(greeting, recalled="《x》第 1 段：历史压缩")])
    assert not reply.tool_calls
    assert "/rag add" in reply.text
    assert "OPENAI_BASE_URL" in reply.text


async def test_what_the_material_does_not_say_is_said_plainly() -> None:
    reply = await ask(searched("火星上有没有水？", content="没有命中任何知识块，换个更聚焦的说法再试"))
    assert reply.text.startswith("知识库里的资料没有回答这个问题")
    assert "》第" not in reply.text


async def test_an_empty_base_is_told_how_to_be_filled() -> None:
    reply = await ask(searched("火星？", content="知识库还是空的，先用 rag_add 或 /rag add 采集"))
    assert reply.text.startswith("知识库还是空的")
    assert "/rag add" in reply.text


async def test_a_failed_search_is_no_answer() -> None:
    reply = await ask(searched("火星？", content="工具执行失败：*坏了*", failed=True))
    assert reply.text == r"这次没能检索知识库：工具执行失败：\*坏了\*"


async def test_without_the_search_tool_it_says_so() -> None:
    reply = await ask([UserMessage(QUESTION)], tools=())
    assert not reply.tool_calls
    assert "rag_search" in reply.text


async def test_code_is_quoted_whole() -> None:
    reply = await ask(searched("KEEP_RECENT 是多少？", hit(COMPACTION)))
    assert "> ```js\n> const KEEP_RECENT = 6;\n> function needsCompact(history) {}\n> ```" in reply.text


async def test_a_table_row_is_quoted_whole() -> None:
    reply = await ask(searched("请求出错时怎么办？", hit(COMPACTION)))
    assert reply.text.split("\n\n")[1] == r"> \| 请求出错 | 保留原历史，这一轮继续 |"


async def test_foreign_text_comes_out_as_text() -> None:
    evil = (
        "# 压缩\n\n压缩阈值见 ![图](http://x.cn/a.png) <b>这里</b> [@click=app.quit]退出[/] http://evil.com。"
    )
    reply = await ask(searched("压缩阈值？", hit(evil, title="[坏](http://evil.com) *标题*")))
    tokens = MarkdownIt("gfm-like").parse(reply.text)
    kinds = {child.type for token in tokens for child in token.children or []}
    assert kinds == {"text"}
    shown = "".join(child.content for token in tokens for child in token.children or [])
    assert "![图](http://x.cn/a.png) <b>这里</b>" in shown
    assert "《[坏](http://evil.com) *标题*》第 1 段" in shown


def test_rare_terms_weigh_more_and_nothing_is_said_twice() -> None:
    same = "压缩历史。压缩历史记录。压缩阈值为四千。"
    excerpts = best_excerpts("压缩阈值", [hit(same), hit(same, passage=2)])
    assert [(excerpt.text, excerpt.hit.passage) for excerpt in excerpts] == [("压缩阈值为四千。", 1)]


def test_a_passage_found_by_its_heading_alone_gives_its_beginning() -> None:
    (first, *_rest) = best_excerpts("部署", [hit("# 部署\n\n先停机。再拷贝。最后启动。"), hit("无关。")])
    assert first.text == "先停机。"
    assert [excerpt.text for excerpt in best_excerpts("部署", [hit("# 部署")])] == ["# 部署"]


def test_lines_are_joined_as_their_script_wants() -> None:
    (excerpt,) = best_excerpts("threshold", [hit("- The threshold\n  is 4000 characters.")])
    assert excerpt.text == "The threshold is 4000 characters."
    (excerpt,) = best_excerpts("阈值", [hit("阈值是\n四千，单位是\n  字符")])
    assert excerpt.text == "阈值是四千，单位是字符"


@pytest.mark.parametrize("text", ["", " \n", "```", "```\n```", "|", "| - |", "。", "~~~py\nx", "- ", "#"])
def test_strange_passages_are_no_trouble(text: str) -> None:
    for excerpt in best_excerpts("压缩", [hit(text)]):
        assert re.search(r"\S", excerpt.text)
