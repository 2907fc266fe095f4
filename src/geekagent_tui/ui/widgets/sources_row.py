"""The sources under an answer: each one a click, or a key, away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.reactive import reactive
from textual.style import Style
from textual.widgets import Static

from geekagent_tui.i18n import _
from geekagent_tui.ui import ev
from geekagent_tui.ui.text import one_line, passage_name
from geekagent_tui.ui.widgets.links_messages import OpenCitation


class SourcesRow(Static, can_focus=True):
    """The distinct passages an answer cites, numbered."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "move(-1)", "", id="sources.previous"),
        Binding("right", "move(1)", "", id="sources.next"),
        Binding("enter", "open", "", id="sources.open"),
    ]
    chosen: reactive[int] = reactive(0)

    def __init__(self, citations: Sequence[ev.Citation]) -> None:
        super().__init__()
        distinct = {(c.document_id, c.title, c.passage): c for c in reversed(citations)}
        self.sources = sorted(distinct.values(), key=lambda c: c.start)

    def render(self) -> Content:
        """The row; the chosen source stands out while the row has the focus."""
        head = Content.styled(_("来源") + "  ", "$muted")
        lines = [head]
        for index, citation in enumerate(self.sources):
            name = passage_name(one_line(citation.title), citation.passage, citation.page)
            if citation.document_id is None:
                piece = Content.styled(f"{index + 1}{name}" + _("（未核实）"), "$muted italic")
            else:
                piece = Content.assemble((f"{index + 1}", "$muted"), (f"{name}", "$knowledge"))
                piece = piece.stylize(Style.from_meta({"@click": f"open_source({index})"}))
            if self.has_focus and index == self.chosen:
                piece = piece.stylize("reverse")
            longer = Content.assemble(lines[-1], piece, "   ")
            if longer.cell_length - 3 > self.content_size.width and lines[-1] is not head:
                lines.append(Content.assemble(" " * head.cell_length, piece, "   "))
            else:
                lines[-1] = longer
        return Content("\n").join(line.rstrip() for line in lines)

    def action_move(self, step: int) -> None:
        """Choose another source."""
        self.chosen = max(0, min(len(self.sources) - 1, self.chosen + step))

    def action_open(self) -> None:
        """Open the chosen source."""
        self.action_open_source(self.chosen)

    def action_open_source(self, index: int) -> None:
        """Open a source; an unchecked one opens nothing."""
        if self.sources[index].document_id is not None:
            self.post_message(OpenCitation(self.sources[index]))
