"""Long-term memory as the model's tools."""

from __future__ import annotations

from collections.abc import Callable

from geekagent_tui.agent.memory import Memory, Written
from geekagent_tui.agent.models.base import ToolSpec
from geekagent_tui.agent.tools.base import Arguments, Outcome, object_schema, text_argument
from geekagent_tui.i18n import _, ngettext

HITS = 5
"""Pieces of memory a search gives at most."""


class MemoryWrite:
    """`memory_write`: keep one lasting fact."""

    spec = ToolSpec(
        "memory_write",
        "把一条长期有效的事实或偏好写入长期记忆，供以后的会话使用。不要记录任务进度。",
        object_schema({"content": "要记住的内容，一句完整的话"}),
    )
    asks_itself = False
    guarded = True

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def target(self, arguments: Arguments) -> str:
        """Long-term memory as a whole."""
        return _("长期记忆")

    async def run(self, arguments: Arguments) -> Outcome:
        """Write it down."""
        written, content = await self._memory.write(text_argument(arguments, "content"))
        match written:
            case Written.KNOWN:
                return Outcome(_("这条记忆已经存在"), _("已存在"))
            case Written.CUT:
                return Outcome(_("已记住（过长已截短）：{content}").format(content=content), _("已截短"))
            case Written.NEW:
                return Outcome(_("已记住：{content}").format(content=content), _("已记住"))


class MemorySearch:
    """`memory_search`: look something up in long-term memory.

    Args:
        memory: Where.
        met_foreign: Called when memories are found that were not written here.
    """

    spec = ToolSpec(
        "memory_search",
        "在长期记忆里查找，返回最相关的几条。",
        object_schema({"query": "要找什么，用几个关键词或一句话"}),
        read_only=True,
    )
    asks_itself = False
    guarded = False

    def __init__(self, memory: Memory, met_foreign: Callable[[], None]) -> None:
        self._memory = memory
        self._met_foreign = met_foreign

    def target(self, arguments: Arguments) -> str:
        """The query."""
        return text_argument(arguments, "query")

    async def run(self, arguments: Arguments) -> Outcome:
        """Search."""
        found = await self._memory.search(text_argument(arguments, "query"), HITS)
        if not found:
            return Outcome(_("没有找到相关记忆"), ngettext("{n} 条", "{n} 条", 0).format(n=0))
        if await self._memory.from_elsewhere(found):
            self._met_foreign()
        lines = [_("找到 {n} 条相关记忆：").format(n=len(found))]
        lines += [f"{number}. {piece.label()}" for number, piece in enumerate(found, start=1)]
        return Outcome("\n".join(lines), ngettext("{n} 条", "{n} 条", len(found)).format(n=len(found)))
