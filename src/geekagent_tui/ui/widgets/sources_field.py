"""Where sources are typed: words and lines, quotes, paths that complete."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import TextArea

from geekagent_tui.i18n import _
from geekagent_tui.sanitize import clean
from geekagent_tui.ui.widgets import completion
from geekagent_tui.ui.widgets.completion import ADD, Completion, Completions


class SourcesField(TextArea):
    """Sources as they are typed; Enter is done, Tab completes a path.

    Args:
        text: What is there at first.
        folder: Where paths begin.
        completions: The list that shows what a path may become.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "done", "", id="dialog.sources", priority=True),
        Binding("ctrl+j,shift+enter,alt+enter", "newline", "", id="dialog.newline"),
        Binding("tab", "complete", "", id="dialog.complete", priority=True),
        Binding("escape", "close", "", show=False, id="dialog.close-list", priority=True),
    ]

    class Done(Message):
        """The user has typed all."""

    def __init__(self, text: str, folder: Path, completions: Completions) -> None:
        super().__init__(text, id="typed", compact=True, highlight_cursor_line=False, soft_wrap=True)
        self._folder = folder
        self._completions = completions

    def on_mount(self) -> None:
        """Say what can be typed."""
        self.placeholder = _("网址、文件、文件夹或通配符；可写多个，用空格或换行分开")
        self.move_cursor(self.document.end)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys of the list are its own only while it is there."""
        return action not in ("complete", "close") or self._completions.is_open

    def action_done(self) -> None:
        """Take the completion that was gone to; else it is all."""
        chosen = self._completions.chosen(self._line()) if self._completions.moved else None
        if chosen is not None:
            self.take(chosen)
        else:
            self._completions.close()
            self.post_message(self.Done())

    def action_newline(self) -> None:
        """Break the line."""
        self.insert("\n")

    def action_complete(self) -> None:
        """Take the completion under the cursor."""
        if (chosen := self._completions.chosen(self._line())) is not None:
            self.take(chosen)

    def action_close(self) -> None:
        """Offer nothing more."""
        self._completions.close()

    def action_cursor_up(self, select: bool = False) -> None:
        """Up: in the list, else in the text."""
        if self._completions.is_open:
            self._completions.move(-1)
        else:
            super().action_cursor_up(select)

    def action_cursor_down(self, select: bool = False) -> None:
        """Down: likewise; from the last line on to what comes next."""
        if self._completions.is_open:
            self._completions.move(1)
        elif self.cursor_at_last_line and not select:
            self.screen.focus_next()
        else:
            super().action_cursor_down(select)

    async def on_paste(self, event: events.Paste) -> None:
        """Take what is pasted or dropped, cleaned."""
        event.prevent_default()
        event.stop()
        text = await asyncio.to_thread(clean, event.text)
        start, end = self.selection
        result = self.replace(text, start, end, maintain_selection_offset=False)
        self.move_cursor(result.end_location)

    # --- completion ---------------------------------------------------------------------------------------

    def _line(self) -> str:
        """The line of the cursor, as `/rag add` would have it."""
        return ADD + self.document.get_line(self.cursor_location[0])

    def on_text_area_changed(self) -> None:
        """Look what a path may become."""
        self.run_worker(self._offer(), group="complete", exclusive=True)

    async def _offer(self) -> None:
        line = self._line()
        found: list[Completion] = []
        if self.has_focus and self.cursor_at_end_of_line and line[-1:].strip() and line != ADD:
            found = await asyncio.to_thread(completion.paths, self._folder, line)
        if line == self._line():
            self._completions.show([c for c in found if c.text.rstrip() != line], line)
            self.refresh_bindings()

    def take(self, chosen: Completion) -> None:
        """Make the line of the cursor what was chosen."""
        row = self.cursor_location[0]
        end = (row, len(self.document.get_line(row)))
        result = self.replace(chosen.text[len(ADD) :], (row, 0), end, maintain_selection_offset=False)
        self.move_cursor(result.end_location)

    def on_blur(self) -> None:
        """The list belongs to typing."""
        self._completions.close()
