"""What the conversation is limited to, above the composer."""

from __future__ import annotations

from textual.content import Content
from textual.style import Style

from geekagent_tui.i18n import _
from geekagent_tui.rag.model import Selection
from geekagent_tui.ui import ev
from geekagent_tui.ui.document_actions import DocumentActions
from geekagent_tui.ui.panels.follower import Follower
from geekagent_tui.ui.text import documents, shorten


class FocusChip(Follower):
    """One line while there is a limit; a click takes it away."""

    def __init__(self) -> None:
        super().__init__(id="focus")
        self._focus: ev.Focus | None = None
        self.display = False

    async def take(self, event: ev.Event) -> None:
        """Keep the limit."""
        match event:
            case ev.Snapshot() | ev.StatusChanged():
                self._focus = event.status.focus
                self.display = self._focus is not None
                self.refresh(layout=True)
            case _:
                pass

    @property
    def limits(self) -> bool:
        """Whether there is a limit."""
        return self._focus is not None

    @property
    def _tells_more(self) -> bool:
        """Whether the number of documents says more than the label, which names or counts chosen ones."""
        if self._focus is None:
            return False
        chosen = self._focus.selection.documents
        return len(chosen) != self._focus.documents or self._focus.selection != Selection(documents=chosen)

    def render(self) -> Content:
        """The limit, how much is left, and a cross."""
        if self._focus is None:
            return Content("")
        count = documents(self._focus.documents) if self._tells_more else ""
        label = shorten(self._focus.label, max(4, self.content_size.width - len(count) - 16))
        chip = Content.assemble(
            (_("仅：{label}").format(label=label), "$knowledge"),
            ("  " + count if count else "", "$warning" if not self._focus.documents else "$muted"),
            ("  ✕", "$muted"),
        )
        return chip.stylize(Style.from_meta({"@click": "clear"}))

    def action_clear(self) -> None:
        """Take the limit away."""
        if self.gateway is not None and self._focus is not None:
            self.run_worker(DocumentActions(self.app, self.gateway).focus(None), group="focus")
