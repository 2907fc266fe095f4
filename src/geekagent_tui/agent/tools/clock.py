"""The time of day."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from geekagent_tui.agent.models.base import ToolSpec
from geekagent_tui.agent.tools.base import Arguments, Outcome, object_schema


class CurrentTime:
    """`get_current_time`: the time in China, written as the reference writes it."""

    spec = ToolSpec("get_current_time", "取得当前日期和时间（北京时间）。", object_schema({}), read_only=True)
    asks_itself = False
    guarded = False

    def __init__(self, clock: Callable[[], datetime] = lambda: datetime.now().astimezone()) -> None:
        self._clock = clock

    def target(self, arguments: Arguments) -> str:
        """Nothing."""
        return ""

    async def run(self, arguments: Arguments) -> Outcome:
        """Tell the time: `2026/8/26 20:42:11`."""
        time = self._clock().astimezone(_beijing())
        text = f"{time.year}/{time.month}/{time.day} {time:%H:%M:%S}"
        return Outcome(text, text)


def _beijing() -> ZoneInfo | None:
    try:
        return ZoneInfo("Asia/Shanghai")
    except ZoneInfoNotFoundError:
        return None  # a system without time zone data: its own local time
