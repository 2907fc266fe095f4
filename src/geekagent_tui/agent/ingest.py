"""Bringing sources into the knowledge base: consent first, then the work, told as it goes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from geekagent_tui.agent import events as ev
from geekagent_tui.agent.blocking import stop
from geekagent_tui.agent.failures import Adding, Failures, Origin, Syncing, Typed
from geekagent_tui.agent.ingest_report import IngestReport
from geekagent_tui.agent.journal import Journal
from geekagent_tui.agent.permissions import Permissions
from geekagent_tui.config import Policy
from geekagent_tui.i18n import _
from geekagent_tui.rag.errors import RagError
from geekagent_tui.rag.lane import until_done
from geekagent_tui.rag.model import (
    BatchProgress,
    IngestEvent,
    IngestFinished,
    IngestProgress,
    IngestResult,
    IngestState,
    Source,
    SourcePreview,
)
from geekagent_tui.rag.sources import leading_on
from geekagent_tui.rag.tags import clean_tags

if TYPE_CHECKING:
    from geekagent_tui.rag.service import RagService


class _Work(Protocol):
    """A batch that begins when it is given whom to tell about progress."""

    def __call__(
        self, *, on_event: Callable[[IngestEvent], None]
    ) -> Coroutine[Any, Any, list[IngestResult]]: ...


_log = logging.getLogger(__name__)


class Ingests:
    """Every ingest of one agent; batches run one after another.

    Args:
        rag: The knowledge base.
        journal: Where results are told.
        permissions: Whether anything may enter, and whom to ask.
        publish: Tells the front ends.
        after: Called at the end of a batch, before it counts as done.
        failures: Remembers what failed.
        before: Called before something is added or synced that was agreed to.

    Attributes:
        moving: Where each source of the running batch stands, by source.
        progress: Where the running batch stands; None when none is running.
    """

    def __init__(
        self,
        rag: RagService,
        journal: Journal,
        permissions: Permissions,
        publish: Callable[[ev.Event], None],
        after: Callable[[], Awaitable[None]],
        failures: Failures,
        before: Callable[[], Awaitable[None]],
    ) -> None:
        self.moving: dict[str, IngestProgress] = {}
        self.progress: BatchProgress | None = None
        self._rag = rag
        self._journal = journal
        self._permissions = permissions
        self._publish = publish
        self._after = after
        self._failures = failures
        self._before = before
        self._turn = asyncio.Lock()
        self._closed = False
        self._adding: asyncio.Task[list[IngestResult]] | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def busy(self) -> bool:
        """Whether an ingest of the user is running or waiting for consent."""
        return bool(self._tasks)

    def start(self, typed: Sequence[str], crawl: int = 0, tags: Sequence[str] = ()) -> None:
        """Ingest what the user asked for, in the background.

        Args:
            typed: The sources as they were typed.
            crawl: How many pages each web page may lead to, itself included; 0 means it alone.
            tags: Put on what is added.
        """
        self._begin(partial(self.run, list(typed), crawl=crawl, tags=tuple(tags)), self._report())

    def start_agreed(self, previews: Sequence[SourcePreview], tags: Sequence[str]) -> None:
        """Ingest what the user has agreed to already, in the background: exactly what was shown.

        Raises:
            TagError: One of the tags can't be one; nothing was begun.
        """
        self._begin(partial(self._take_in, tuple(previews), clean_tags(tags)), self._report())

    def start_interrupted(self, batches: Sequence[str]) -> None:
        """Go on with batches of a process that ended before them; the user agreed to them then."""
        work = partial(self._rag.resume, list(batches))
        self._begin(partial(self._work, work, Adding()), self._report())

    def retry(self, names: Sequence[str]) -> int:
        """Try again what failed in this run of the program, in the background.

        Only what never got as far as being agreed to is asked about.

        Args:
            names: Sources as results name them; empty for all.

        Returns:
            How many sources that is.
        """
        again = self._failures.take(names)
        for each in again:
            match each.origin:
                case Adding(sources, tags):
                    work = partial(self._add, sources, tags)
                    self._begin(work, self._report())
                case Syncing():
                    self.start_sync(each.names, prune=False)
                case Typed(crawl, tags):
                    self.start(each.names, crawl, tags)
        return sum(len(each.names) for each in again)

    def start_sync(self, names: Sequence[str], *, prune: bool) -> None:
        """Bring known documents up to date, in the background.

        Args:
            names: What `RagService.sync` takes; empty for all.
            prune: Whether documents whose source is gone are removed.
        """
        report = IngestReport(self._journal, log=True, syncs=True)
        self._begin(partial(self._sync, list(names), prune), report)

    def cancel(self) -> bool:
        """Stop what is being ingested and what waits; what is done stays. False when there is nothing.

        A model's ingest ends with what is done, and its turn goes on.
        """
        adding = self._adding
        running = adding is not None and not adding.done()
        if adding is not None:
            stop(adding)
        for task in self._tasks:
            stop(task)
        return running or bool(self._tasks)

    async def wait(self) -> None:
        """Wait until the user's own ingests have ended."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    def keep(self) -> None:
        """The program is about to end: the batch that is running, unless it was stopped, can be resumed."""
        if self._adding is not None and not self._adding.cancelling():
            self._rag.keep_queue()

    async def close(self) -> None:
        """Stop everything, for good."""
        self._closed = True
        self.cancel()
        await self.wait()

    async def run(
        self,
        typed: Sequence[str],
        report: IngestReport,
        *,
        reason: str | None = None,
        crawl: int = 0,
        tags: Sequence[str] = (),
    ) -> None:
        """Ask, then ingest.

        Args:
            typed: The sources as they were typed.
            report: Told how each source ended.
            reason: Why the model asks; None when the user does.
            crawl: As for `start`.
            tags: Likewise.
        """
        tags = clean_tags(tags)
        previews = await self._rag.preview(list(dict.fromkeys(typed)), crawl=crawl)
        good = self._without_problems(previews, report, Typed(crawl, tags))
        decision = await self._decision(previews, good, reason, tags)
        accepted = self._accepted(good, decision.accepted, report)
        # What was shown is what enters, and not what the words may stand for by now.
        sources = [source for preview in accepted for source in preview.sources]
        if decision.crawl is not None:
            sources = [leading_on(source, max(0, decision.crawl)) for source in sources]
        await self._add(sources, tags if decision.tags is None else decision.tags, report)

    async def _take_in(
        self, previews: Sequence[SourcePreview], tags: tuple[str, ...], report: IngestReport
    ) -> None:
        good = self._without_problems(previews, report, Typed(0, tags))
        denied = self._permissions.policy("rag_add") is Policy.DENY
        accepted = self._accepted(good, () if denied else [preview.typed for preview in good], report)
        await self._add([source for preview in accepted for source in preview.sources], tags, report)

    async def _add(self, sources: Sequence[Source], tags: tuple[str, ...], report: IngestReport) -> None:
        if sources:
            await self._before()
            origin = Adding(tuple(sources), tags)
            await self._work(partial(self._rag.add, sources, tags=tags), origin, report)

    async def _sync(self, names: list[str], prune: bool, report: IngestReport) -> None:
        """No question is asked: only sources are read that were agreed to before."""
        if self._permissions.policy("rag_add") is Policy.DENY:
            self._journal.notice("[" + _("设置里 rag_add 的策略是 deny，没有同步") + "]", ev.Level.WARNING)
            return
        await self._before()
        await self._work(partial(self._rag.sync, names or None, prune=prune), Syncing(), report)
        if not report.results:
            self._journal.notice("[" + _("知识库还是空的，没有可以同步的文档") + "]")

    def _report(self) -> IngestReport:
        return IngestReport(self._journal, log=True)

    def _without_problems(
        self, previews: Sequence[SourcePreview], report: IngestReport, origin: Origin
    ) -> list[SourcePreview]:
        for preview in previews:
            if preview.problem:
                self._end(report, _failure(preview), origin)
        return [preview for preview in previews if not preview.problem]

    def _accepted(
        self, previews: Sequence[SourcePreview], typed: Sequence[str], report: IngestReport
    ) -> list[SourcePreview]:
        chosen = frozenset(typed)
        for preview in previews:
            if preview.typed not in chosen:
                self._end(report, _refused(preview), Typed())
        return [preview for preview in previews if preview.typed in chosen]

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

    async def _decision(
        self,
        previews: Sequence[SourcePreview],
        good: Sequence[SourcePreview],
        reason: str | None,
        tags: tuple[str, ...],
    ) -> ev.IngestDecision:
        """What may enter, by policy or by the user."""
        policy = self._permissions.policy("rag_add")
        if policy is Policy.DENY or not good:
            return ev.IngestDecision()
        # A page could have told the model to bring in another one.
        guarded = reason is not None and self._journal.foreign
        if policy is Policy.ALLOW and not guarded:
            return ev.IngestDecision(tuple(preview.typed for preview in good))
        desk = self._permissions.desk
        request = ev.IngestReview(desk.new_id(), tuple(previews), reason is not None, reason or "", tags)
        return await desk.review_ingest(request)

    async def _work(self, work: _Work, origin: Origin, report: IngestReport) -> None:
        """Run a batch when its turn has come, and tell how it goes."""
        async with self._turn:
            await self._told(work, origin, report)
        await self._after()

    async def _told(self, work: _Work, origin: Origin, report: IngestReport) -> None:
        def told(event: IngestEvent) -> None:
            match event:
                case IngestProgress():
                    self.moving[event.source] = event
                    report.moved(event)
                    self._publish(ev.IngestMoved(event))
                case IngestFinished():
                    self._end(report, event.result, origin)
                case BatchProgress():
                    self._move(event)

        self._adding = asyncio.create_task(work(on_event=told), name="rag-add")
        try:
            await asyncio.wait([self._adding])
        finally:
            stop(self._adding)
            await until_done(self._adding)
            error = self._end_rest(report, origin, self._adding)
            self._move(None)
        if error is not None:
            raise error

    def _end_rest(
        self, report: IngestReport, origin: Origin, adding: asyncio.Task[list[IngestResult]]
    ) -> BaseException | None:
        """End the sources that did not end by themselves, because the batch was stopped or broke."""
        error = None if adding.cancelled() else adding.exception()
        if isinstance(error, RagError) and self.moving:
            state, reason = IngestState.FAILED, _("采集失败：{reason}").format(reason=error.message)
        else:
            state, reason = IngestState.CANCELLED, _("已取消采集")
        for source in list(self.moving):
            self._end(report, IngestResult(source, state, reason=reason), origin)
        told = isinstance(error, RagError) and report.results
        return None if told else error

    def _move(self, progress: BatchProgress | None) -> None:
        if progress != self.progress:
            self.progress = progress
            self._publish(ev.BatchMoved(progress))

    def _end(self, report: IngestReport, result: IngestResult, origin: Origin) -> None:
        self.moving.pop(result.source, None)
        self._failures.note(result, origin)
        report.ended(result)
        self._publish(ev.IngestEnded(result))


def _failure(preview: SourcePreview) -> IngestResult:
    return IngestResult(
        preview.typed, IngestState.FAILED, reason=_("采集失败：{reason}").format(reason=preview.problem)
    )


def _refused(preview: SourcePreview) -> IngestResult:
    return IngestResult(preview.typed, IngestState.CANCELLED, reason=_("已取消采集"))
