"""Searching passages while the user types: a moment after the last key, and only the latest query counts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from geekagent_tui.rag.errors import RagError
from geekagent_tui.rag.model import SearchResult
from geekagent_tui.ui.gateway import Gateway
from geekagent_tui.ui.panels.knowledge_query import Wanted

PAUSE = 0.15
"""Seconds without a key before a search begins."""
LIMIT = 20


@dataclass(frozen=True, slots=True)
class Asked:
    """A search: its words, its limits, whether it tells why."""

    wanted: Wanted
    explain: bool = False


class PassageSearch:
    """The passages for what is wanted at present.

    Attributes:
        asked: What was asked for last; None for nothing.
        result: Its result; None while there is none.
        problem: Why there is none, a sentence.
    """

    def __init__(self) -> None:
        self.asked: Asked | None = None
        self.result: SearchResult | None = None
        self.problem = ""

    def want(self, asked: Asked | None) -> bool:
        """Ask for something else; whether a search is due. An old result stays until the new one is there."""
        if asked == self.asked:
            return False
        self.asked = asked
        self.problem = ""
        if asked is None:
            self.result = None
        return asked is not None

    def forget(self) -> None:
        """What is in the knowledge base has changed: the same words are worth another search."""
        self.asked = None

    async def run(self, gateway: Gateway, found: Callable[[], None], *, pause: float = PAUSE) -> None:
        """Search; `found` is called when there is a result that is still wanted."""
        asked = self.asked
        await asyncio.sleep(pause)
        if asked is None or asked != self.asked:
            return
        within = asked.wanted.selection or None
        try:
            result = await gateway.search(asked.wanted.text, LIMIT, within=within, explain=asked.explain)
            problem = ""
        except RagError as error:
            result, problem = None, error.message
        if asked == self.asked:
            self.result, self.problem = result, problem
            found()
