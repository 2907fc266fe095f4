"""PDF files: the text layer, page by page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from geekagent_tui.i18n import _
from geekagent_tui.rag import limits
from geekagent_tui.rag.extract.inline import plain
from geekagent_tui.rag.extract.markdown import first_heading
from geekagent_tui.rag.extract.package import encrypted
from geekagent_tui.rag.extract.paging import Paged, join_pages
from geekagent_tui.rag.extract.reflow import reflow
from geekagent_tui.rag.extract.tidy import tidy
from geekagent_tui.rag.failures import damaged, failed, too_much_text
from geekagent_tui.sanitize import clean_line

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument

_HYPHENATED = re.compile("[\ufffe\x02](?:\r?\n)?")  # where PDFium joined a divided word
_DIGITS = re.compile(r"\d+")
_LETTER = re.compile(r"[^\W\d_]")
_PAGE_NUMBER = re.compile(
    r"\W*(?:第\s*)?(?:page\s*)?\d{1,5}\s*(?:页)?(?:\s*(?:/|of|共)\s*\d{1,5}\s*页?)?\W*", re.I
)
_PROGRAMS_OWN = re.compile(
    r"microsoft word\b|untitled|无标题|未命名|.*\.(docx?|pptx?|tex|dvi|indd|qxd|ps|pdf|html?)\Z", re.I
)
_EDGE = 2  # lines at the top and bottom of a page that may be running heads
_FEW = 3  # pages on which a line does not stand by chance with the pages' numbers in it
_MANY = 0.4  # of the pages, on which it does not stand by chance at all
_MOST = 0.6  # of the pages, for lines of numbers only
_LONGEST_NUMBER = 5  # digits
_SHORT = 20  # characters
_MOST_BOOKMARKS = 5_000
_DEEPEST_BOOKMARK = 6

_Key = tuple[str, int | None]


def extract_pdf(data: bytes) -> Paged:
    """Title (metadata, else the first heading that a bookmark names, else empty), text and pages.

    Lines are joined into paragraphs, running heads and page numbers are left out, and lines that the
    document's bookmarks name become headings.

    Raises:
        SourceError: The extra is not installed; damaged, locked with a password, or without a text layer.
        TooLargeError: It holds more than the limit.
    """
    document = _open(data)
    try:
        pages = _read(document)
        headings = _headings(document, len(pages))
        title = _title(document)
    finally:
        document.close()
    running = _running_heads(pages)
    pages = [_without_heads(lines, number, running) for number, lines in enumerate(pages)]
    if not any(pages):
        raise failed(_("这个 PDF 没有文字层（可能是扫描件），请先做文字识别（OCR）再采集"))
    text, starts = join_pages(_write(lines, headings.get(number, {})) for number, lines in enumerate(pages))
    return Paged(title or first_heading(text), text, starts)


def _open(data: bytes) -> PdfDocument:
    try:
        import pypdfium2
        from pypdfium2.raw import FPDF_ERR_PASSWORD, FPDF_ERR_SECURITY
    except ImportError:
        raise failed(missing_extra("PDF")) from None
    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        locked = getattr(error, "err_code", None) in {FPDF_ERR_PASSWORD, FPDF_ERR_SECURITY}
        raise (encrypted("PDF") if locked else damaged("PDF")) from None


def missing_extra(kind: str) -> str:
    """The sentence for a format whose library is not installed, with how to install it."""
    return _("缺少扩展：读取 {kind} 需要安装 documents 扩展，请运行 {command}").format(
        kind=kind, command='pip install "geekagent-tui[documents]"'
    )


def _read(document: PdfDocument) -> list[list[str]]:
    """The lines of every page; a page that can't be read has none."""
    import pypdfium2

    pages: list[list[str]] = []
    size = 0
    most = limits.max_characters()
    for number in range(len(document)):
        try:
            page = document[number]
            text_page = page.get_textpage()
            text = text_page.get_text_range()
            text_page.close()
            page.close()
        except (pypdfium2.PdfiumError, UnicodeError):
            text = ""
        size += len(text)
        if size > 2 * most:  # running heads and line ends go; what is left is counted again
            raise too_much_text(size, most)
        lines = tidy(_HYPHENATED.sub("", text)).split("\n")
        pages.append([stripped for line in lines if (stripped := line.strip())])
    return pages


def _running_heads(pages: Sequence[Sequence[str]]) -> frozenset[_Key]:
    """What is told by `_keys` of lines at the edges of many pages, or of a few when it counts the pages."""
    counts: Counter[_Key] = Counter()
    for number, lines in enumerate(pages):
        counts.update({key for line in _edges(lines) for key in _keys(line, number)})
    return frozenset(
        (pattern, distance)
        for (pattern, distance), count in counts.items()
        if count >= _enough(pattern, distance, len(pages))
    )


def _enough(pattern: str, distance: int | None, pages: int) -> float:
    """On how many pages a line must stand to be a running head."""
    if not _LETTER.search(pattern):  # rows of a table of numbers meet the pages' numbers by chance
        return max(_FEW, _MOST * pages)
    return _FEW if distance is not None else max(_FEW, _MANY * pages)


def _keys(line: str, page: int) -> Iterator[_Key]:
    """A line without its numbers, if there is more in it; and with how far each number is from the page's."""
    pattern = _DIGITS.sub("#", line).casefold()
    if _LETTER.search(pattern):
        yield pattern, None
    numbers = _DIGITS.findall(line)
    for number in {*numbers[:1], *numbers[-1:]}:
        if len(number) <= _LONGEST_NUMBER:
            yield pattern, int(number) - page


def _edges(lines: Sequence[str]) -> list[str]:
    return [*lines[:_EDGE], *lines[-_EDGE:]]


def _without_heads(lines: Sequence[str], page: int, running: frozenset[_Key]) -> list[str]:
    """A page's lines but for running heads and page numbers."""
    last = len(lines) - 1
    return [
        line
        for at, line in enumerate(lines)
        if not (
            (min(at, last - at) < _EDGE and not running.isdisjoint(_keys(line, page)))
            or (at in (0, last) and last and len(line) <= _SHORT and _PAGE_NUMBER.fullmatch(line))
        )
    ]


def _write(lines: Sequence[str], headings: dict[str, int]) -> str:
    """A page's text: paragraphs, and a `#` before each line that a bookmark names."""
    blocks: list[str] = []
    for part in _split(lines, headings):
        level = headings.get(_key(part[0])) if len(part) == 1 else None
        if level:
            blocks.append(f"{'#' * level} {part[0]}")
        else:
            blocks.extend(plain(paragraph) for paragraph in reflow(part))
    return "\n\n".join(blocks)


def _split(lines: Sequence[str], headings: dict[str, int]) -> Iterator[list[str]]:
    held: list[str] = []
    for line in lines:
        if _key(line) in headings:
            if held:
                yield held
            yield [line]
            held = []
        else:
            held.append(line)
    if held:
        yield held


def _headings(document: PdfDocument, pages: int) -> dict[int, dict[str, int]]:
    """For each page the lines that its bookmarks name, and their levels from 1."""
    import pypdfium2

    found: dict[int, dict[str, int]] = {}
    try:
        for count, bookmark in enumerate(document.get_toc(max_depth=_DEEPEST_BOOKMARK)):
            target = bookmark.get_dest()
            page = target.get_index() if target is not None else None
            if count >= _MOST_BOOKMARKS:
                break
            if page is not None and 0 <= page < pages:
                found.setdefault(page, {}).setdefault(_key(bookmark.get_title()), bookmark.level + 1)
    except (pypdfium2.PdfiumError, UnicodeError, RecursionError):
        pass  # a damaged outline: headings stay plain lines
    for names in found.values():
        names.pop("", None)
    return found


def _key(line: str) -> str:
    """A heading's words without its number and spaces, which bookmarks and pages write differently."""
    return re.sub(
        r"^(?:chapter|appendix|第)?\s*[\dA-Z]*[\d.]+\s*[:：.、章节]?|\s+", "", line, flags=re.I
    ).casefold()


def _title(document: PdfDocument) -> str:
    """What the document's properties call it; names that programs give by themselves don't count."""
    import pypdfium2

    try:
        title = clean_line(document.get_metadata_value("Title"))
    except (pypdfium2.PdfiumError, UnicodeError):
        return ""
    return "" if _PROGRAMS_OWN.match(title) else title
