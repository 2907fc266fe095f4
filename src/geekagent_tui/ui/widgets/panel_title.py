"""A panel's title with a figure at its right end."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.content import Content
from textual.style import Style
from textual.widget import Widget

from geekagent_tui.ui.text import columns

_GAP = 2


class PanelTitle(Widget):
    """One line; everything in it is asked for whenever it is drawn.

    Args:
        title: Gives the title in the language of now.
        figure: Gives what stands at the right.
        links: Gives what can be clicked behind the title: words, which begin with a glyph, and an action
            each. Where there is no room the glyph stands alone.
    """

    def __init__(
        self,
        title: Callable[[], str],
        figure: Callable[[], str],
        links: Callable[[], Sequence[tuple[str, str]]] = tuple,
    ) -> None:
        super().__init__()
        self._title = title
        self._figure = figure
        self._links = links

    def render(self) -> Content:
        """Title, links and figure."""
        width = self.content_size.width
        figure = Content.styled(self._figure(), "$muted")
        left = self._left(whole=True)
        if left.cell_length + figure.cell_length + _GAP > width:
            left = self._left(whole=False)
        return columns(left, figure, width)

    def _left(self, *, whole: bool) -> Content:
        left = Content.styled(self._title(), "bold")
        for words, action in self._links():
            link = Content.styled(words if whole else words[:1], "$knowledge")
            left = Content.assemble(left, "  ", link.stylize(Style.from_meta({"@click": action})))
        return left
