"""Where the user types: several lines, history, completion."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import TextArea

from geekagent_tui.i18n import _, ngettext
from geekagent_tui.sanitize import clean
from geekagent_tui.ui.gateway import CommandHint
from geekagent_tui.ui.pasted import only_sources
from geekagent_tui.ui.widgets import completion
from geekagent_tui.ui.widgets.completion import Completion, Completions

_LARGE_PASTE = 5_000
"""Characters from which on a paste is shown as one mark: Textual takes 0.7 s a megabyte, and 0.4 s for each
key afterwards when it is one line."""
_LONG_PASTE = 60
"""Lines, likewise."""
_KEPT = 200


class Composer(TextArea):
    """The prompt.

    Args:
        folder: Where paths begin.
        completions: The list that shows what may come next.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "send", "", id="composer.send"),
        Binding("ctrl+j,shift+enter,alt+enter", "newline", "", id="composer.newline", priority=False),
        Binding("tab", "complete", "", id="composer.complete"),
        Binding("ctrl+underscore", "undo", "", id="composer.undo"),  # Ctrl+Z suspends
    ]

    class Sent(Message):
        """The user sent what was typed."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class SourcesPasted(Message):
        """What was pasted is nothing but sources."""

    def __init__(self, folder: Path, completions: Completions) -> None:
        super().__init__(id="composer", compact=True, highlight_cursor_line=False, soft_wrap=True)
        self.hints: Callable[[], Sequence[CommandHint]] = tuple
        self._folder = folder
        self._completions = completions
        self._history: list[str] = []
        self._place: int | None = None
        self._draft = ""
        self._pastes: dict[str, str] = {}

    def on_mount(self) -> None:
        """Say what can be typed."""
        self.placeholder = _("问点什么，或输入 / 查看命令")

    def remember(self, texts: Sequence[str]) -> None:
        """Put earlier messages of the user into the history, oldest first."""
        for text in texts:
            if not self._history or self._history[-1] != text:
                self._history.append(text)
        del self._history[:-_KEPT]

    def fill(self, text: str) -> None:
        """Put a text here to be changed; what is being typed stays, behind it."""
        draft = self._expanded()
        self._reset()
        self.load_text(f"{text}\n{draft}" if draft.strip() else text)
        self.move_cursor(self.document.end)
        self.focus()

    # --- keys ---------------------------------------------------------------------------------------------

    async def on_key(self, event: events.Key) -> None:
        """Do at once what a key does here.

        Textual runs a binding only after its key has gone up to the application, and text is typed at once:
        what follows Enter in a fast burst would become part of the message before.
        """
        if event.key in ("shift+\r", "alt+\r"):  # how tmux's extended keys arrive
            event.prevent_default()
            event.stop()
            self.action_newline()
            return
        if event.is_printable:
            return
        if event.key in ("tab", "up", "down") and self._completions.line != self.text:
            await self._look()
        bound = self.screen.active_bindings.get(event.key)
        if bound is None or bound.node is not self or not bound.enabled:
            return
        # One that has nothing to do, such as copying without a selection, leaves its key to others.
        if await self.app.run_action(bound.binding.action, self):
            event.prevent_default()
            event.stop()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Tab goes to the next widget when there is nothing to complete."""
        return action != "complete" or not self.is_mounted or self._completions.is_open

    def action_newline(self) -> None:
        """Break the line."""
        self.insert("\n")

    def action_send(self) -> None:
        """Send; or take the completion the user went to; or break the line after a backslash."""
        chosen = self._completions.chosen(self.text) if self._completions.moved else None
        if chosen is not None and chosen.text.rstrip() != self.text.rstrip():
            self.take(chosen)
            return
        row, column = self.cursor_location
        if column and self.document.get_line(row)[:column].endswith("\\"):
            self.replace("\n", (row, column - 1), (row, column))
            return
        text = self._expanded()
        if text.strip():
            self.remember([text])
            self._reset()
            self.post_message(self.Sent(text))

    def action_complete(self) -> None:
        """Take the completion under the cursor."""
        if (chosen := self._completions.chosen(self.text)) is not None:
            self.take(chosen)

    def action_cursor_up(self, select: bool = False) -> None:
        """Up: in the list of completions, in the text, or into history from the first line."""
        if self._completions.is_open:
            self._completions.move(-1)
        elif not select and self.cursor_at_first_line:
            self._recall(-1)
        else:
            super().action_cursor_up(select)

    def action_cursor_down(self, select: bool = False) -> None:
        """Down: likewise, from the last line."""
        if self._completions.is_open:
            self._completions.move(1)
        elif not select and self.cursor_at_last_line:
            self._recall(1)
        else:
            super().action_cursor_down(select)

    def _recall(self, step: int) -> None:
        if not self._history or (self._place is None and step > 0):
            return
        if self._place is None:
            self._draft = self.text
            self._place = len(self._history)
        place = max(0, self._place + step)
        text = self._history[place] if place < len(self._history) else self._draft
        self.load_text(text)
        self.move_cursor(self.document.end if step > 0 else (0, len(text.split("\n", 1)[0])))
        self._place = place if place < len(self._history) else None
        self._completions.close(text)

    def _reset(self) -> None:
        self.load_text("")
        self._place, self._draft = None, ""
        self._pastes.clear()
        self._completions.close("")

    # --- pasting ------------------------------------------------------------------------------------------

    async def on_paste(self, event: events.Paste) -> None:
        """Take what is pasted; a large paste is shown as one mark and sent whole."""
        event.prevent_default()
        event.stop()
        text = await asyncio.to_thread(clean, event.text)
        lines = text.count("\n") + 1
        if len(text) > _LARGE_PASTE or lines > _LONG_PASTE:
            mark = ngettext("[粘贴 {k}：{n} 行]", "[粘贴 {k}：{n} 行]", lines)
            mark = mark.format(k=len(self._pastes) + 1, n=lines)
            self._pastes[mark] = text
            text = mark
        start, end = self.selection
        result = self.replace(text, start, end, maintain_selection_offset=False)
        self.move_cursor(result.end_location)
        if await asyncio.to_thread(only_sources, text, self._folder):
            self.post_message(self.SourcesPasted())

    def _expanded(self) -> str:
        text = self.text
        for mark, pasted in self._pastes.items():
            text = text.replace(mark, pasted)
        return text

    # --- completion ---------------------------------------------------------------------------------------

    def on_text_area_changed(self) -> None:
        """Look what may come next."""
        if self.text.startswith(completion.ADD) and self._completable():
            self.run_worker(self._look(), group="complete", exclusive=True)
        else:
            self._offer_commands()

    def _completable(self) -> bool:
        text = self.text
        one_line = text.startswith("/") and "\n" not in text
        return one_line and self.cursor_location[1] == len(text) and self._place is None

    async def _look(self) -> None:
        """Offer what may come next; reads a folder where a path is typed."""
        text = self.text
        if not (text.startswith(completion.ADD) and self._completable()):
            self._offer_commands()
            return
        found = await asyncio.to_thread(completion.paths, self._folder, text)
        if self.text == text:
            self._completions.show(found, text)

    def _offer_commands(self) -> None:
        text = self.text
        found = completion.commands(self.hints(), text) if self._completable() else []
        self._completions.show([c for c in found if c.text.rstrip() != text.rstrip() or c.detail], text)

    def take(self, chosen: Completion) -> None:
        """Make the line what was chosen."""
        self.load_text(chosen.text)
        self.move_cursor(self.document.end)

    def on_blur(self) -> None:
        """The list belongs to typing."""
        self._completions.close(self.text)
