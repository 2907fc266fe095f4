"""The list of sources that the user agrees to: tick, untick, look inside."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message

from geekagent_tui.rag.model import SourcePreview
from geekagent_tui.ui.widgets.row_list import RowList
from geekagent_tui.ui.widgets.source_rows import LOOK, SourceRow

DIALOG_SHARE = 0.9
"""The part of the screen's height that a dialog may take, as its style sheet says."""
_FEWEST = 3
_AIR = 8
"""Empty lines of a dialog that a lower screen does without."""
_MANY = 100
"""Rows from which on they are measured off the event loop: a few milliseconds."""


class SourceList(RowList):
    """The sources; Space or a click chooses one or leaves it out, V shows the beginning of it.

    Args:
        look: Gives the beginning of what a source holds, by its position; called in a thread.
        beside: Lines that the rest of the dialog takes, at most.
        guarded: Enter only chooses: it may have been meant for something else.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "choose", "", id="dialog.toggle"),
        Binding("a", "all", "", id="dialog.all"),
        Binding("v", "look", "", id="dialog.look"),
        Binding("escape", "fold", "", show=False, id="dialog.fold"),
        Binding("enter", "enter", "", id="dialog.enter"),
    ]

    class Picked(Message):
        """Other sources are chosen, or other ones are there."""

    def __init__(self, look: Callable[[int], tuple[str, ...]], *, beside: int, guarded: bool = False) -> None:
        super().__init__("sources")
        self._look = look
        self._beside = beside
        self._guarded = guarded
        self._previews: Sequence[SourcePreview] = ()
        self._left_out: set[str] = set()
        self._inside: dict[str, tuple[str, ...]] = {}

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The height of all rows, or what is left for them.

        Textual passes by a `max-height` in parts of the screen when it measures the dialog, which would then
        be higher than what is in it.
        """
        air = 0 if self.screen.has_class("-tall") else _AIR
        room = int(self.app.size.height * DIALOG_SHARE) - self._beside + air
        return min(super().get_content_height(container, viewport, width), max(_FEWEST, room))

    @property
    def checked(self) -> list[int]:
        """The positions of those that are chosen."""
        return [place for place, preview in enumerate(self._previews) if self._is_checked(preview)]

    def _is_checked(self, preview: SourcePreview) -> bool:
        return not preview.problem and preview.typed not in self._left_out

    async def offer(self, previews: Sequence[SourcePreview]) -> None:
        """Show other sources; what was left out stays left out."""
        self._previews = previews
        self._inside = {typed: lines for typed, lines in self._inside.items() if self._has(typed)}
        rows = self._made()
        if len(rows) > _MANY:
            width = self.scrollable_content_region.width
            await asyncio.to_thread(lambda: [row.height(width) for row in rows])
        self._tell(rows)

    def _has(self, typed: str) -> bool:
        return any(preview.typed == typed for preview in self._previews)

    def _made(self) -> list[SourceRow]:
        return [
            SourceRow(
                place,
                preview,
                checked=self._is_checked(preview),
                inside=self._inside.get(preview.typed),
            )
            for place, preview in enumerate(self._previews)
        ]

    def _tell(self, rows: Sequence[SourceRow]) -> None:
        self.show(rows)
        self.post_message(self.Picked())

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """Choose a source, or leave it out."""
        event.stop()
        self._left_out ^= {self._previews[int(event.key)].typed}
        self._tell(self._made())

    async def action_enter(self) -> None:
        """Agree; but where the model asks only choose."""
        if self._guarded:
            self.action_choose()
        else:
            await self.run_action("screen.yes")

    def action_all(self) -> None:
        """Choose all; none, when all are chosen."""
        able = {preview.typed for preview in self._previews if not preview.problem}
        all_chosen = not able & self._left_out
        self._left_out = self._left_out | able if all_chosen else self._left_out - able
        self._tell(self._made())

    def action_look(self) -> None:
        """Show the beginning of what the source under the cursor holds, or hide it again."""
        if self.cursor is not None:
            self._look_into(int(self.cursor))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Escape closes what is open here before it closes the dialog."""
        return action != "fold" or bool(self._inside)

    def action_fold(self) -> None:
        """Hide everything that was looked into."""
        self._inside.clear()
        self._tell(self._made())

    def on_click(self, event: events.Click) -> None:
        """The words behind the facts open a row; elsewhere a click chooses it."""
        key = event.style.meta.get(LOOK)
        if key is not None:
            event.prevent_default()
            event.stop()
            self.move_to(str(key))
            self._look_into(int(key))

    def _look_into(self, position: int) -> None:
        typed = self._previews[position].typed
        if typed in self._inside:
            del self._inside[typed]
            self._tell(self._made())
        else:
            self.run_worker(self._open(position, typed), group="look", exclusive=True)

    async def _open(self, position: int, typed: str) -> None:
        lines = await asyncio.to_thread(self._look, position)
        if self._has(typed):
            self._inside[typed] = lines
            self._tell(self._made())
            self.move_to(str(position))
