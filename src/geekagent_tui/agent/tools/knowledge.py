"""The knowledge base as the model's tools."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from geekagent_tui.agent.focusing import Focusing
from geekagent_tui.agent.ingest import Ingests
from geekagent_tui.agent.ingest_report import IngestReport
from geekagent_tui.agent.models.base import ToolSpec
from geekagent_tui.agent.scope import scoped
from geekagent_tui.agent.tools.base import Arguments, Outcome, ToolError, object_schema, text_argument, texts
from geekagent_tui.i18n import _, ngettext
from geekagent_tui.rag.errors import RagError

if TYPE_CHECKING:
    from geekagent_tui.rag.service import RagService

HITS = 4
"""Passages a search gives at most."""

MOST_PAGES = 50
"""Pages that a model may ask a crawl to lead to."""

MOST_TAGS = 10
"""Tags that a model may put on what it adds."""


class RagSearch:
    """`rag_search`: look a question up in the knowledge base."""

    spec = ToolSpec(
        "rag_search",
        "在知识库里检索，返回最相关的几段原文及其出处《标题》第 N 段。",
        object_schema({"query": "要找什么：关键词或一个完整的问题"}),
        read_only=True,
    )
    asks_itself = False
    guarded = False

    def __init__(self, rag: RagService, focusing: Focusing) -> None:
        self._rag = rag
        self._focusing = focusing

    def target(self, arguments: Arguments) -> str:
        """The query."""
        return text_argument(arguments, "query")

    async def run(self, arguments: Arguments) -> Outcome:
        """Search."""
        within = self._focusing.within
        result = await self._rag.search(text_argument(arguments, "query"), limit=HITS, within=within)
        found = len(result.hits)
        return Outcome(
            scoped(result, within),
            ngettext("{n} 段", "{n} 段", found).format(n=found),
            hits=result.hits,
        )


class RagAdd:
    """`rag_add`: bring sources into the knowledge base, after asking the user.

    The model gets one line for each source, never the text of one.
    """

    spec = ToolSpec(
        "rag_add",
        "把网页、文件或文件夹加入知识库。会先请用户确认；只返回一行结果，内容请之后用 rag_search 检索。",
        object_schema(
            {},
            source={"type": "string", "description": "一个网页 URL，或文件、文件夹的路径"},
            sources={
                "type": "array",
                "items": {"type": "string"},
                "description": "多个来源时用它代替 source",
            },
            reason={"type": "string", "description": "为什么需要它，一句话，会显示给用户"},
            tags={"type": "array", "items": {"type": "string"}, "description": "给加入的文档加上的标签"},
            crawl={
                "type": "integer",
                "minimum": 0,
                "maximum": MOST_PAGES,
                "description": "沿链接采集同一网站，最多几个网页；0 只采集这一页",
            },
        ),
    )
    asks_itself = True
    guarded = False

    def __init__(self, ingests: Ingests, new_report: Callable[[], IngestReport]) -> None:
        self._ingests = ingests
        self._new_report = new_report

    def target(self, arguments: Arguments) -> str:
        """The sources."""
        return " ".join(_sources(arguments))

    async def run(self, arguments: Arguments) -> Outcome:
        """Ask the user, then ingest."""
        sources = _sources(arguments)
        if not sources:
            raise ToolError(_("缺少要采集的来源"))
        report = self._new_report()
        try:
            await self._ingests.run(
                sources,
                report,
                reason=text_argument(arguments, "reason"),
                crawl=_pages(arguments),
                tags=texts(arguments.get("tags"))[:MOST_TAGS],
            )
        except RagError as error:
            raise ToolError(_("采集失败：{reason}").format(reason=error.message)) from error
        finally:
            report.close()
        return Outcome(report.text(), report.summary(), report.state())


def _sources(arguments: Arguments) -> list[str]:
    """`source` and `sources`, without blanks and repetitions."""
    named = [text_argument(arguments, "source"), *texts(arguments.get("sources"))]
    return list(dict.fromkeys(text for text in named if text))


def _pages(arguments: Arguments) -> int:
    """`crawl`, within its bounds; 0 when it is missing or no number."""
    value = arguments.get("crawl")
    return min(max(0, value), MOST_PAGES) if isinstance(value, int) else 0
