"""What can be chosen about a knowledge base."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self

from geekagent_tui.config import Config, Embeddings, Reranking


@dataclass(frozen=True, slots=True)
class Settings:
    """Choices of one knowledge base.

    Attributes:
        chunking: How documents are cut: along their structure, or into the reference's fixed windows.
        interchange_limit: Passages above which index.json is not written any more.
        pause: Seconds between two requests of a crawl or a sitemap to one host.
        dense: Who makes vectors; None to search by words alone.
        rerank: Who puts the best passages into their final order; None for nobody.
    """

    chunking: Literal["structure", "window"] = "structure"
    interchange_limit: int = 10_000
    pause: float = 0.5
    dense: Embeddings | None = None
    rerank: Reranking | None = None

    @classmethod
    def of(cls, config: Config) -> Self:
        """What the user's settings say."""
        return cls(dense=config.dense, rerank=config.rerank)
