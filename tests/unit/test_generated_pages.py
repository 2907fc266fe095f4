"""One Markdown page as eleven site generators draw it: what we read is the Markdown again."""

from __future__ import annotations

from pathlib import Path

import pytest

from geekagent_tui.rag.extract import extract
from geekagent_tui.rag.model import SourceKind
from geekagent_tui.rag.raw import Raw

FOLDER = Path(__file__).parents[1] / "data" / "generated"
MARKDOWN = (FOLDER / "page.md").read_text("utf-8").strip()
TITLE, BODY = MARKDOWN.split("\n\n", 1)


@pytest.mark.parametrize("page", sorted(FOLDER.glob("*.html")), ids=lambda page: page.stem)
def test_a_generated_page_is_its_markdown(page: Path) -> None:
    read = extract(Raw(page.read_bytes(), SourceKind.URL, "https://example.org/page", "text/html"))
    # Where the title is front matter, the theme draws it, inside or outside the text
    assert read.text.removeprefix(f"{TITLE}\n\n") == BODY
    assert "计时" in read.title
