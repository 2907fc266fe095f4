"""Adding sources: what is typed, and at once what it stands for. This dialog is the consent."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Button, Input, Static, TextArea

from geekagent_tui.i18n import _, ngettext
from geekagent_tui.rag.errors import RagError
from geekagent_tui.rag.model import SourceKind, SourcePreview
from geekagent_tui.ui.dialogs.base import Dialog, button
from geekagent_tui.ui.dialogs.buttons import Buttons
from geekagent_tui.ui.dialogs.ingest_review import label_yes
from geekagent_tui.ui.offers import Offer
from geekagent_tui.ui.text import size
from geekagent_tui.ui.widgets.completion import Completions
from geekagent_tui.ui.widgets.ingest_fields import IngestFields, TagField
from geekagent_tui.ui.widgets.key_bar import KeyBar
from geekagent_tui.ui.widgets.source_list import SourceList
from geekagent_tui.ui.widgets.sources_field import SourcesField

_PAUSE = 0.25
"""Seconds without typing before what is typed is looked at: a folder may be large."""
_BESIDE = 22
"""Lines around the list: frame, title, what is typed, completions, fields, buttons, keys."""


@dataclass(frozen=True, slots=True)
class Agreed:
    """What the user agreed to: some of an offer, and the tags it gets."""

    offer: Offer
    positions: tuple[int, ...]
    tags: tuple[str, ...]


class AddDialog(Dialog[Agreed | None]):
    """A field for sources, tags and pages, and a list of what will be taken in.

    Args:
        preview: Tells what typed words stand for, given the pages; no request is made.
        tags: Gives the tags in use.
        folder: Where paths begin.
        text: What is typed already.

    Attributes:
        typed: What is typed, also when the dialog was left.
    """

    def __init__(
        self,
        preview: Callable[[str, int], Awaitable[Offer]],
        tags: Callable[[], Iterable[str]],
        folder: Path,
        text: str = "",
    ) -> None:
        super().__init__()
        self.typed = text
        self._preview = preview
        self._tags = tags
        self._folder = folder
        self._offer: Offer | None = None
        self._pages = 0
        self._problem = ""

    def compose(self) -> ComposeResult:
        """Fields, list, figures, buttons."""
        completions = Completions()
        with Vertical(id="dialog", classes="large"):
            yield Static(Content(_("加入知识库")), classes="title")
            yield SourcesField(self.typed, self._folder, completions)
            yield completions
            yield IngestFields()
            yield SourceList(self._look, beside=_BESIDE)
            with Buttons():
                yield Static(id="tally", classes="question")
                yield button("", "y", "yes")
                yield button(_("取消"), "Esc", "no")
            yield KeyBar(
                (
                    "dialog.complete",
                    "dialog.sources",
                    "dialog.newline",
                    "dialog.toggle",
                    "dialog.all",
                    "dialog.look",
                    "dialog.tab",
                )
            )

    def on_mount(self) -> None:
        """Look at what is there already."""
        self._show_state()
        self.query_one(TagField).know(self._tags())
        if self.typed.strip():
            self._look_again()

    def first_focus(self) -> None:
        """Begin to type; what is there already goes when something else is typed."""
        field = self.query_one(SourcesField)
        field.select_all()
        field.focus()

    def _look(self, position: int) -> tuple[str, ...]:
        return () if self._offer is None else self._offer.look(position)

    # --- what is typed ------------------------------------------------------------------------------------

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Look again, when nothing more is typed for a moment."""
        event.stop()
        if event.text_area.text != self.typed:
            self.typed = event.text_area.text
            self._look_again(after=_PAUSE)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Other pages are another offer; other tags may be ones that can't be."""
        event.stop()
        if event.input.id == "pages":
            self._look_again(after=_PAUSE)
        else:
            self._show_state()

    def _look_again(self, *, after: float = 0) -> None:
        """What is shown holds no longer: nothing can be agreed to until the new offer is there."""
        self._offer = None
        self._problem = ""
        self._show_state()
        self.run_worker(self._find_out(self.typed, after), group="preview", exclusive=True)

    async def _find_out(self, typed: str, after: float) -> None:
        await asyncio.sleep(after)
        if not self.query(IngestFields):
            return  # closed meanwhile
        self._pages = self.query_one(IngestFields).pages
        try:
            offer = await self._preview(typed, self._pages)
        except RagError as error:
            self._problem = error.message
            self._show_state()
            return
        good = [preview for preview in offer.previews if not preview.problem]
        has_pages = any(preview.kind is SourceKind.URL for preview in good)
        self.query_one(IngestFields).offer_pages(has_pages or not good)
        self._offer = offer
        await self.query_one(SourceList).offer(offer.previews)

    # --- where one is -------------------------------------------------------------------------------------

    @on(SourceList.Picked)
    def _show_state(self) -> None:
        """Say how much it is, and whether it can be agreed to."""
        fields, rows = self.query_one(IngestFields), self.query_one(SourceList)
        checked = rows.checked if self._offer is not None else []
        rows.display = self._offer is None or bool(self._offer.previews)
        rows.set_class(self._offer is None, "-stale")
        label_yes(self.query_one("#yes", Button), len(checked), ready=not fields.problem)
        self.query_one("#tally", Static).update(self._tally(checked, fields.problem or self._problem))

    def _tally(self, checked: list[int], problem: str) -> Content:
        if problem:
            return Content.styled(problem, "$error")
        if not self.typed.strip():
            return Content.styled(_("同意之前不会访问任何网址"), "$muted")
        if self._offer is None:
            return Content.styled(_("正在清点…"), "$user")
        return Content.styled(figures([self._offer.previews[place] for place in checked]), "$muted")

    @on(SourcesField.Done)
    def to_list(self) -> None:
        """On to what will be taken in; Enter there agrees."""
        if self.typed.strip():
            self.query_one(SourceList).focus()

    @on(Input.Submitted)
    def field_done(self, event: Input.Submitted) -> None:
        """Likewise."""
        event.stop()
        self.to_list()

    @on(Completions.Taken)
    def complete(self, event: Completions.Taken) -> None:
        """Take the completion that was clicked."""
        event.stop()
        field = self.query_one(SourcesField)
        field.take(event.completion)
        field.focus()

    def action_yes(self) -> None:
        """Agree to what is chosen; to exactly what is shown."""
        fields = self.query_one(IngestFields)
        checked = self.query_one(SourceList).checked
        settled = self.query_one(SourcesField).text == self.typed and fields.pages == self._pages
        if self._offer is not None and settled and checked and not fields.problem:
            self.dismiss(Agreed(self._offer, tuple(checked), fields.tags))

    def action_no(self) -> None:
        """Leave everything as it is."""
        self.dismiss(None)


def figures(previews: list[SourcePreview]) -> str:
    """How much some sources are: pages, files, bytes."""
    pages = sum(preview.kind is SourceKind.URL for preview in previews)
    files = sum(len(preview.sources) for preview in previews if preview.kind is not SourceKind.URL)
    octets = sum(preview.size or 0 for preview in previews)
    parts = []
    if pages:
        parts.append(ngettext("{n} 个网页", "{n} 个网页", pages).format(n=pages))
    if files:
        parts.append(ngettext("{n} 个文件", "{n} 个文件", files).format(n=files))
        parts.append(size(octets))
    return " · ".join(parts) or _("没有选中任何来源")
