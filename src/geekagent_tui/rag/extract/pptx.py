"""Presentations: one section a slide, with its notes (ECMA-376, part 1, §19)."""

from __future__ import annotations

from collections.abc import Iterator

from geekagent_tui.i18n import _
from geekagent_tui.rag.extract.package import Package, attribute, child, descendants, local
from geekagent_tui.rag.extract.paging import Paged, join_pages
from geekagent_tui.rag.extract.tree import Element
from geekagent_tui.rag.extract.writer import Writer
from geekagent_tui.rag.failures import damaged

_TITLES = frozenset({"title", "ctrTitle"})
_SKIPPED = frozenset({"dt", "ftr", "sldNum", "hdr", "sldImg"})
_LISTS = frozenset({"", "body", "obj", "subTitle"})
_BREAKS = {"br": "\n", "tab": "\t"}


def extract_pptx(package: Package, main: str) -> Paged:
    """All slides in their order; a slide's title becomes a heading.

    Raises:
        SourceError: Damaged.
    """
    root = package.xml(main)
    if root is None:
        raise damaged("PPTX")
    relations = package.relations(main)
    first_title = ""
    slides: list[str] = []
    for reference in descendants(root, "sldId"):
        ids = [value for key, value in reference.items() if key.endswith("}id")]
        kind, name = relations.get(ids[0] if ids else "", ("", ""))
        if kind == "slide":
            title, text = _slide(package, name)
            first_title = first_title or title
            slides.append(text)
    text, pages = join_pages(slides)
    return Paged(first_title, text, pages)


def _slide(package: Package, name: str) -> tuple[str, str]:
    out = Writer()
    shapes = list(_shapes(child(package.xml(name), "cSld", "spTree")))
    titles = [_plain(shape) for shape in shapes if _role(shape) in _TITLES]
    title = " ".join(" ".join(titles).split())
    out.heading(2, title)
    for shape in shapes:
        if _role(shape) not in _TITLES:
            _write(shape, out)
    relations = package.relations(name).values()
    for kind, part in relations:
        if kind == "diagramData":  # SmartArt
            for paragraph in descendants(package.xml(part), "p"):
                out.item(_line(paragraph))
            out.end_list()
    for kind, part in relations:
        if kind == "notesSlide":
            _notes(package.xml(part), out)
    return title, out.text()


def _shapes(parent: Element | None) -> Iterator[Element]:
    """Shapes and tables, also those in groups; the second of two versions is left out."""
    for each in () if parent is None else parent:
        name = local(each)
        if name in {"sp", "graphicFrame"}:
            yield each
        elif name in {"grpSp", "AlternateContent", "Choice"}:
            yield from _shapes(each)


def _role(shape: Element) -> str:
    """What a shape is for; empty for a placeholder of no kind, "-" for a shape that is none."""
    place = child(shape, "nvSpPr", "nvPr", "ph")
    return "-" if place is None else attribute(place, "type")


def _write(shape: Element, out: Writer) -> None:
    role = _role(shape)
    if role in _SKIPPED:
        return
    for table in descendants(shape, "tbl"):
        rows = [each for each in table if local(each) == "tr"]
        out.rows([_plain(cell) for cell in row if local(cell) == "tc"] for row in rows)
    body = child(shape, "txBody")
    paragraphs = [each for each in (() if body is None else body) if local(each) == "p"]
    for paragraph in paragraphs:
        text = _line(paragraph)
        if role in _LISTS and len(paragraphs) > 1:
            properties = child(paragraph, "pPr")
            depth = attribute(properties, "lvl") if properties is not None else ""
            out.item(text, level=int(depth) if depth in set("12345678") and depth else 0)
        else:
            out.paragraph(text)
    out.end_list()


def _notes(root: Element | None, out: Writer) -> None:
    for shape in _shapes(child(root, "cSld", "spTree")):
        if _role(shape) == "body" and (text := _plain(shape).strip()):
            out.paragraph(_("备注：{text}").format(text=text))


def _plain(element: Element) -> str:
    return "\n".join(filter(str.strip, map(_line, descendants(element, "p"))))


def _line(paragraph: Element) -> str:
    parts: list[str] = []
    for each in paragraph.iter():
        name = local(each)
        parts.append(each.text or "" if name == "t" else _BREAKS.get(name, ""))
    return "".join(parts).strip()
