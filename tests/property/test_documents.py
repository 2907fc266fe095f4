"""Whatever a document holds, reading it ends in text or in a `RagError`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geekagent_tui.rag import limits
from geekagent_tui.rag.errors import RagError
from geekagent_tui.rag.extract import extract
from geekagent_tui.rag.extract.reflow import reflow
from geekagent_tui.rag.model import SourceKind
from geekagent_tui.rag.raw import Raw
from support.documents import archive, docx, epub, odt, paragraph, pdf, pptx, shape, xlsx

relaxed = settings(deadline=None)  # the first example imports the parsers
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
MAGIC = [
    b"%PDF-1.7\n",
    b"PK\x03\x04",
    b"PK\x03\x04mimetypeapplication/epub+zip",
    b"PK\x03\x04[Content_Types].xml",
]
SUFFIXES = [
    *(
        "adoc",
        "csv",
        "docx",
        "eml",
        "epub",
        "html",
        "ipynb",
        "json",
        "jsonl",
        "md",
        "odt",
        "pdf",
        "pptx",
        "rst",
    ),
    *("tsv", "txt", "xlsx", ""),
]
TYPES = ["", "text/plain", "text/csv", "application/json", "application/pdf", "message/rfc822", "text/x-rst"]

CELL = '<c t="inlineStr"><is><t>字</t></is></c>'
WHOLE = [
    docx(paragraph("节", "1") + paragraph("甲", numbered="2") + paragraph("x", "Code")),
    pptx([shape(["题"], "title") + shape(["一", "二"])], {1: "备注"}),
    xlsx({"表": f'<row>{CELL}{CELL}</row><row><c s="1"><v>1.5</v></c>{CELL}</row>'}, ["甲"], ["yyyy"]),
    odt(
        '<text:h text:outline-level="1">题</text:h><text:list><text:list-item><text:p>甲</text:p>'
        "</text:list-item></text:list>"
    ),
    epub({"a.xhtml": "<h1>章</h1><p>字</p>"}, "书"),
    pdf([["第一页", "正文"], ["第二页"]], "题", [("第二页", 1)]),
]


def check(raw: Raw) -> None:
    try:
        found = extract(raw)
    except RagError:
        return
    assert found.text.strip()
    assert not CONTROLS.search(found.text)
    assert found.text.encode()
    assert 0 < len(found.title) <= limits.TITLE
    assert list(found.pages) == sorted(found.pages)
    assert all(0 <= start <= len(found.text) + 2 for start in found.pages)


@relaxed
@given(st.sampled_from(MAGIC), st.binary(max_size=300), st.sampled_from(SUFFIXES), st.sampled_from(TYPES))
def test_any_bytes_behind_a_magic_number(magic: bytes, data: bytes, suffix: str, content_type: str) -> None:
    check(Raw(magic + data, SourceKind.FILE, f"a.{suffix}", content_type))


@relaxed
@given(st.binary(max_size=300), st.sampled_from(SUFFIXES), st.sampled_from(TYPES))
def test_any_bytes_under_any_name(data: bytes, suffix: str, content_type: str) -> None:
    check(Raw(data, SourceKind.URL, f"http://x/a.{suffix}", content_type))


@relaxed
@given(st.sampled_from(WHOLE), st.data())
def test_damaged_documents(whole: bytes, data: st.DataObject) -> None:
    broken = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 8))):
        at = data.draw(st.integers(0, len(broken) - 1))
        broken[at] = data.draw(st.integers(0, 255))
    check(Raw(bytes(broken), SourceKind.FILE, "a"))


# Archives whose parts are put together at random, so that the walkers meet what no program writes
NAMES = {
    "w": """
        document body p pPr pStyle numPr ilvl numId outlineLvl r t tab br tbl tr tc sdt sdtContent txbxContent
        del footnoteReference style styles name basedOn lvl numFmt abstractNum num abstractNumId footnote
    """,
    "text": "h p list list-item span s tab line-break note note-body",
    "a": "tbl tr tc p r t pPr txBody br",
    "p": "sp spTree cSld nvSpPr nvPr ph txBody grpSp graphicFrame sldId",
    "x": "worksheet sheetData row c v is t r si sst sheet xf cellXfs numFmt",
}
ATTRIBUTES = [
    "val",
    "id",
    "lvl",
    "t",
    "s",
    "r",
    "type",
    "style-name",
    "outline-level",
    "c",
    "number-columns-repeated",
]
VALUES = st.one_of(
    st.sampled_from(["0", "1", "2", "Code", "1e999", "-1", "A1", "s", "n", "b", "²", "9" * 20]),
    st.text("ab0", max_size=3),
)


def elements(prefix: str) -> st.SearchStrategy[str]:
    names = st.sampled_from(NAMES[prefix].split())
    attributes = st.dictionaries(st.sampled_from(ATTRIBUTES), VALUES, max_size=3).map(
        lambda found: "".join(f' {prefix}:{name}="{value}"' for name, value in found.items())
    )
    leaf = st.text("字a1# `|\n", max_size=6)
    return st.recursive(
        leaf,
        lambda inner: st.builds(
            lambda name, given, parts: f"<{prefix}:{name}{given}>{''.join(parts)}</{prefix}:{name}>",
            names,
            attributes,
            st.lists(inner, max_size=4),
        ),
        max_leaves=30,
    )


def in_rows(markup: str) -> bytes:
    rows = re.sub(r"(</?)x:", r"\1", markup)
    return xlsx({"a": re.sub(r" x:", " ", rows)}, ["甲"])


MAKERS: dict[str, Callable[[str], bytes]] = {
    "w": docx,
    "text": lambda markup: odt(f"<text:p>{markup}</text:p>{markup}"),
    "p": lambda markup: pptx([markup, f"<p:sp>{markup}</p:sp>"]),
    "a": lambda markup: pptx(
        [f"<p:sp><p:txBody>{markup}</p:txBody></p:sp><p:graphicFrame>{markup}</p:graphicFrame>"]
    ),
    "x": in_rows,
}


@pytest.mark.parametrize("prefix", MAKERS)
@relaxed
@given(st.data())
def test_documents_that_no_program_writes(prefix: str, data: st.DataObject) -> None:
    check(Raw(MAKERS[prefix](data.draw(elements(prefix))), SourceKind.FILE, "a"))


@relaxed
@given(
    st.dictionaries(
        st.sampled_from(
            ["_rels/.rels", "word/document.xml", "mimetype", "META-INF/container.xml", "content.xml"]
        ),
        st.one_of(
            st.sampled_from(["", "<a/>", "application/epub+zip", '<r><rootfile full-path="x"/></r>']),
            st.text(max_size=20),
        ),
    )
)
def test_archives_that_lack_what_they_need(files: dict[str, str]) -> None:
    files = {name: content.encode("utf-8", "replace").decode() for name, content in files.items()}
    check(Raw(archive({**files, "[Content_Types].xml": "<Types/>"}), SourceKind.FILE, "a"))


MARKS = [
    *(
        "\n",
        "\n\n",
        "  ",
        "    ",
        "\t",
        "====",
        "----",
        "~~~~",
        "....",
        "::",
        ".. ",
        ".. note::",
        ".. code:: py",
        "|",
        "+--+--+",
    ),
    *(
        "===  ===",
        "* ",
        "- ",
        "#. ",
        "1. ",
        "``",
        "`",
        ":ref:`",
        "`_",
        "_",
        "|x|",
        ".. |x| replace:: y",
        ".. list-table::",
    ),
    *(
        "= ",
        "== ",
        "* ",
        "** ",
        ". ",
        "[source,py]",
        "|===",
        "|a |b",
        ",===",
        "++++",
        "////",
        "____",
        "--",
        "{a}",
        ":a: b",
    ),
    *(
        "link:x[",
        "]",
        "<<",
        ">>",
        "image::",
        "<1> ",
        "a:: ",
        "'''",
        "+",
        "\\",
        "#",
        "```",
        "字",
        "word",
        "\r",
        "\0",
        "\ud800",
    ),
]
soup = st.lists(st.one_of(st.sampled_from(MARKS), st.text(max_size=5)), max_size=60).map("".join)


@relaxed
@given(soup, st.sampled_from(["rst", "adoc", "csv", "eml", "json", "ipynb", "jsonl", "tsv"]))
def test_any_markup(markup: str, suffix: str) -> None:
    check(Raw(markup.encode("utf-8", "replace"), SourceKind.FILE, f"a.{suffix}"))


headers = st.lists(
    st.sampled_from(
        [
            "Subject: ",
            "From: ",
            "Date: x\n",
            "Content-Type: multipart/mixed; boundary=B\n",
            "--B\n",
            "--B--\n",
            "\n",
            "Content-Type: message/rfc822\n",
            "Content-Type: text/html; charset=\n",
            "Content-Type: text/plain; charset*=utf-8''x\n",
            "Content-Transfer-Encoding: base64\n",
            "Content-Transfer-Encoding: x-uuencode\n",
            "=?utf-8?B?5byg?=",
            "=?x?Q?=??=",
            "Content-Disposition: attachment; filename*0*=utf-8''%E4; filename*1=\"x\"\n",
            "begin 644 x\n",
            "<p>字</p>",
            "张",
        ]
    ),
    max_size=25,
).map("".join)


@relaxed
@given(headers)
def test_any_mail(content: str) -> None:
    check(Raw(f"Subject: x\n{content}".encode(), SourceKind.FILE, "a.eml"))


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.floats(), st.text(max_size=5), st.integers()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from(
                ["cells", "cell_type", "source", "outputs", "metadata", "level", "text", "data", "name", ""]
            ),
            st.one_of(inner, st.sampled_from(["code", "markdown", "heading", "stream"])),
            max_size=4,
        ),
    ),
    max_leaves=20,
)


@relaxed
@given(json_values, st.sampled_from(["json", "jsonl", "ipynb"]))
def test_any_json(value: object, suffix: str) -> None:

    check(Raw(json.dumps(value).encode(), SourceKind.FILE, f"a.{suffix}"))
    check(Raw(json.dumps({"cells": [value]}).encode(), SourceKind.FILE, f"a.{suffix}"))


@given(st.lists(st.text("字a。.• 1)", min_size=1, max_size=12).map(str.strip).filter(bool)))
def test_joining_lines_loses_no_character(lines: list[str]) -> None:
    def kept(parts: list[str]) -> str:
        return re.sub(r"[\s•-]", "", "".join(parts))

    assert kept(reflow(lines)) == kept(lines)
