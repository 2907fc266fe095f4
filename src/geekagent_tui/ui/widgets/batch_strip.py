"""The running batch above the documents: how far it is, what is on its way, what failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.style import Style
from textual.widget import Widget

from geekagent_tui.i18n import _, ngettext
from geekagent_tui.rag.model import BatchProgress, IngestPhase, IngestProgress, IngestResult, IngestState
from geekagent_tui.ui import ev
from geekagent_tui.ui.panels.follower import Follower
from geekagent_tui.ui.text import columns
from geekagent_tui.ui.widgets.batch_rows import RETRY, FailedRow, ProgressRow, figures, headline, summary
from geekagent_tui.ui.widgets.row_list import Row, RowList

_RUNNING = 4
_KEPT_FAILURES = 200
_PAUSE = 0.1
"""Seconds between two drawings at least; nothing is drawn when nothing moves."""


class BatchHead(Widget):
    """Two lines about the running batch, or one about what failed; the words at the right can be clicked."""

    def __init__(self) -> None:
        super().__init__()
        self._batch: BatchProgress | None = None
        self._failed: Sequence[IngestResult] = ()

    def tell(self, batch: BatchProgress | None, failed: Sequence[IngestResult]) -> None:
        """Show other figures."""
        self._batch, self._failed = batch, failed
        self.display = batch is not None or bool(failed)
        self.styles.height = bool(batch) * 2 + bool(failed and batch is None)
        self.refresh()

    def render(self) -> Content:
        """The lines."""
        width = self.content_size.width
        if self._batch is not None:
            cancel = _link(_("取消"), "c", "cancel")
            line = figures(self._batch, width - cancel.cell_length - 1)
            return Content("\n").join([headline(self._batch, width), columns(line, cancel, width, gap=1)])
        count = len(self._failed)
        told = ngettext("{n} 个没有成功", "{n} 个没有成功", count).format(n=count)
        links = [_link(_("清除"), "x", "clear")]
        if any(result.state is IngestState.FAILED for result in self._failed):
            links.insert(0, _link(_("全部重试"), "R", "retry_all"))
        return columns(Content.styled(told, "$error"), Content("   ").join(links), width, gap=1)

    async def on_click(self, event: events.Click) -> None:
        """Do what the word says."""
        if (name := event.style.meta.get("strip")) is not None and isinstance(self.parent, BatchStrip):
            event.stop()
            await self.parent.run_action(str(name))


def _link(words: str, key: str, action: str) -> Content:
    shown = Content.assemble((words, "$knowledge"), " ", (key, "$faint"))
    return shown.stylize(Style.from_meta({"strip": action}))


class BatchRows(RowList):
    """Sources on their way in, then those that failed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "choose", "", id="batch.open"),
        Binding("r", "retry", "", id="batch.retry"),
    ]

    class Below(Message):
        """The user goes down from the last row."""

    class Retry(Message):
        """The user wants a source tried again."""

        def __init__(self, source: str) -> None:
            super().__init__()
            self.source = source

    def action_cursor(self, step: int) -> None:
        """Down from the last row leads out of the strip."""
        if step > 0 and self.at_bottom:
            self.post_message(self.Below())
        super().action_cursor(step)

    def action_retry(self) -> None:
        """Try the source under the cursor again."""
        if self.cursor is not None:
            self.post_message(self.Retry(self.cursor.partition(":")[2]))

    def on_click(self, event: events.Click) -> None:
        """The word at the right tries again; elsewhere a click shows the whole reason."""
        source = event.style.meta.get(RETRY)
        if source is not None:
            event.prevent_default()
            event.stop()
            self.post_message(self.Retry(str(source)))


class BatchStrip(Follower):
    """Not there when nothing is on its way and nothing failed; its keys work in the whole panel."""

    class Left(Message):
        """Its rows had the focus and are gone, or the user goes down from the last of them."""

    def __init__(self) -> None:
        super().__init__(id="batch")
        self._batch: BatchProgress | None = None
        self._moving: dict[str, IngestProgress] = {}
        self._failed: dict[str, IngestResult] = {}
        self._ends: Counter[IngestState] = Counter()
        self._opened: set[str] = set()
        self._due = False

    @property
    def unfinished(self) -> int:
        """How many sources are on their way in."""
        return self._batch.total - self._batch.done if self._batch else len(self._moving)

    @property
    def is_at_hand(self) -> bool:
        """Whether its rows have the focus."""
        return self.query_one(BatchRows).has_focus

    @property
    def failures(self) -> bool:
        """Whether any source did not get in."""
        return bool(self._failed)

    def compose(self) -> ComposeResult:
        """Figures, rows."""
        yield BatchHead()
        yield BatchRows("ingests")

    def on_mount(self) -> None:
        """Begin with nothing."""
        self._draw()

    async def take(self, event: ev.Event) -> None:
        """Keep what an event tells."""
        match event:
            case ev.Snapshot():
                self._moving = {progress.source: progress for progress in event.ingests}
                self._batch = event.batch
            case ev.BatchMoved():
                if event.progress is None and self._batch is not None:
                    self._over()
                self._batch = event.progress
            case ev.IngestMoved():
                if not self._moving and self._batch is None:
                    self._ends.clear()  # a batch begins
                self._failed.pop(event.progress.source, None)
                self._moving[event.progress.source] = event.progress
            case ev.IngestEnded():
                self._ended(event.result)
            case _:
                return
        self._draw_soon()

    def _ended(self, result: IngestResult) -> None:
        self._moving.pop(result.source, None)
        self._ends[result.state] += 1
        if result.state in (IngestState.FAILED, IngestState.SKIPPED):
            self._failed[result.source] = result
            while len(self._failed) > _KEPT_FAILURES:
                del self._failed[next(iter(self._failed))]
        else:
            self._failed.pop(result.source, None)

    def _over(self) -> None:
        """Say how the batch ended, in the bottom line."""
        ends, self._ends = self._ends, Counter()
        if told := summary(ends):
            failed = ends[IngestState.FAILED]
            self.app.notify(told, severity="warning" if failed else "information", markup=False)

    # --- drawing ------------------------------------------------------------------------------------------

    def _draw_soon(self) -> None:
        """Draw a moment later: what comes in the meantime is drawn together."""
        if not self._due:
            self._due = True
            self.set_timer(_PAUSE, self._draw)

    def _draw(self) -> None:
        self._due = False
        running = [p for p in self._moving.values() if p.phase is not IngestPhase.QUEUED][:_RUNNING]
        rows: list[Row] = [ProgressRow(progress) for progress in running]
        rows += [FailedRow(result, opened=source in self._opened) for source, result in self._failed.items()]
        shown = self.query_one(BatchRows)
        if shown.has_focus and not rows:
            self.post_message(self.Left())
        shown.display = bool(rows)
        shown.show(rows)
        self.query_one(BatchHead).tell(self._batch, tuple(self._failed.values()))
        self.display = bool(rows) or self._batch is not None
        self.set_class(self._batch is None and not running, "-over")
        self.screen.refresh_bindings()

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """Show a whole reason, or its beginning."""
        event.stop()
        self._opened ^= {event.key.partition(":")[2]}
        self._draw()

    # --- acting -------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what works now is offered."""
        match action:
            case "cancel":
                return self._batch is not None or bool(self._moving)
            case "retry_all":
                return any(result.state is IngestState.FAILED for result in self._failed.values())
            case "clear":
                return self.failures
            case _:
                return True

    def action_cancel(self) -> None:
        """Stop the running ingests."""
        if self.gateway is not None:
            self.gateway.cancel_ingest()

    async def action_retry_all(self) -> None:
        """Try all again that failed."""
        await self._retry([r.source for r in self._failed.values() if r.state is IngestState.FAILED])

    def on_batch_rows_below(self, event: BatchRows.Below) -> None:
        """Leave the strip."""
        event.stop()
        self.post_message(self.Left())

    async def on_batch_rows_retry(self, event: BatchRows.Retry) -> None:
        """Try one again."""
        event.stop()
        await self._retry([event.source])

    async def _retry(self, sources: Sequence[str]) -> None:
        if self.gateway is None or not sources:
            return
        if not await self.gateway.retry(*sources):
            self.notify(_("这些来源不能再试；请重新加入"), severity="warning", markup=False)

    def action_clear(self) -> None:
        """Forget the failures."""
        self._failed.clear()
        self._opened.clear()
        self._draw()
