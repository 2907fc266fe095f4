"""Electronic books: the chapters in their order (EPUB 2 and 3)."""

from __future__ import annotations

import posixpath

from geekagent_tui.i18n import _
from geekagent_tui.rag.extract.charset import decode
from geekagent_tui.rag.extract.package import (
    Package,
    attribute,
    descendants,
    first_text,
    resolved,
)
from geekagent_tui.rag.extract.tree import Element
from geekagent_tui.rag.extract.writer import Writer
from geekagent_tui.rag.failures import damaged, failed

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_CHAPTERS = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml"})
_MOST_CHAPTERS = 5_000


def extract_epub(data: bytes) -> tuple[str, str]:
    """Title (metadata, may be empty) and the text of all chapters.

    Raises:
        SourceError: Damaged, or locked by its seller.
    """
    from geekagent_tui.rag.extract.chapter import chapter_text

    out = Writer()
    with Package(data, "EPUB") as package:
        rootfile = next(descendants(package.xml(_CONTAINER), "rootfile"), None)
        main = attribute(rootfile, "full-path") if rootfile is not None else ""
        book = package.xml(main)
        if book is None:
            raise damaged("EPUB")
        locked = _locked(package)
        for name in _spine(book, posixpath.dirname(main)):
            if name in locked:
                raise failed(_("EPUB 已加密（DRM），无法读取"))
            if chapter := package.read(name):
                out.block(chapter_text(decode(chapter, markup=True)))
        return first_text(book, "title"), out.text()


def _spine(book: Element, folder: str) -> list[str]:
    """The chapters' file names in reading order, without the table of contents."""
    items = {attribute(item, "id"): item for item in descendants(book, "item")}
    names: list[str] = []
    for reference in descendants(book, "itemref"):
        item = items.get(attribute(reference, "idref"))
        if item is None or "nav" in attribute(item, "properties").split():
            continue
        if attribute(item, "media-type") in _CHAPTERS:
            name = resolved(folder, attribute(item, "href"))
            if name not in names[-1:]:
                names.append(name)
        if len(names) == _MOST_CHAPTERS:
            break
    return names


def _locked(package: Package) -> frozenset[str]:
    """The files that can't be read without the seller's key; scrambled fonts are listed there, too."""
    references = descendants(package.xml(_ENCRYPTION), "CipherReference")
    return frozenset(resolved("", attribute(reference, "URI")) for reference in references)
