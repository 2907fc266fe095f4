"""The row of a dialog's answers: as many rows as it takes for none to be cut."""

from __future__ import annotations

from textual.containers import Horizontal
from textual.geometry import Offset, Size
from textual.layout import Layout, WidgetPlacement
from textual.layouts.horizontal import HorizontalLayout
from textual.widget import Widget


class Flow(HorizontalLayout):
    """Side by side while there is room, else on in the next row; each row ends at the right edge."""

    name = "flow"

    def arrange(
        self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True
    ) -> list[WidgetPlacement]:
        """Place the widgets, `size.width` cells to a row."""
        rows: list[list[WidgetPlacement]] = [[]]
        left = 0
        for placed in super().arrange(parent, children, size, greedy):
            if rows[-1] and placed.region.right - left > size.width:
                rows.append([])
            if not rows[-1]:
                left = placed.region.x - placed.margin.left
            rows[-1].append(placed._replace(region=placed.region.translate((-left, 0))))
        widest = max((row[-1].region.right for row in rows if row), default=0)
        lines: list[WidgetPlacement] = []
        y = 0
        for row in rows:
            lines += [_moved(placed, Offset(widest - row[-1].region.right, y)) for placed in row]
            y += max((placed.region.bottom for placed in row), default=0)
        return lines


class Buttons(Horizontal):
    """A dialog's buttons."""

    def __init__(self) -> None:
        super().__init__(classes="buttons")
        self._flow = Flow()

    @property
    def layout(self) -> Layout:
        """Flow; styles know only Textual's own layouts."""
        return self._flow


def _moved(placed: WidgetPlacement, by: Offset) -> WidgetPlacement:
    return placed._replace(region=placed.region.translate(by))
