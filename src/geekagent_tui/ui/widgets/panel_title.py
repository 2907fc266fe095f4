"""A panel's title with a figure at its right end."""

from __future__ import annotations

from collections.abc import Callable

from textual.content import Content
from textual.widget import Widget

from geekagent_tui.ui.text import columns


class PanelTitle(Widget):
    """One line; both ends are asked for whenever it is drawn.

    Args:
        title: Gives the title in the language of now.
        figure: Gives what stands at the right.
    """

    def __init__(self, title: Callable[[], str], figure: Callable[[], str]) -> None:
        super().__init__()
        self._title = title
        self._figure = figure

    def render(self) -> Content:
        """Title and figure."""
        return columns(
            Content.styled(self._title(), "bold"),
            Content.styled(self._figure(), "$muted"),
            self.content_size.width,
        )
