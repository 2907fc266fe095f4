"""What can be chosen about a knowledge base."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Settings:
    """Choices of one knowledge base.

    Attributes:
        chunking: How documents are cut: along their structure, or into the reference's fixed windows.
        interchange_limit: Passages above which index.json is not written any more.
        pause: Seconds between two requests of a crawl or a sitemap to one host.
    """

    chunking: Literal["structure", "window"] = "structure"
    interchange_limit: int = 10_000
    pause: float = 0.5
