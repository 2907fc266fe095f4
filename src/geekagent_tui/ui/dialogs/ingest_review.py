"""May these sources enter the knowledge base?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Static

from geekagent_tui.agent.events import IngestReview
from geekagent_tui.i18n import _, ngettext
from geekagent_tui.rag.model import Growth, SourceKind, SourcePreview
from geekagent_tui.ui.dialogs.base import Dialog, button
from geekagent_tui.ui.text import day_and_time, one_line, size
from geekagent_tui.ui.widgets.row_list import Row, RowList
from geekagent_tui.ui.wrapping import wrap


class SourceRow(Row):
    """A source: whether it is chosen, its whole spelling, what is known of it without looking."""

    def __init__(self, position: int, preview: SourcePreview, *, checked: bool) -> None:
        super().__init__(None if preview.problem else str(position))
        self._preview = preview
        self._checked = checked

    def height(self, width: int) -> int:
        """The spelling is never cut: it is what the user agrees to."""
        return len(self.lines(width))

    def lines(self, width: int) -> Sequence[Content]:
        """Check box and spelling, then the facts."""
        preview = self._preview
        room = max(8, width - 5)
        if preview.problem:
            mark, name, facts, loud = ("✕   ", "$error"), "$muted", preview.problem, "$error"
        else:
            mark = ("[x] ", "$knowledge") if self._checked else ("[ ] ", "$faint")
            name = "$foreground" if self._checked else "$muted"
            facts, loud = " · ".join(_facts(preview)), "$muted"
        first, *rest = wrap(one_line(preview.typed), room)
        lines = [Content.assemble(" ", mark, (first, name))]
        lines += [Content.styled("     " + line, name) for line in rest]
        lines += [Content.styled("     " + line, loud) for line in wrap(one_line(facts), room)]
        return lines


def _facts(preview: SourcePreview) -> list[str]:
    kinds = {SourceKind.URL: _("网页"), SourceKind.FILE: _("文件"), SourceKind.FOLDER: _("文件夹")}
    facts = [kinds[preview.kind], preview.place]
    if preview.growth is not None:
        facts.append(_growth(preview))
    if preview.kind is SourceKind.FOLDER:
        count = len(preview.sources)
        facts.append(ngettext("{n} 个文件", "{n} 个文件", count).format(n=count))
        if preview.skipped:
            reasons = _("，").join(f"{reason} {n}" for reason, n in preview.skipped.items())
            facts.append(_("跳过 {n}：{reasons}").format(n=sum(preview.skipped.values()), reasons=reasons))
    if preview.size is not None:
        facts.append(size(preview.size))
    if preview.modified is not None:
        facts.append(day_and_time(preview.modified))
    if not preview.known:
        facts.append(_("新"))
    elif preview.kind is SourceKind.FOLDER and preview.known < len(preview.sources):
        facts.append(_("其中 {n} 个已有").format(n=preview.known))
    else:
        facts.append(_("已有，将检查更新"))
    return [fact for fact in facts if fact]


def _growth(preview: SourcePreview) -> str:
    n = preview.pages
    if preview.growth is Growth.SITEMAP:
        return ngettext("站点地图，最多 {n} 个网页", "站点地图，最多 {n} 个网页", n).format(n=n)
    return ngettext("沿链接采集同站网页，最多 {n} 个", "沿链接采集同站网页，最多 {n} 个", n).format(n=n)


class SourceList(RowList):
    """The sources; Space or a click chooses one or leaves it out."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "choose", "", id="dialog.toggle"),
        Binding("enter", "enter", "", id="dialog.enter"),
    ]

    def __init__(self, *, guarded: bool) -> None:
        super().__init__("sources")
        self._guarded = guarded

    async def action_enter(self) -> None:
        """Agree; but where the model asks only choose: Enter may have been meant for something else."""
        if self._guarded:
            self.action_choose()
        else:
            await self.run_action("screen.yes")


class IngestDialog(Dialog[list[int]]):
    """Shows every source; the answer is the positions of those that may enter, none refuses.

    Args:
        review: What is asked.
    """

    def __init__(self, review: IngestReview) -> None:
        super().__init__(guarded=review.by_model)
        self._review = review
        self._checked = {place for place, preview in enumerate(review.previews) if not preview.problem}

    def compose(self) -> ComposeResult:
        """The reference's words around the list."""
        with Vertical(id="dialog"):
            yield Static(Content(_("加入知识库")), classes="title")
            yield Static(Content(_("即将把以下内容加入知识库：")), classes="text")
            yield SourceList(guarded=self._review.by_model)
            yield Static(self._asker(), id="asker")
            with Horizontal(classes="buttons"):
                yield Static(Content(_("确认采集？")), classes="question")
                yield button("", "y", "yes")
                yield button(_("取消"), "n", "no")

    def on_mount(self) -> None:
        """Show the sources."""
        self._show()

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
            (_("由模型发起，理由："), "$warning"), ("“" + reason[:600] + "”", "$muted italic")
        )

    def _show(self) -> None:
        self.query_one(SourceList).show(
            [
                SourceRow(place, preview, checked=place in self._checked)
                for place, preview in enumerate(self._review.previews)
            ]
        )
        count = len(self._checked)
        yes = self.query_one("#yes", Button)
        words = ngettext("采集 {n} 项", "采集 {n} 项", count).format(n=count)
        yes.label = Content.assemble(words, "  ", ("y", "dim"))
        yes.disabled = not count

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """Choose a source, or leave it out."""
        event.stop()
        self._checked ^= {int(event.key)}
        self._show()

    def action_yes(self) -> None:
        """Agree to what is chosen."""
        if self._checked:
            self.dismiss(sorted(self._checked))

    def action_no(self) -> None:
        """Refuse everything."""
        self.dismiss([])
