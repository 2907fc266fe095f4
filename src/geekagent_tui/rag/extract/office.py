"""DOCX, PPTX or XLSX: which one an Office archive is, and its title."""

from __future__ import annotations

from geekagent_tui.rag.extract.package import Package, first_text
from geekagent_tui.rag.extract.paging import Paged
from geekagent_tui.rag.failures import damaged, not_text
from geekagent_tui.rag.raw import Raw
from geekagent_tui.rag.sniff import OFFICE_ZIP

_KINDS = {"word": "DOCX", "ppt": "PPTX", "xl": "XLSX"}


def extract_office(raw: Raw) -> Paged:
    """Title (may be empty) and text of a Word document, a presentation or a workbook.

    Raises:
        SourceError: It is none of these, or damaged.
    """
    with Package(raw.data, "Office") as package:
        kinds = package.relations("")
        main = next((name for kind, name in kinds.values() if kind == "officeDocument"), "")
        kind = _KINDS.get(main.partition("/")[0])
        if kind is None and not main and "[Content_Types].xml" in package:
            raise damaged("Office")
        title = _title(
            package, next((name for kind, name in kinds.values() if kind == "core-properties"), "")
        )
        if kind == "DOCX":
            from geekagent_tui.rag.extract.docx import extract_docx

            heading, text = extract_docx(package, main)
            return Paged(title or heading, text)
        if kind == "PPTX":
            from geekagent_tui.rag.extract.pptx import extract_pptx

            slides = extract_pptx(package, main)
            return Paged(title or slides.title, slides.text, slides.pages)
        if kind == "XLSX":
            from geekagent_tui.rag.extract.xlsx import extract_xlsx

            return Paged(title, extract_xlsx(package, main))
    raise not_text(raw.name, OFFICE_ZIP)


def _title(package: Package, core: str) -> str:
    """What the document's properties call it; the names that Office gives by itself don't count."""
    title = first_text(package.xml(core), "title") if core else ""
    return (
        ""
        if title.casefold() in {"powerpoint presentation", "powerpoint 演示文稿", "word document"}
        else title
    )
