"""The half of the knowledge base's door that brings documents in, and brings them up to date."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from geekagent_tui.i18n import _
from geekagent_tui.rag import queries, tagging
from geekagent_tui.rag.batches import Batches
from geekagent_tui.rag.given import preview_of
from geekagent_tui.rag.lane import Lane, until_done
from geekagent_tui.rag.ledger import OnEvent
from geekagent_tui.rag.list_file import listed
from geekagent_tui.rag.model import (
    GivenText,
    IngestFinished,
    IngestResult,
    IngestState,
    Interrupted,
    Source,
    SourcePreview,
)
from geekagent_tui.rag.sources import resolve
from geekagent_tui.rag.store import Store


class Intake:
    """Says what typed words stand for, and runs batches.

    Args:
        read: The thread that reads the database.
        batches: Runs them.
        workspace: What paths are relative to.
        root: The folder that files must really be in; None means any readable file.
    """

    def __init__(self, read: Lane[Store], batches: Batches, workspace: Path, root: Path | None) -> None:
        self._read = read
        self._batches = batches
        self._workspace = workspace
        self._root = root

    async def listed(self, typed: Sequence[str]) -> list[str]:
        """Words that the user typed, those of list files in the place of `@FILE`.

        Raises:
            SourceError: A list can't be read, is too long, or holds another list.
        """
        return await asyncio.to_thread(listed, typed, self._workspace, self._root)

    async def preview(self, typed: Sequence[str], *, crawl: int = 0) -> list[SourcePreview]:
        """What some typed words stand for, in their order; no request of any kind is made.

        Args:
            typed: URLs, files, folders and patterns.
            crawl: As for `add`.
        """
        previews = await self._resolved(typed, crawl)

        def counted(store: Store) -> list[SourcePreview]:
            sources = [source.identity for preview in previews for source in preview.sources]
            known = queries.known(store, sources)
            return [
                replace(preview, known=sum(source.identity in known for source in preview.sources))
                for preview in previews
            ]

        return await self._read.run(counted)

    async def add(
        self,
        sources: Sequence[str | Source],
        on_event: OnEvent | None = None,
        *,
        crawl: int = 0,
        texts: Sequence[GivenText] = (),
        tags: Sequence[str] = (),
    ) -> list[IngestResult]:
        """Ingest URLs, files, folders and patterns; read known ones again.

        Cancelling stops it: what is done stays, and the rest is told to be cancelled.

        Args:
            sources: As they were typed; or what `preview` gave, of which nothing is resolved again.
            on_event: Told about progress, in the event loop. What it is told to be added is durable.
            crawl: How many pages of its site each URL may lead to, itself included; 0 means it alone. For a
                sitemap, how many of those it lists, and 0 means `limits.SITEMAP_PAGES`.
            texts: What else is to be added, behind the sources.
            tags: Put on every document, also on one that is known and has not changed.

        Returns:
            One result for each document source, in order, and one for each word that stands for none; those
            of pages that were found on the way come last.

        Raises:
            TagError: One of the tags can't be one; nothing was done.
        """
        known = await self._read.run(tagging.proper, tags)
        previews = [*await self._resolved(sources, crawl), *map(preview_of, texts)]
        return await self._batches.add(previews, on_event, tags=known)

    async def sync(
        self,
        sources: Sequence[str | int] | None = None,
        *,
        prune: bool = False,
        on_event: OnEvent | None = None,
    ) -> list[IngestResult]:
        """Read documents again that are known; what has not changed costs no write.

        Cancelling stops it: what is done stays, and the rest is told to be cancelled.

        Args:
            sources: Ids, or sources in any spelling; patterns and folders mean the known documents in them.
                None for all.
            prune: Whether documents whose source is gone are removed; else they are told as failed.
            on_event: Told about progress, in the event loop.

        Returns:
            One result for each document, in order, and one for each word that means none.
        """
        return await self._batches.sync(sources, prune, on_event)

    async def interrupted(self) -> list[Interrupted]:
        """Batches that were not brought to their end, because their process was; oldest first.

        What can't be used in the queue is set aside, and told in `notices`.
        """
        return await self._batches.interrupted()

    async def resume(self, batches: Sequence[str], on_event: OnEvent | None = None) -> list[IngestResult]:
        """Go on with interrupted batches, to which the user has agreed when they began.

        Cancelling stops it: what is done stays, the rest is told to be cancelled, also of the batches that
        were not begun, and is not resumed again.

        Args:
            batches: As `interrupted` names them; one that another process has taken up is left out.
            on_event: Told about progress, in the event loop.

        Returns:
            One result for each source that had not ended.
        """
        results = []
        for at, name in enumerate(batches):
            try:
                results += await self._batches.resume(name, on_event)
            except asyncio.CancelledError:
                letting_go = asyncio.ensure_future(self._let_go(batches[at:]))
                await until_done(letting_go)
                _tell_cancelled(letting_go.result(), on_event)
                raise
        return results

    def keep_queue(self) -> None:
        """The program is about to end: batches that are cancelled from here on can be resumed by another."""
        self._batches.keep()

    async def forget_interrupted(self, batches: Sequence[str]) -> None:
        """Let go of interrupted batches; what they had added stays."""
        await self._batches.forget(batches)

    async def _let_go(self, batches: Sequence[str]) -> list[str]:
        """Forget batches that were not begun again; the sources that were left of them."""
        left = [each for each in await self._batches.interrupted() if each.batch in batches]
        await self._batches.forget([each.batch for each in left])
        return [source for each in left for source in each.left]

    async def _resolved(self, typed: Sequence[str | Source], crawl: int) -> list[SourcePreview]:
        stop = threading.Event()

        def work() -> list[SourcePreview]:
            return [
                SourcePreview(words.identity, words.kind, "", (words,))
                if isinstance(words, Source)
                else resolve(words, self._workspace, self._root, crawl, stop.is_set)
                for words in typed
            ]

        try:
            return await asyncio.to_thread(work)
        finally:  # cancelled: a large folder is not walked to its end for nobody
            stop.set()


def _tell_cancelled(sources: Sequence[str], tell: OnEvent | None) -> None:
    if tell is None:
        return
    for position, source in enumerate(sources, start=1):
        result = IngestResult(source, IngestState.CANCELLED, reason=_("已取消采集"))
        tell(IngestFinished(result, position, len(sources)))
