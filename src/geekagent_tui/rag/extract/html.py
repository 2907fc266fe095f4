"""A web page → its title and main text."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from configparser import ConfigParser
from functools import cache

from geekagent_tui.i18n import _
from geekagent_tui.rag.extract.article import drop_beside_text, headlines, is_article
from geekagent_tui.rag.extract.code import UNMARKED, Code, normalise_code
from geekagent_tui.rag.extract.containers import known_containers
from geekagent_tui.rag.extract.edges import trim
from geekagent_tui.rag.extract.formulas import keep_tex
from geekagent_tui.rag.extract.inline import BREAK
from geekagent_tui.rag.extract.labels import drop_labelled
from geekagent_tui.rag.extract.nesting import parsed
from geekagent_tui.rag.extract.page import (
    drop_outside,
    drop_unseen,
    needs_javascript,
    title_of,
    unwrap_figures,
)
from geekagent_tui.rag.extract.render import render
from geekagent_tui.rag.extract.rescue import rendered, rescued
from geekagent_tui.rag.extract.tabs import bracket_footnotes, name_tabs
from geekagent_tui.rag.failures import failed

_log = logging.getLogger(__name__)
_NEXT_TO_NOTHING = 100  # characters of a page that only asks for JavaScript


def extract_html(markup: str) -> tuple[str, str]:
    """Title (may be empty) and main text of a page, without its navigation, footers and asides.

    Raises:
        SourceError: The page shows nothing without JavaScript.
    """
    page, deep = parsed(markup.translate(UNMARKED).replace(BREAK, ""))
    title = title_of(page)
    needs_script = needs_javascript(page)
    repeated = headlines(page, title) if (article := is_article(page)) else []
    keep_tex(page)
    drop_unseen(page)
    name_tabs(page)
    bracket_footnotes(page)
    codes = normalise_code(page)
    unwrap_figures(page)
    drop_labelled(page)
    if containers := known_containers(page):
        return title, "\n\n".join(rendered(container, codes) for container in containers)
    if story := article and not codes:  # a tutorial's captions and links are part of it
        drop_beside_text(page)
    # Where boxes were taken away, what is left tells no main text from the rest
    text = "" if deep else _main_text(page.html or "", codes)
    drop_outside(page)
    text = trim(rescued(page, text, codes, story=story), title, repeated)
    if needs_script and len(text) < _NEXT_TO_NOTHING:
        raise failed(
            _("这个网页要靠 JavaScript 才显示内容，请改用它的文章页、打印版，或把内容另存为文件再采集")
        )
    return title, text


def _main_text(markup: str, codes: Sequence[Code]) -> str:
    """What Trafilatura takes for the main text, or an empty string."""
    from trafilatura import bare_extraction

    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)  # an empty page is an answer, not a mishap
    try:
        document = bare_extraction(
            markup, fast=True, include_comments=False, include_formatting=True, config=_settings()
        )
    except Exception:  # a library on hostile input; the fallback reads the page without it
        _log.warning("trafilatura failed", exc_info=True)
        return ""
    body = getattr(document, "body", None)
    return "" if body is None else render(body, codes)


@cache
def _settings() -> ConfigParser:
    """Trafilatura's, without its rescue by all paragraphs glued together: ours keeps the structure."""
    from trafilatura.settings import use_config

    settings = use_config()
    settings.set("DEFAULT", "MIN_EXTRACTED_SIZE", "0")
    return settings
