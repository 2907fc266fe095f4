"""`todo_write`: the model's list of what is to be done, which belongs to the session."""

from __future__ import annotations

from geekagent_tui.agent.journal import Journal
from geekagent_tui.agent.models.base import ToolSpec
from geekagent_tui.agent.records import Planned
from geekagent_tui.agent.todos import Todo, TodoStatus
from geekagent_tui.agent.tools.base import Arguments, Outcome, ToolError, object_schema
from geekagent_tui.i18n import _, ngettext

ITEMS = 100
CHARACTERS = 500


class TodoWrite:
    """`todo_write`: replace the whole list."""

    spec = ToolSpec(
        "todo_write",
        "更新任务清单：每次给出完整的清单，会替换原来的。多步骤的任务先列清单；"
        "同一时间只能有一项 in_progress。",
        object_schema(
            {},
            todos={
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "content": {"type": "string", "description": "要做什么"},
                        "status": {"type": "string", "enum": [status.value for status in TodoStatus]},
                    },
                    "required": ["content", "status"],
                },
            },
        )
        | {"required": ["todos"]},
    )
    asks_itself = False
    guarded = False

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def target(self, arguments: Arguments) -> str:
        """How many items."""
        todos = arguments.get("todos")
        count = len(todos) if isinstance(todos, list) else 0
        return ngettext("{n} 项", "{n} 项", count).format(n=count)

    async def run(self, arguments: Arguments) -> Outcome:
        """Replace it."""
        given = arguments["todos"]
        if not isinstance(given, list) or len(given) > ITEMS:
            raise ToolError(_("TODO 格式无效"))
        todos = tuple(map(_todo, given))
        if sum(todo.status is TodoStatus.IN_PROGRESS for todo in todos) > 1:
            raise ToolError(_("同一时间只能有一个进行中的 TODO"))
        self._journal.record(Planned(todos))
        count = len(todos)
        return Outcome(
            ngettext("已更新 {n} 项 TODO", "已更新 {n} 项 TODO", count).format(n=count),
            ngettext("{n} 项", "{n} 项", count).format(n=count),
        )


def _todo(value: object) -> Todo:
    content, status = (value.get("content"), value.get("status")) if isinstance(value, dict) else (None, None)
    if not isinstance(content, str) or not content.strip() or status not in list(TodoStatus):
        raise ToolError(_("TODO 格式无效"))
    return Todo(" ".join(content.split())[:CHARACTERS], TodoStatus(status))
