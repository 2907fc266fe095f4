"""How good retrieval is: questions with known answers, asked of a knowledge base.

A question of JSON Lines is asked as a user would ask it: its rank is the place of the first right hit among
the ten best of `RagService.search`. SQuAD's paragraphs measure the ranking alone, without the floor and the
limits on what is shown: each is one document, ranked by its best passage.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from geekagent_tui.files import private_folder
from geekagent_tui.i18n import _
from geekagent_tui.paths import Workspace
from geekagent_tui.rag.chunk import chunk
from geekagent_tui.rag.errors import RagError
from geekagent_tui.rag.extract.tidy import tidy
from geekagent_tui.rag.lane import until_done
from geekagent_tui.rag.model import Hit, SourceKind
from geekagent_tui.rag.opening import DATABASE
from geekagent_tui.rag.question_file import Paragraphs, Wanted
from geekagent_tui.rag.service import RagService
from geekagent_tui.rag.settings import Settings
from geekagent_tui.rag.store import NewDocument, Span, Store

_Q = TypeVar("_Q")

DEPTH = 10
"""Hits, or paragraphs, that are looked at for each question."""

Tell = Callable[[int, int], None]
"""Told how many questions are answered, and of how many."""


@dataclass(frozen=True, slots=True)
class Answered:
    """One question, and what was found.

    Attributes:
        rank: Place of the first right one among `ids`, from 1; 0 when there is none.
        ids: What was found, best first: documents' ids, or paragraphs' numbers from 0.
    """

    question: str
    rank: int
    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All questions of a file, in its order; there is at least one."""

    answered: tuple[Answered, ...]

    def recall(self, k: int) -> float:
        """The share of questions with a right one among the first `k`, 0 to 1."""
        return statistics.fmean(0 < each.rank <= k for each in self.answered)

    @property
    def mrr(self) -> float:
        """The mean of 1 / rank, 0 for a question without a right one."""
        return statistics.fmean(1 / each.rank if each.rank else 0.0 for each in self.answered)


async def ask_base(service: RagService, questions: Iterable[Wanted], tell: Tell) -> Evaluation:
    """Ask a knowledge base questions about its documents; nothing but missing vectors is written.

    Raises:
        RagError: It is empty, or can't be searched.
    """
    if not (await service.stats()).documents:
        raise RagError(_("知识库还是空的，先用 rag_add 或 /rag add 采集"))
    await service.embed()

    async def ask(wanted: Wanted) -> Answered:
        document = None if wanted.source is None else await service.find(wanted.source)
        hits = (await service.search(wanted.question, DEPTH)).hits
        anywhere = wanted.source is None
        right = (
            place
            for place, hit in enumerate(hits, start=1)
            if (anywhere or (document and hit.id == document.id)) and _has(hit, wanted)
        )
        return Answered(wanted.question, next(right, 0), tuple(hit.id for hit in hits))

    return await _asked(tuple(questions), ask, tell)


async def ask_paragraphs(pool: Paragraphs, tell: Tell, settings: Settings | None = None) -> Evaluation:
    """Ask questions about paragraphs in a knowledge base of their own, which is gone afterwards.

    Args:
        pool: Paragraphs and questions.
        tell: Told about progress.
        settings: How that base searches, if not by words alone; vectors are made first.

    Raises:
        RagError: It can't be made or searched.
    """
    with tempfile.TemporaryDirectory(prefix="geekagent-eval-") as folder:
        workspace = Workspace(Path(folder))
        filling = asyncio.ensure_future(asyncio.to_thread(_fill, workspace, pool.texts))
        if await until_done(filling):  # the folder must not go before the thread is done with it
            raise asyncio.CancelledError
        filling.result()
        tell(0, len(pool.questions))
        settings = replace(settings or Settings(), interchange_limit=0)
        async with await RagService.open(workspace, settings=settings) as service:
            await service.embed()

            async def ask(asked: tuple[str, int]) -> Answered:
                question, number = asked
                ids = await _ranked_paragraphs(service, question)
                return Answered(question, ids.index(number) + 1 if number in ids else 0, ids)

            return await _asked(pool.questions, ask, tell)


async def _asked(
    questions: tuple[_Q, ...], ask: Callable[[_Q], Awaitable[Answered]], tell: Tell
) -> Evaluation:
    answered = []
    for done, question in enumerate(questions, start=1):
        answered.append(await ask(question))
        tell(done, len(questions))
    return Evaluation(tuple(answered))


def _has(hit: Hit, wanted: Wanted) -> bool:
    """Whether a hit is the passage that is wanted, and has the words that are."""
    if wanted.passage not in (None, hit.passage):
        return False
    return all(_squeezed(text) in _squeezed(hit.text) for text in wanted.texts)


def _squeezed(text: str) -> str:
    return "".join(text.split()).casefold()


def _fill(workspace: Workspace, texts: tuple[str, ...]) -> None:
    """Store each paragraph as a document whose source is its number, in one transaction."""
    store = Store.open(private_folder(workspace.rag) / DATABASE)
    try:
        store.put([_document(str(number), tidy(text)) for number, text in enumerate(texts)])
    finally:
        store.close()


def _document(source: str, text: str) -> NewDocument:
    spans = [Span(each.start, each.end - each.start, each.heading) for each in chunk(text)]
    return NewDocument(source, SourceKind.FILE, "", text, spans)


async def _ranked_paragraphs(service: RagService, question: str) -> tuple[int, ...]:
    """The best paragraphs' numbers; one of several passages is ranked by its best."""
    wanted = DEPTH
    while True:
        hits = (await service.search(question, wanted, bare=True)).hits
        numbers = tuple(dict.fromkeys(int(hit.source) for hit in hits))
        if len(numbers) >= DEPTH or len(hits) < wanted:
            return numbers[:DEPTH]
        wanted *= 2
