"""Bringing sources into the knowledge base: consent first, then the work, told as it goes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from geekagent_tui.agent import events as ev
from geekagent_tui.agent.ingest_report import IngestReport
from geekagent_tui.agent.journal import Journal
from geekagent_tui.agent.permissions import Permissions
from geekagent_tui.config import Policy
from geekagent_tui.i18n import _
from geekagent_tui.rag.errors import RagError
from geekagent_tui.rag.model import (
    IngestEvent,
    IngestFinished,
    IngestProgress,
    IngestResult,
    IngestState,
    SourcePreview,
)

if TYPE_CHECKING:
    from geekagent_tui.rag.service import RagService


_Work = Callable[[Callable[[IngestEvent], None]], Coroutine[Any, Any, list[IngestResult]]]
"""A batch that begins when it is given whom to tell about progress."""

_log = logging.getLogger(__name__)


class Ingests:
    """Every ingest of one agent; batches run one after another.

    Args:
        rag: The knowledge base.
        journal: Where results are told.
        permissions: Whether anything may enter, and whom to ask.
        publish: Tells the front ends.
        after: Called at the end of a batch, before it counts as done.

    Attributes:
        moving: Where each source of the running batch stands, by source.
    """

    def __init__(
        self,
        rag: RagService,
        journal: Journal,
        permissions: Permissions,
        publish: Callable[[ev.Event], None],
        after: Callable[[], Awaitable[None]],
    ) -> None:
        self.moving: dict[str, IngestProgress] = {}
        self._rag = rag
        self._journal = journal
        self._permissions = permissions
        self._publish = publish
        self._after = after
        self._turn = asyncio.Lock()
        self._closed = False
        self._adding: asyncio.Task[list[IngestResult]] | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def busy(self) -> bool:
        """Whether an ingest of the user is running or waiting for consent."""
        return bool(self._tasks)

    def start(self, typed: Sequence[str], crawl: int = 0) -> None:
        """Ingest what the user asked for, in the background.

        Args:
            typed: The sources as they were typed.
            crawl: How many pages each web page may lead to, itself included; 0 means it alone.
        """
        self._begin(partial(self.run, list(typed), crawl=crawl), IngestReport(self._journal, log=True))

    def start_sync(self, names: Sequence[str], *, prune: bool) -> None:
        """Bring known documents up to date, in the background.

        Args:
            names: What `RagService.sync` takes; empty for all.
            prune: Whether documents whose source is gone are removed.
        """
        report = IngestReport(self._journal, log=True, tool="rag_sync")
        self._begin(partial(self._sync, list(names), prune), report)

    def cancel(self) -> bool:
        """Stop what is being ingested and what waits; what is done stays. False when there is nothing.

        A model's ingest ends with what is done, and its turn goes on.
        """
        running = self._adding is not None and not self._adding.done() and self._adding.cancel()
        for task in self._tasks:
            task.cancel()
        return running or bool(self._tasks)

    async def wait(self) -> None:
        """Wait until the user's own ingests have ended."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def close(self) -> None:
        """Stop everything, for good."""
        self._closed = True
        self.cancel()
        await self.wait()

    async def run(
        self, typed: Sequence[str], report: IngestReport, *, reason: str | None = None, crawl: int = 0
    ) -> None:
        """Ask, then ingest.

        Args:
            typed: The sources as they were typed.
            report: Told how each source ended.
            reason: Why the model asks; None when the user does.
            crawl: As for `start`.
        """
        previews = await self._rag.preview(list(dict.fromkeys(typed)), crawl=crawl)
        for preview in previews:
            if preview.problem:
                self._end(report, _failure(preview))
        good = [preview for preview in previews if not preview.problem]
        accepted = await self._accepted(previews, good, reason)
        for preview in good:
            if preview.typed not in accepted:
                self._end(report, _refused(preview))
        # What was shown is what enters, and not what the words may stand for by now.
        sources = [source for preview in good if preview.typed in accepted for source in preview.sources]
        if sources:
            await self._work(lambda told: self._rag.add(sources, told), report)

    async def _sync(self, names: list[str], prune: bool, report: IngestReport) -> None:
        """No question is asked: only sources are read that were agreed to before."""
        if self._permissions.policy("rag_add") is Policy.DENY:
            self._journal.notice("[" + _("设置里 rag_add 的策略是 deny，没有同步") + "]", ev.Level.WARNING)
            return
        await self._work(lambda told: self._rag.sync(names or None, prune=prune, on_event=told), report)
        if not report.results:
            self._journal.notice("[" + _("知识库还是空的，没有可以同步的文档") + "]")

    def _begin(self, work: Callable[[IngestReport], Awaitable[None]], report: IngestReport) -> None:
        if self._closed:
            return
        task = asyncio.create_task(self._in_background(work, report), name="ingest")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _in_background(
        self, work: Callable[[IngestReport], Awaitable[None]], report: IngestReport
    ) -> None:
        try:
            await work(report)
        except RagError as error:
            self._journal.notice(
                "[" + _("采集失败：{reason}").format(reason=error.message) + "]", ev.Level.ERROR
            )
        except asyncio.CancelledError:
            if not report.results:
                self._journal.notice("[" + _("已取消采集") + "]")
            raise
        except Exception as error:
            _log.exception("an ingest broke")
            self._journal.notice("[" + _("采集失败：{reason}").format(reason=error) + "]", ev.Level.ERROR)
        finally:
            report.close()

    async def _accepted(
        self, previews: Sequence[SourcePreview], good: Sequence[SourcePreview], reason: str | None
    ) -> frozenset[str]:
        """The sources that may enter, as typed."""
        nothing: frozenset[str] = frozenset()
        if not good:
            return nothing
        policy = self._permissions.policy("rag_add")
        if policy is Policy.DENY:
            return nothing
        # A page could have told the model to bring in another one.
        guarded = reason is not None and self._journal.foreign
        if policy is Policy.ALLOW and not guarded:
            return frozenset(preview.typed for preview in good)
        desk = self._permissions.desk
        request = ev.IngestReview(desk.new_id(), tuple(previews), reason is not None, reason or "")
        decision = await desk.review_ingest(request)
        return frozenset(decision.accepted)

    async def _work(self, work: _Work, report: IngestReport) -> None:
        """Run a batch when its turn has come, and tell how it goes."""
        async with self._turn:
            await self._told(work, report)
        await self._after()

    async def _told(self, work: _Work, report: IngestReport) -> None:
        def told(event: IngestEvent) -> None:
            match event:
                case IngestProgress():
                    self.moving[event.source] = event
                    report.moved(event)
                    self._publish(ev.IngestMoved(event))
                case IngestFinished():
                    self._end(report, event.result)

        self._adding = asyncio.create_task(work(told), name="rag-add")
        try:
            await asyncio.wait([self._adding])
        finally:
            self._adding.cancel()
            await asyncio.wait([self._adding])
            error = self._end_rest(report, self._adding)
        if error is not None:
            raise error

    def _end_rest(
        self, report: IngestReport, adding: asyncio.Task[list[IngestResult]]
    ) -> BaseException | None:
        """End the sources that did not end by themselves, because the batch was stopped or broke."""
        error = None if adding.cancelled() else adding.exception()
        if isinstance(error, RagError) and self.moving:
            state, reason = IngestState.FAILED, _("采集失败：{reason}").format(reason=error.message)
        else:
            state, reason = IngestState.CANCELLED, _("已取消采集")
        for source in list(self.moving):
            self._end(report, IngestResult(source, state, reason=reason))
        told = isinstance(error, RagError) and report.results
        return None if told else error

    def _end(self, report: IngestReport, result: IngestResult) -> None:
        self.moving.pop(result.source, None)
        report.ended(result)
        self._publish(ev.IngestEnded(result))


def _failure(preview: SourcePreview) -> IngestResult:
    return IngestResult(
        preview.typed, IngestState.FAILED, reason=_("采集失败：{reason}").format(reason=preview.problem)
    )


def _refused(preview: SourcePreview) -> IngestResult:
    return IngestResult(preview.typed, IngestState.CANCELLED, reason=_("已取消采集"))
