"""Documents made by hand, small enough to be read: archives of XML, and PDF files with their encryption."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr

_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_SHEET = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_SLIDE = (
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    ' xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
)
_ODF = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for name in ("office", "text", "table", "style", "drawing", "meta", "manifest")
)
_TIME = (2026, 1, 1, 0, 0, 0)
"""The same bytes at every call: test workers must agree on the names of their tests."""
_PADDING = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")


def archive(files: Mapping[str, str | bytes]) -> bytes:
    """A ZIP archive; `mimetype` is not compressed."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in files.items():
            kind = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            file.writestr(zipfile.ZipInfo(name, _TIME), content, kind)
    return buffer.getvalue()


def relations(targets: Mapping[str, tuple[str, str]]) -> str:
    """A file of relations: id → (type, target)."""
    lines = "".join(
        f'<Relationship Id="{id_}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for id_, (kind, target) in targets.items()
    )
    return f'<Relationships xmlns="{_PACKAGE}">{lines}</Relationships>'


def office(main: str, files: Mapping[str, str | bytes], title: str = "") -> bytes:
    """An Office archive around its parts."""
    core = (
        '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"'
        f' xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{escape(title)}</dc:title></cp:coreProperties>'
    )
    parts = {"d": ("officeDocument", main), "c": ("metadata/core-properties", "docProps/core.xml")}
    return archive(
        {
            "[Content_Types].xml": "<Types/>",
            "_rels/.rels": relations(parts),
            "docProps/core.xml": core,
            **files,
        }
    )


def paragraph(text: str, style: str = "", numbered: str = "", level: int = 0) -> str:
    """A paragraph of a Word document."""
    properties = f'<w:pStyle w:val="{style}"/>' if style else ""
    if numbered:
        properties += f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{numbered}"/></w:numPr>'
    run = f'<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'
    return f"<w:p><w:pPr>{properties}</w:pPr>{run}</w:p>"


def docx(body: str, title: str = "", notes: str = "") -> bytes:
    """A Word document with the usual styles, list 1 with bullets and list 2 with numbers."""
    names = {"1": "heading 1", "2": "heading 2", "T": "Title", "TOC1": "toc 1", "Code": "Source Code"}
    styles = "".join(
        f'<w:style w:styleId="{key}"><w:name w:val="{name}"/></w:style>' for key, name in names.items()
    )
    styles += (
        '<w:style w:styleId="My"><w:name w:val="我的标题"/><w:basedOn w:val="2"/></w:style>'
        '<w:style w:styleId="Loop"><w:name w:val="loop"/><w:basedOn w:val="Loop"/></w:style>'
    )
    levels = [
        "".join(f'<w:lvl w:ilvl="{level}"><w:numFmt w:val="{form}"/></w:lvl>' for level in range(3))
        for form in ("bullet", "decimal")
    ]
    lists = "".join(
        f'<w:abstractNum w:abstractNumId="{number}">{level}</w:abstractNum>'
        for number, level in enumerate(levels)
    ) + "".join(
        f'<w:num w:numId="{number + 1}"><w:abstractNumId w:val="{number}"/></w:num>' for number in range(2)
    )
    return office(
        "word/document.xml",
        {
            "word/document.xml": f"<w:document {_WORD}><w:body>{body}<w:sectPr/></w:body></w:document>",
            "word/styles.xml": f"<w:styles {_WORD}>{styles}</w:styles>",
            "word/numbering.xml": f"<w:numbering {_WORD}>{lists}</w:numbering>",
            "word/footnotes.xml": f"<w:footnotes {_WORD}>{notes}</w:footnotes>",
            "word/_rels/document.xml.rels": relations(
                {
                    "s": ("styles", "styles.xml"),
                    "n": ("numbering", "numbering.xml"),
                    "f": ("footnotes", "/word/footnotes.xml"),
                }
            ),
        },
        title,
    )


def shape(lines: Sequence[str], role: str = "body", level: int = 0) -> str:
    """A text shape of a slide; `role` "-" makes one without a placeholder."""
    place = "" if role == "-" else f'<p:ph type="{role}"/>' if role else "<p:ph/>"
    text = "".join(f'<a:p><a:pPr lvl="{level}"/><a:r><a:t>{escape(line)}</a:t></a:r></a:p>' for line in lines)
    return f"<p:sp><p:nvSpPr><p:nvPr>{place}</p:nvPr></p:nvSpPr><p:txBody>{text}</p:txBody></p:sp>"


def pptx(
    slides: Sequence[str],
    notes: Mapping[int, str] | None = None,
    title: str = "",
    diagrams: Mapping[int, Sequence[str]] | None = None,
) -> bytes:
    """A presentation of slides, each given as its shapes; `notes` and `diagrams` by number from 1."""
    files: dict[str, str | bytes] = {}
    ids = ""
    targets: dict[str, tuple[str, str]] = {}
    for number, shapes in enumerate(slides, start=1):
        tree = f"<p:cSld><p:spTree>{shapes}</p:spTree></p:cSld>"
        files[f"ppt/slides/slide{number}.xml"] = f"<p:sld {_SLIDE}>{tree}</p:sld>"
        targets[f"r{number}"] = ("slide", f"slides/slide{number}.xml")
        ids += f'<p:sldId id="{number}" r:id="r{number}"/>'
        own: dict[str, tuple[str, str]] = {}
        if notes and number in notes:
            tree = f"<p:cSld><p:spTree>{shape([notes[number]])}{shape(['7'], 'sldNum')}</p:spTree></p:cSld>"
            files[f"ppt/notesSlides/n{number}.xml"] = f"<p:notes {_SLIDE}>{tree}</p:notes>"
            own["n"] = ("notesSlide", f"../notesSlides/n{number}.xml")
        if diagrams and number in diagrams:
            points = "".join(f"<a:p><a:r><a:t>{escape(text)}</a:t></a:r></a:p>" for text in diagrams[number])
            files[f"ppt/diagrams/d{number}.xml"] = f"<dataModel {_SLIDE}>{points}</dataModel>"
            own["d"] = ("diagramData", f"../diagrams/d{number}.xml")
        files[f"ppt/slides/_rels/slide{number}.xml.rels"] = relations(own)
    main = f'<p:presentation {_SLIDE} xmlns:r="{_OFFICE}"><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>'
    files |= {"ppt/presentation.xml": main, "ppt/_rels/presentation.xml.rels": relations(targets)}
    return office("ppt/presentation.xml", files, title)


def xlsx(
    sheets: Mapping[str, str], strings: Sequence[str] = (), formats: Sequence[str] = (), title: str = ""
) -> bytes:
    """A workbook of sheets, each given as its rows in XML; one whose name ends in `!` is hidden.

    Args:
        sheets: By name.
        strings: Shared texts.
        formats: Number formats of the cell styles 1, 2, …; the one behind the last is a date.
        title: In the properties.
    """
    targets = {
        "s": ("sharedStrings", "sharedStrings.xml"),
        "f": ("styles", "styles.xml"),
        **{
            f"r{number}": ("worksheet", f"worksheets/s{number}.xml")
            for number, _ in enumerate(sheets, start=1)
        },
    }
    hidden = ' state="hidden"'
    names = "".join(
        f'<sheet name="{escape(name.strip("!"))}" r:id="r{number}"{hidden * name.endswith("!")}/>'
        for number, name in enumerate(sheets, start=1)
    )
    own = "".join(
        f'<numFmt numFmtId="{164 + number}" formatCode={quoteattr(code)}/>'
        for number, code in enumerate(formats)
    )
    cells = "".join(f'<xf numFmtId="{164 + number}"/>' for number in range(len(formats)))
    shared = "".join(f"<si><t>{escape(text)}</t><rPh><t>注音</t></rPh></si>" for text in strings)
    return office(
        "xl/workbook.xml",
        {
            "xl/workbook.xml": f'<workbook {_SHEET} xmlns:r="{_OFFICE}"><sheets>{names}</sheets></workbook>',
            "xl/_rels/workbook.xml.rels": relations(targets),
            "xl/sharedStrings.xml": f"<sst {_SHEET}>{shared}</sst>",
            "xl/styles.xml": f"<styleSheet {_SHEET}><numFmts>{own}</numFmts>"
            f'<cellXfs><xf numFmtId="0"/>{cells}<xf numFmtId="14"/></cellXfs></styleSheet>',
            **{
                f"xl/worksheets/s{number}.xml": f"<worksheet {_SHEET}><sheetData>{rows}</sheetData>"
                "</worksheet>"
                for number, rows in enumerate(sheets.values(), start=1)
            },
        },
        title,
    )


def odt(body: str, title: str = "", styles: str = "", manifest: str = "") -> bytes:
    """An OpenDocument text."""
    return archive(
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "content.xml": f"<office:document-content {_ODF}><office:automatic-styles>{styles}"
            f"</office:automatic-styles><office:body><office:text>{body}</office:text></office:body>"
            "</office:document-content>",
            "meta.xml": f'<office:document-meta {_ODF} xmlns:dc="http://purl.org/dc/elements/1.1/">'
            f"<office:meta><dc:title>{escape(title)}</dc:title></office:meta></office:document-meta>",
            "META-INF/manifest.xml": f"<manifest:manifest {_ODF}>{manifest}</manifest:manifest>",
        }
    )


def epub(chapters: Mapping[str, str], title: str = "", extra: Mapping[str, str] | None = None) -> bytes:
    """A book: chapter file names (with `nav.xhtml` as its table of contents) and their markup."""
    nav = ' properties="nav"'
    items = "".join(
        f'<item id="i{number}" href="{name}" media-type="application/xhtml+xml"'
        f"{nav * (name == 'nav.xhtml')}/>"
        for number, name in enumerate(chapters)
    )
    spine = "".join(f'<itemref idref="i{number}"/>' for number, _ in enumerate(chapters))
    return archive(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
            '<rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
            "OEBPS/book.opf": '<package xmlns="http://www.idpf.org/2007/opf"'
            f' xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>{escape(title)}</dc:title></metadata>'
            f"<manifest>{items}</manifest><spine>{spine}</spine></package>",
            **{f"OEBPS/{name}": markup for name, markup in chapters.items()},
            **(extra or {}),
        }
    )


def pdf(
    pages: Sequence[Sequence[str]],
    title: str = "",
    bookmarks: Sequence[tuple[str, int]] = (),
    password: str = "",
) -> bytes:
    """A PDF file of lines of text; `bookmarks` name a page from 0, a password locks it (RC4, 40 bits).

    The font is not embedded: what the codes stand for says its ToUnicode map alone (ISO 32000-1, §9.10).
    """
    file = _PdfFile(password)
    count = len(pages)
    first = 7 + len(bookmarks)
    kids = " ".join(f"{first + 2 * number} 0 R" for number in range(count))
    outlines = "/Outlines 7 0 R" if bookmarks else ""
    file.add(1, f"<</Type/Catalog/Pages 2 0 R {outlines}>>")
    file.add(2, f"<</Type/Pages/Kids[{kids}]/Count {count}>>")
    file.add(
        3,
        "<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/DescendantFonts[4 0 R]/ToUnicode 5 0 R>>",
    )
    file.add(
        4,
        "<</Type/Font/Subtype/CIDFontType2/BaseFont/X/DW 1000"
        "/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>"
        "/FontDescriptor<</Type/FontDescriptor/FontName/X/Flags 4/FontBBox[0 0 1000 1000]"
        "/ItalicAngle 0/Ascent 800/Descent -200/CapHeight 700/StemV 80>>>>",
    )
    file.add_stream(
        5,
        b"/CIDInit/ProcSet findresource begin begincmap 1 begincodespacerange<0000><ffff>endcodespacerange\n"
        b"1 beginbfrange<0000><ffff><0000>endbfrange endcmap end",
    )
    file.add(6, f"<</Title{file.text(6, title)}>>")
    if bookmarks:
        _add_bookmarks(file, bookmarks, first + 2 * count, first)
    for number, lines in enumerate(pages):
        at = first + 2 * number
        resources = "<</Font<</F 3 0 R>>>>"
        file.add(
            at,
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources{resources}/Contents {at + 1} 0 R>>",
        )
        drawn = "".join(
            f"BT /F 10 Tf 20 {780 - 14 * row} Td <{line.encode('utf-16-be').hex()}> Tj ET\n"
            for row, line in enumerate(lines)
            if line
        )
        file.add_stream(at + 1, drawn.encode())
    return file.finish()


def _add_bookmarks(file: _PdfFile, bookmarks: Sequence[tuple[str, int]], at: int, first: int) -> None:
    last = at + len(bookmarks) - 1
    file.add(7, f"<</Type/Outlines/First {at} 0 R/Last {last} 0 R/Count {len(bookmarks)}>>")
    for number, (name, page) in enumerate(bookmarks):
        near = (f"/Prev {at + number - 1} 0 R" if number else "") + (
            f"/Next {at + number + 1} 0 R" if at + number < last else ""
        )
        target = f"{first + 2 * page} 0 R"
        file.add(
            at + number,
            f"<</Title{file.text(at + number, name)}/Parent 7 0 R{near}/Dest[{target}/Fit]>>",
        )


class _PdfFile:
    """Collects objects; encrypts with the standard security handler, revision 2 (ISO 32000-1, §7.6.3)."""

    def __init__(self, password: str) -> None:
        self._objects: dict[int, bytes] = {}
        self._key = b""
        if password:
            user = (password.encode() + _PADDING)[:32]
            self._owner = _rc4(hashlib.md5(user).digest()[:5], user)
            permissions = (-4 & 0xFFFFFFFF).to_bytes(4, "little")
            self._key = hashlib.md5(user + self._owner + permissions + b"id").digest()[:5]

    def text(self, number: int, text: str) -> str:
        encrypted = self._encrypted(number, b"\xfe\xff" + text.encode("utf-16-be"))
        return f"<{encrypted.hex()}>"

    def add(self, number: int, content: str) -> None:
        self._objects[number] = content.encode()

    def add_stream(self, number: int, content: bytes) -> None:
        content = self._encrypted(number, content)
        self._objects[number] = b"<</Length %d>>stream\n%s\nendstream" % (len(content), content)

    def finish(self) -> bytes:
        out = bytearray(b"%PDF-1.4\n")
        size = max(self._objects) + 2
        if self._key:
            owner, user = self._owner.hex(), _rc4(self._key, _PADDING).hex()
            self._objects[size - 1] = f"<</Filter/Standard/V 1/R 2/P -4/O<{owner}>/U<{user}>>>".encode()
        offsets = dict.fromkeys(range(1, size), 0)
        for number, content in sorted(self._objects.items()):
            offsets[number] = len(out)
            out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
        start = len(out)
        out += b"xref\n0 %d\n0000000000 65535 f \n" % size
        for offset in offsets.values():
            out += b"%010d 00000 n \n" % offset
        locked = f"/Encrypt {size - 1} 0 R" if self._key else ""
        out += f"trailer<</Size {size}/Root 1 0 R/Info 6 0 R/ID[<6964><6964>]{locked}>>\n".encode()
        return bytes(out + b"startxref\n%d\n%%%%EOF" % start)

    def _encrypted(self, number: int, data: bytes) -> bytes:
        if not self._key:
            return data
        key = hashlib.md5(self._key + number.to_bytes(3, "little") + b"\0\0").digest()[:10]
        return _rc4(key, data)


def _rc4(key: bytes, data: bytes) -> bytes:
    state = list(range(256))
    j = 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out = bytearray()
    i = j = 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)
