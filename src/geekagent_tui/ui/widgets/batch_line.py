"""The running batch on one line, where the knowledge panel is not in view."""

from __future__ import annotations

from textual import events
from textual.content import Content

from geekagent_tui.rag.model import BatchProgress
from geekagent_tui.ui import ev
from geekagent_tui.ui.panels.follower import Follower
from geekagent_tui.ui.widgets.batch_rows import compact_line


class BatchLine(Follower):
    """Not there when no batch is running; a click goes to the knowledge base."""

    def __init__(self) -> None:
        super().__init__(id="batch-line")
        self._batch: BatchProgress | None = None

    def on_mount(self) -> None:
        """Begin with nothing."""
        self.set_class(True, "-idle")

    async def take(self, event: ev.Event) -> None:
        """Keep the figures."""
        match event:
            case ev.Snapshot():
                self._batch = event.batch
            case ev.BatchMoved():
                self._batch = event.progress
            case _:
                return
        self.set_class(self._batch is None, "-idle")
        self.refresh()

    def render(self) -> Content:
        """The line."""
        return compact_line(self._batch, self.content_size.width) if self._batch else Content("")

    async def on_click(self, event: events.Click) -> None:
        """Show more of it."""
        event.stop()
        await self.run_action("app.panel('knowledge')")
