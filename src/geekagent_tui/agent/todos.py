"""The list of what is to be done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from geekagent_tui.i18n import _


class TodoStatus(StrEnum):
    """Where an item stands."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"


@dataclass(frozen=True, slots=True)
class Todo:
    """One item; its content is the model's, on one line."""

    content: str
    status: TodoStatus


_MARKS = {TodoStatus.PENDING: "[ ]", TodoStatus.IN_PROGRESS: "[>]", TodoStatus.COMPLETED: "[x]"}


def todo_text(todos: Sequence[Todo]) -> str:
    """The list as `/todos` shows it."""
    if not todos:
        return _("（暂无 TODO）")
    return "\n".join([_("TODO："), *(f"{_MARKS[todo.status]} {todo.content}" for todo in todos)])
