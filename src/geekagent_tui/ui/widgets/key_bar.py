"""The bottom line: the keys that work now."""

from __future__ import annotations

from collections.abc import Callable

from textual.binding import ActiveBinding
from textual.content import Content
from textual.screen import Screen
from textual.style import Style
from textual.timer import Timer
from textual.widget import Widget

from geekagent_tui.ui import keymap
from geekagent_tui.ui.text import columns, fit


class KeyBar(Widget):
    """Keys and what they do, made from the bindings that are active; each can be clicked.

    Args:
        left: Ids of bindings, in order.
        right: Ids of bindings at the right end.
        words: Tells what a binding does.
    """

    def __init__(
        self,
        left: tuple[str, ...],
        right: tuple[str, ...] = (),
        words: Callable[[str], str] = keymap.words,
    ) -> None:
        super().__init__()
        self._words = words
        self._message: Content | None = None
        self._over: Timer | None = None
        self._left = left
        self._right = right

    def on_mount(self) -> None:
        """Follow the bindings."""
        self.screen.bindings_updated_signal.subscribe(self, self._changed)

    def flash(self, message: Content, seconds: float) -> None:
        """Show a message in place of the keys for a while."""
        self._message = message
        if self._over is not None:
            self._over.stop()
        self._over = self.set_timer(seconds, self._calm)
        self.refresh()

    def _calm(self) -> None:
        self._message = None
        self.refresh()

    def _changed(self, _screen: Screen[object]) -> None:
        self.refresh()

    def render(self) -> Content:
        """As many as fit, whole; or the message that is up."""
        if self._message is not None:
            return fit(self._message, self.content_size.width)
        active = {
            binding.binding.id: binding
            for binding in reversed(list(self.screen.active_bindings.values()))
            if binding.enabled and binding.binding.id
        }
        width = self.content_size.width
        right = self._keys(active, self._right, width)
        left = self._keys(active, self._left, width - right.cell_length - 2)
        return columns(left, right, width) if right else left

    def _keys(self, active: dict[str, ActiveBinding], ids: tuple[str, ...], width: int) -> Content:
        line = Content("")
        for binding_id in ids:
            if binding_id not in active:
                continue
            binding = active[binding_id].binding
            key = Content.assemble(
                (self.app.get_key_display(binding), "$foreground"),
                " ",
                (self._words(binding_id), "$muted"),
            ).stylize(Style.from_meta({"@click": f"app.simulate_key({binding.key!r})"}))
            longer = Content.assemble(line, "   ", key) if line else key
            if longer.cell_length > width:
                break
            line = longer
        return line
