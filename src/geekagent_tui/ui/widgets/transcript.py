"""The scrolling part of the conversation: it stays at its end, or where the reader is."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widget import Widget


class Transcript(VerticalScroll):
    """Follows its end, holds one piece at the top, or stays where it was scrolled to."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll_up", "", id="chat.up"),
        Binding("down,j", "scroll_down", "", id="chat.down"),
        Binding("end,G", "latest", "", id="chat.end"),
    ]

    _held: Widget | None = None

    @property
    def follows(self) -> bool:
        """Whether it stays at its end, also while what has just come is not laid out yet."""
        return self.is_anchored and not self._anchor_released  # as the compositor asks; Textual is pinned

    def on_mount(self) -> None:
        """Notice when what is above grows, as an answer does that is still being drawn."""
        self.watch(self, "virtual_size", self._keep_held, init=False)

    def hold(self, piece: Widget) -> None:
        """Show a piece at the top, and keep it there until somebody scrolls or goes to the end."""
        self.release_anchor()
        self._held = piece
        self._keep_held()

    def release_anchor(self) -> None:
        """Somebody scrolls: neither the end nor a piece is held any more."""
        self._held = None
        super().release_anchor()

    def anchor(self, anchor: bool = True) -> None:
        """Stay at the end."""
        self._held = None
        super().anchor(anchor)

    def action_latest(self) -> None:
        """Go to the newest message and stay there."""
        self.anchor()

    def _keep_held(self) -> None:
        if self._held is not None:
            self.call_after_refresh(self._go_to_held)

    def _go_to_held(self) -> None:
        piece = self._held
        if piece is None or not piece.is_attached:
            self._held = None
            return
        within = (above for above in piece.ancestors_with_self if isinstance(above, Widget))
        top = sum(above.virtual_region.y for above in within if self in above.ancestors)
        self.scroll_to(y=top, animate=False, force=True, immediate=True)
        self._held = piece  # any scrolling lets go, ours too
