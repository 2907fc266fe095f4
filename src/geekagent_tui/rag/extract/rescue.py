"""Where main-text extraction found too little of a page: what its own elements say instead."""

from __future__ import annotations

import re
from collections.abc import Sequence

from selectolax.lexbor import LexborHTMLParser, LexborNode

from geekagent_tui.rag.extract.code import Code
from geekagent_tui.rag.extract.containers import dense_container, general_container
from geekagent_tui.rag.extract.dom import size_of
from geekagent_tui.rag.extract.render import render

_LEAST_SHARE = 0.35  # of a page's only `<main>` or `<article>`: less was found, so it was misread
_LITTLE = 250  # characters: below this the page may not be an article, and all of it is looked at
_HEADING = re.compile(r"^#{2,6} ", re.MULTILINE)
_FENCED = re.compile(r"^(`{3,}).*?^\1$", re.MULTILINE | re.DOTALL)
_FEW = 0.5
_SOMEWHAT = 1.25  # times as long at most: what is more than headings, lists and code is not the text
_LONGER = 1.5  # how many times longer the whole page's text must be to be taken instead


def rescued(page: LexborHTMLParser, text: str, codes: Sequence[Code], *, story: bool) -> str:
    """The main text, or all text of its container or of the page where too little of it was found.

    Args:
        page: Without what is by its elements not the content.
        text: What was found.
        codes: The page's blocks of code.
        story: The page is news or the like, whose headings beside the text are worth less than none.
    """
    container = general_container(page)
    if container is not None and size_of(container) > 0:
        too_little = len(text) < _LITTLE or len(text) < _LEAST_SHARE * size_of(container)
        return rendered(container, codes) if too_little else text
    if len(text) < _LITTLE and page.body is not None:
        whole = rendered(page.body, codes)
        if len(whole) > _LONGER * len(text):
            return whole
    return text if story else _with_headings(page, text, codes)


def _with_headings(page: LexborHTMLParser, text: str, codes: Sequence[Code]) -> str:
    """The text; where it lost most of the headings, the page's densest part, if that is not much more.

    Trafilatura gathers bare paragraphs, without headings and lists, where it knows no container by name.
    """
    container = dense_container(page)
    if container is None:
        return text
    whole = rendered(container, codes)
    if len(whole) > _LITTLE + _SOMEWHAT * len(text):
        return text
    return whole if _headings(text) < _FEW * _headings(whole) else text


def _headings(text: str) -> int:
    """How many sections have one; the first level is the headline, which is the title anyway."""
    return len(_HEADING.findall(_FENCED.sub("", text)))


def rendered(node: LexborNode, codes: Sequence[Code]) -> str:
    """All text of a node."""
    from trafilatura import load_html

    tree = load_html(f"<html><body>{node.html}</body></html>")
    return "" if tree is None else render(tree, codes)
