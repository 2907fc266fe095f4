"""A chapter of a book: markup that is all content, so no main text is looked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from geekagent_tui.rag.extract.code import UNMARKED, normalise_code
from geekagent_tui.rag.extract.dom import drop
from geekagent_tui.rag.extract.inline import BREAK
from geekagent_tui.rag.extract.nesting import parsed
from geekagent_tui.rag.extract.page import drop_unseen, unwrap_figures
from geekagent_tui.rag.extract.render import render

if TYPE_CHECKING:
    from geekagent_tui.rag.extract.tree import Element

_UNSEEN = "head, script, style, template, svg, iframe, nav, [hidden]"


def chapter_text(markup: str) -> str:
    """The whole text of a chapter, as the renderer of pages writes it; may be empty."""
    from lxml import html

    page, _deep = parsed(markup.translate(UNMARKED).replace(BREAK, ""))
    drop_unseen(page)
    codes = normalise_code(page)
    unwrap_figures(page)
    drop(page.css(_UNSEEN))
    body = page.body
    if body is None or not body.text().strip():
        return ""
    tree = html.fromstring(f"<html>{body.html}</html>")
    return render(cast("Element", tree), codes)
