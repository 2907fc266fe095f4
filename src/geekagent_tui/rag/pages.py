"""Reading one web page as text, without taking it into the knowledge base."""

from __future__ import annotations

from dataclasses import dataclass

from geekagent_tui.rag.addresses import normalise
from geekagent_tui.rag.extract import extract
from geekagent_tui.rag.fetch import Fetcher, Leash
from geekagent_tui.rag.raw import Raw
from geekagent_tui.rag.workers import Workers

SECONDS = 60.0
"""Seconds that extraction may take."""


@dataclass(frozen=True, slots=True)
class Page:
    """What a web page says.

    Attributes:
        url: Its address after redirects.
        text: Markdown-flavoured.
    """

    url: str
    title: str
    text: str


async def read_page(typed: str, fetcher: Fetcher, workers: Workers, leash: Leash) -> Page:
    """Fetch a page and extract its text; see `RagService.page`."""
    raw = await fetcher.fetch(normalise(typed), leash=leash)
    title, text = await workers.run(_extracted, raw, timeout=SECONDS)
    return Page(raw.final_url, title, text)


def _extracted(raw: Raw) -> tuple[str, str]:
    extracted = extract(raw)
    return extracted.title, extracted.text
