"""Bytes → title and Markdown-flavoured text. Pure and synchronous; runs in a worker process."""

from __future__ import annotations

from dataclasses import dataclass

from geekagent_tui.i18n import _
from geekagent_tui.rag import limits
from geekagent_tui.rag.errors import RagError
from geekagent_tui.rag.extract.charset import decode
from geekagent_tui.rag.extract.formats import Format, base_name, format_of
from geekagent_tui.rag.extract.paging import Paged
from geekagent_tui.rag.extract.refusals import refuse
from geekagent_tui.rag.extract.tidy import tidy, tidy_title
from geekagent_tui.rag.failures import empty, failed, too_much_text
from geekagent_tui.rag.raw import Raw

__all__ = ["Extracted", "extract"]


@dataclass(frozen=True, slots=True)
class Extracted:
    """What a document says.

    Attributes:
        title: One line of at most `limits.TITLE` characters, never empty.
        text: Markdown-flavoured, never blank; lines end in a newline, no other control character but tabs.
        pages: Where each page (of a PDF) or slide begins in `text`, page 1 first; an empty page begins where
            the next one does. Empty for what has no pages.
    """

    title: str
    text: str
    pages: tuple[int, ...] = ()


def extract(raw: Raw) -> Extracted:
    """Decode a document and find its title and its text.

    Raises:
        EmptyContentError: It has no text.
        TooLargeError: It has more characters than `limits.max_characters()`.
        SourceError: It is neither text nor a document, is damaged or locked, or needs a missing extra.
    """
    try:
        found = _read(raw)
        text = tidy(found.text)
    except RagError:
        raise
    except RecursionError:
        raise failed(_("内容嵌套太深，无法解析")) from None
    if not text:
        raise empty()
    most = limits.max_characters()
    if len(text) > most:
        raise too_much_text(len(text), most)
    return Extracted(_title(raw, found.title), text, found.pages)


def _title(raw: Raw, found: str) -> str:
    return tidy_title(found) or tidy_title(base_name(raw)) or _("无标题")


def _read(raw: Raw) -> Paged:
    refuse(raw)
    match form := format_of(raw):
        case Format.PDF:
            from geekagent_tui.rag.extract.pdf import extract_pdf

            return extract_pdf(raw.data)
        case Format.OFFICE:
            from geekagent_tui.rag.extract.office import extract_office

            return extract_office(raw)
        case Format.ODT:
            from geekagent_tui.rag.extract.odt import extract_odt

            return Paged(*extract_odt(raw.data))
        case Format.EPUB:
            from geekagent_tui.rag.extract.epub import extract_epub

            return Paged(*extract_epub(raw.data))
        case Format.MAIL:
            from geekagent_tui.rag.extract.mail import extract_mail

            return Paged(*extract_mail(raw.data, raw.charset))
        case Format.HTML:
            from geekagent_tui.rag.extract.html import extract_html

            return Paged(*extract_html(decode(raw.data, raw.charset, markup=True)))
        case _:
            return Paged(*_read_text(tidy(decode(raw.data, raw.charset)), form))


def _read_text(text: str, form: Format) -> tuple[str, str]:
    match form:
        case Format.MARKDOWN:
            from geekagent_tui.rag.extract.markdown import extract_markdown as read
        case Format.RST:
            from geekagent_tui.rag.extract.rst import extract_rst as read
        case Format.ASCIIDOC:
            from geekagent_tui.rag.extract.asciidoc import extract_asciidoc as read
        case Format.JSON:
            from geekagent_tui.rag.extract.data import extract_json as read
        case Format.JSON_LINES:
            from geekagent_tui.rag.extract.data import extract_json_lines as read
        case Format.NOTEBOOK:
            from geekagent_tui.rag.extract.notebook import extract_notebook as read
        case Format.TABLE:
            from geekagent_tui.rag.extract.data import extract_csv as read
        case _:
            return "", text
    return read(text)
