"""What the offline model says: excerpts of the material with their places, or what to do instead."""

from __future__ import annotations

from geekagent_tui.agent.messages import ToolMessage
from geekagent_tui.agent.models.excerpts import Excerpt, best_excerpts
from geekagent_tui.agent.models.quoting import literal, quote, quote_code
from geekagent_tui.agent.scope import limited
from geekagent_tui.i18n import _


def greeting() -> str:
    """Who it is and what it can do."""
    return _(
        "你好！我是 GeekAgent 内置的离线模型：不联网，也不推理，只从你的资料里摘录原文，并注明出处。\n\n"
        "- 加入资料：输入 `/rag add` 加网址或文件路径\n"
        "- 然后直接提问，例如“触发阈值是多少？”\n"
        "- 接入真正的模型：设置 `OPENAI_BASE_URL`、`OPENAI_API_KEY` 和 `OPENAI_MODEL`"
        "（环境变量或工作区的 `.env`），再重新启动"
    )


def search_denied() -> str:
    """It has no tool to answer with."""
    return _(
        "离线模型只能摘录知识库里的原文，但检索工具 rag_search 被设为不允许。"
        "请在 `.geekagent/GeekAgent.json` 里允许它，或接入真正的模型。"
    )


def answer(question: str, found: ToolMessage) -> str:
    """The answer from what `rag_search` gave. Blocks: call it off the event loop.

    Args:
        question: The user's words.
        found: The search's answer.
    """
    if found.failed:
        return _("这次没能检索知识库：{reason}").format(reason=literal(found.content))
    if found.content == _("知识库还是空的，先用 rag_add 或 /rag add 采集"):
        return _(
            "知识库还是空的，没有资料可以回答。"
            "先用 `/rag add` 加入网页或文件，例如 `/rag add 笔记.md`，再问一次。"
        )
    excerpts = best_excerpts(question, found.hits)
    if not excerpts and found.content.endswith(limited()):
        return _(
            "选定的文档没有回答这个问题。可以换个更具体的说法再问，或者用 `/rag only off` 检索全部文档。"
        )
    if not excerpts:
        return _(
            "知识库里的资料没有回答这个问题。可以换个更具体的说法再问，"
            "或者用 `/rag add` 加入相关的网页或文件。"
        )
    label = _("（离线模型：以下是资料原文摘录，不是推理得出的回答。）")
    return "\n\n".join([label, *map(_cited, excerpts)])


def _cited(excerpt: Excerpt) -> str:
    quoted = quote_code(excerpt.text, excerpt.language) if excerpt.code else quote(excerpt.text)
    hit = excerpt.hit
    # Not translated: the core finds and checks citations by this form, whatever the language.
    return f"{quoted}\n\n《{literal(hit.title)}》第 {hit.passage} 段"
