"""Bounds on what one source may cost."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

MEBI: Final = 1024 * 1024
CHARACTERS: Final = 2 * MEBI
"""Most characters of one document unless the user says otherwise: the reference's limit."""
CHARACTERS_VARIABLE: Final = "GEEKAGENT_RAG_MAX_CHARS"
"""The environment variable that raises `CHARACTERS`."""
BYTES: Final = 32 * MEBI
"""Most bytes of one file or one response body, after decompression."""
TITLE: Final = 120
"""Most characters of a title."""
SILENCE: Final = 15.0
"""Seconds without connection or data before a server is given up."""
TOTAL: Final = 300.0
"""Seconds that one download may take in all, however steadily it drips."""
REDIRECTS: Final = 10
"""Most redirects followed for one address."""
ROBOTS: Final = 512 * 1024
"""Bytes of a robots.txt that are looked at, as RFC 9309 §2.5 asks for."""
SITEMAP_BYTES: Final = 50 * MEBI
"""Most bytes of one unpacked sitemap: https://www.sitemaps.org/protocol.html."""
SITEMAP_FILES: Final = 50
"""Most sitemaps read for one address, the index included."""
SITEMAP_PAGES: Final = 1000
"""Most pages taken from a sitemap unless the user says otherwise."""
CRAWL_PAGES: Final = 10_000
"""Most pages that one source may become, whatever the user says."""
PAGE_LINKS: Final = 2000
"""Most links of one page that are looked at."""
FRONTIER: Final = 50_000
"""Most addresses that wait for their turn in one crawl or sitemap."""
LIST_LINES: Final = 10_000
"""Most sources in a list file."""
FOLDER_ENTRIES: Final = 200_000
"""Most entries looked at below one folder: a typo such as `/` must not walk the whole disk."""


def max_characters(environ: Mapping[str, str] = os.environ) -> int:
    """Most characters of one document: the variable's value if it is a positive number, else the default."""
    value = environ.get(CHARACTERS_VARIABLE, "").strip()
    return int(value) if value.isdecimal() and int(value) > 0 else CHARACTERS
