"""Recall: before each turn the question is looked up in long-term memory and in the knowledge base.

What is found is quoted to the model as reference material beside the question. Nothing found, nothing said.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, TypeVar

from geekagent_tui.agent.memory import Memory
from geekagent_tui.agent.tokens import estimate_tokens
from geekagent_tui.i18n import _
from geekagent_tui.rag.errors import RagError
from geekagent_tui.rag.model import Hit, Selection
from geekagent_tui.rag.wording import quoted

if TYPE_CHECKING:
    from geekagent_tui.agent.memory_search import MemoryHit
    from geekagent_tui.rag.service import RagService

_T = TypeVar("_T")

MEMORY_HITS = 5
KNOWLEDGE_HITS = 4
MOST_TOKENS = 2000
"""The most that recall may take of a request, and never above an eighth of the model's window."""

MEMORY_FLOOR = 0.2
"""The share of a question's weight that a memory must hold to be recalled unasked."""

PATIENCE = 5.0
"""Seconds a question waits for recall; a knowledge base that is being rebuilt may take longer."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Recall:
    """What came to mind for a question.

    Attributes:
        text: The block for the model; "" when nothing did.
        hits: The passages of the knowledge base in it.
        foreign: It holds memories that were not written here.
    """

    text: str = ""
    hits: tuple[Hit, ...] = ()
    foreign: bool = False


async def recall(
    question: str, memory: Memory, rag: RagService, within: Selection | None, context_window: int
) -> Recall:
    """Look a question up. A search that fails or takes long never keeps the question from being asked.

    Args:
        question: The user's words.
        memory: Where it is looked up, all of it.
        rag: Likewise.
        within: The documents that count; None for all.
        context_window: The model's, in tokens.
    """
    memories, passages = await asyncio.gather(
        _in_time(partial(_memories, question, memory)), _in_time(partial(_passages, question, rag, within))
    )
    found = compose(memories, passages, min(context_window // 8, MOST_TOKENS))
    return replace(found, foreign=await memory.from_elsewhere(memories))


def compose(memories: Sequence[MemoryHit], passages: Sequence[Hit], budget: int) -> Recall:
    """The block of what was found, the best of both by turns, cut to a budget in tokens.

    Scores of two collections can't be compared, so ranks decide: memory's first, then the knowledge base's
    first, and so on. A piece that does not fit is left out whole.
    """
    lines: list[str] = []
    hits: list[Hit] = []
    left = budget
    for piece in _by_turns(memories, passages):
        line = quoted(piece) if isinstance(piece, Hit) else piece.label()
        cost = estimate_tokens(line) + 4
        if cost > left:
            continue
        left -= cost
        lines.append(f"{len(lines) + 1}. {line}")
        if isinstance(piece, Hit):
            hits.append(piece)
    if not lines:
        return Recall()
    head = _("自动唤起 {n} 条相关内容（供参考）：") if hits else _("自动唤起 {n} 条相关记忆（供参考）：")
    head = head.format(n=len(lines))
    return Recall("\n".join([head, *lines]), tuple(hits))


def _by_turns(memories: Sequence[MemoryHit], passages: Sequence[Hit]) -> Iterator[MemoryHit | Hit]:
    for pair in zip_longest(memories, passages):
        yield from (piece for piece in pair if piece is not None)


async def _in_time(search: Callable[[], Coroutine[Any, Any, tuple[_T, ...]]]) -> tuple[_T, ...]:
    try:
        return await asyncio.wait_for(search(), PATIENCE)
    except (RagError, OSError):  # a time-out is an OSError
        _log.exception("recall")
        return ()


async def _memories(question: str, memory: Memory) -> tuple[MemoryHit, ...]:
    return await memory.search(question, MEMORY_HITS, floor=MEMORY_FLOOR)


async def _passages(question: str, rag: RagService, within: Selection | None) -> tuple[Hit, ...]:
    return (await rag.search(question, limit=KNOWLEDGE_HITS, within=within)).hits
