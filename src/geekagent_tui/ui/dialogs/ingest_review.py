"""May these sources enter the knowledge base?"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Button, Input, Static

from geekagent_tui.agent.events import IngestReview
from geekagent_tui.i18n import _, ngettext
from geekagent_tui.rag.model import Growth, SourceKind, SourcePreview
from geekagent_tui.ui.dialogs.base import Dialog, button
from geekagent_tui.ui.dialogs.buttons import Buttons
from geekagent_tui.ui.text import one_line
from geekagent_tui.ui.widgets.ingest_fields import IngestFields, TagField
from geekagent_tui.ui.widgets.key_bar import KeyBar
from geekagent_tui.ui.widgets.source_list import SourceList

_REASON = 600
_BESIDE = 19
"""Lines around the list: frame, title, words, fields, the reason, buttons, keys."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the user agreed to.

    Attributes:
        positions: Of the sources that may enter; none refuses.
        tags: Put on them; None for those that were asked for.
        pages: How many pages each web page may lead to; None for what was asked for.
    """

    positions: tuple[int, ...] = ()
    tags: tuple[str, ...] | None = None
    pages: int | None = None


class IngestDialog(Dialog[Verdict]):
    """Shows every source, tags and pages, and asks.

    Args:
        review: What is asked.
        look: Gives the beginning of what a source holds, by its position; called in a thread.
        tags: Gives the tags in use.
    """

    def __init__(
        self,
        review: IngestReview,
        look: Callable[[int], tuple[str, ...]],
        tags: Callable[[], Iterable[str]],
    ) -> None:
        super().__init__(guarded=review.by_model)
        self._review = review
        self._look = look
        self._tags = tags
        self._asked_pages = max(
            (preview.pages for preview in review.previews if preview.growth is Growth.LINKS), default=0
        )

    def compose(self) -> ComposeResult:
        """The reference's words around the list."""
        with Vertical(id="dialog"):
            yield Static(Content(_("加入知识库")), classes="title")
            yield Static(Content(_("即将把以下内容加入知识库：")), classes="text")
            yield SourceList(self._look, beside=_BESIDE, guarded=self._review.by_model)
            yield IngestFields(self._review.tags, self._asked_pages)
            yield Static(self._asker(), id="asker")
            with Buttons():
                yield Static(Content(_("确认采集？")), classes="question")
                yield button("", "y", "yes")
                yield button(_("取消"), "n", "no")
            yield KeyBar(("dialog.toggle", "dialog.all", "dialog.look", "dialog.tab"))

    def on_mount(self) -> None:
        """Show the sources."""
        fields = self.query_one(IngestFields)
        fields.offer_pages(any(preview.kind is SourceKind.URL for preview in self._review.previews))
        self.query_one(TagField).know(self._tags())
        self.run_worker(self._offer(), group="offer")

    def first_focus(self) -> None:
        """The list for the user's own command; refusal for the model's wish."""
        if self._guarded:
            super().first_focus()
        else:
            self.query_one(SourceList).focus()

    def _asker(self) -> Content:
        if not self._review.by_model:
            return Content.styled(_("由你发起"), "$muted")
        reason = one_line(self._review.reason)
        if not reason:
            return Content.styled(_("由模型发起，没有说明理由"), "$warning")
        return Content.assemble(
            (_("由模型发起，理由："), "$warning"), ("“" + reason[:_REASON] + "”", "$muted italic")
        )

    async def _offer(self) -> None:
        pages = self.query_one(IngestFields).pages
        previews = self._review.previews
        if pages != self._asked_pages:
            previews = tuple(_grown(preview, pages) for preview in previews)
        await self.query_one(SourceList).offer(previews)

    async def on_input_changed(self, event: Input.Changed) -> None:
        """Tell what the pages would be."""
        if event.input.id == "pages":
            await self._offer()
        self._count()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Done with a field: on to the answer, or to the list."""
        event.stop()
        self.first_focus()

    def on_source_list_picked(self, event: SourceList.Picked) -> None:
        """Count again."""
        event.stop()
        self._count()

    def _count(self) -> None:
        label_yes(
            self.query_one("#yes", Button),
            len(self.query_one(SourceList).checked),
            ready=not self.query_one(IngestFields).problem,
        )

    def action_yes(self) -> None:
        """Agree to what is chosen."""
        fields = self.query_one(IngestFields)
        if fields.problem:
            self.notify(fields.problem, severity="warning", markup=False)
        elif checked := self.query_one(SourceList).checked:
            tags = fields.tags if fields.tags != self._review.tags else None
            pages = fields.pages if fields.pages != self._asked_pages else None
            self.dismiss(Verdict(tuple(checked), tags, pages))

    def action_no(self) -> None:
        """Refuse everything."""
        self.dismiss(Verdict())


def label_yes(yes: Button, count: int, *, ready: bool = True) -> None:
    """Say on the button what agreeing does."""
    words = ngettext("采集 {n} 项", "采集 {n} 项", count).format(n=count)
    yes.label = Content.assemble(words, "  ", ("y", "dim"))
    yes.refresh(layout=True)
    yes.disabled = not (count and ready)


def _grown(preview: SourcePreview, pages: int) -> SourcePreview:
    """A web page's preview when so many pages may be taken; a file leads to no others."""
    if preview.kind is not SourceKind.URL:
        return preview
    if preview.growth is Growth.SITEMAP:
        return replace(preview, pages=pages or preview.pages)
    return replace(preview, growth=Growth.LINKS if pages else None, pages=pages or 1)
