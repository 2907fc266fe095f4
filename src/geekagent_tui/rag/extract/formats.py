"""Which extractor reads a source: told by its first bytes, its media type, its name, in that order."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from geekagent_tui.rag.model import SourceKind
from geekagent_tui.rag.raw import Raw
from geekagent_tui.rag.sniff import document_type


class Format(StrEnum):
    """A way to read text or a document."""

    PDF = "PDF"
    OFFICE = "Office"
    ODT = "ODT"
    EPUB = "EPUB"
    HTML = "HTML"
    MARKDOWN = "Markdown"
    RST = "reStructuredText"
    ASCIIDOC = "AsciiDoc"
    JSON = "JSON"
    JSON_LINES = "JSON Lines"
    NOTEBOOK = "Jupyter"
    TABLE = "CSV"
    MAIL = "EML"
    PLAIN = ""


_TYPES = {
    "text/html": Format.HTML,
    "application/xhtml+xml": Format.HTML,
    "text/markdown": Format.MARKDOWN,
    "text/x-markdown": Format.MARKDOWN,
    "text/x-rst": Format.RST,
    "text/prs.fallenstein.rst": Format.RST,
    "text/asciidoc": Format.ASCIIDOC,
    "text/x-asciidoc": Format.ASCIIDOC,
    "application/json": Format.JSON,
    "text/json": Format.JSON,
    "application/jsonl": Format.JSON_LINES,
    "application/x-ndjson": Format.JSON_LINES,
    "application/x-ipynb+json": Format.NOTEBOOK,
    "text/csv": Format.TABLE,
    "text/tab-separated-values": Format.TABLE,
    "message/rfc822": Format.MAIL,
}
_NAMES = {
    ".html": Format.HTML,
    ".htm": Format.HTML,
    ".xhtml": Format.HTML,
    **dict.fromkeys((".md", ".markdown", ".mdown", ".mdx", ".mkd", ".qmd", ".rmd"), Format.MARKDOWN),
    ".rst": Format.RST,
    ".rest": Format.RST,
    ".adoc": Format.ASCIIDOC,
    ".asciidoc": Format.ASCIIDOC,
    ".json": Format.JSON,
    ".geojson": Format.JSON,
    ".jsonl": Format.JSON_LINES,
    ".ndjson": Format.JSON_LINES,
    ".ipynb": Format.NOTEBOOK,
    ".csv": Format.TABLE,
    ".tsv": Format.TABLE,
    ".eml": Format.MAIL,
}
_SAYS_NOTHING = frozenset({"", "application/octet-stream", "binary/octet-stream"})
_LOOKS_LIKE_HTML = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.{0,500}?-->\s*)*<(?:!doctype\s+html|html)\b", re.I | re.S
)


def format_of(raw: Raw) -> Format:
    """The format of a source; PLAIN for whatever has no structure of its own, such as program code."""
    if document := document_type(raw.data):
        return Format(document.value)
    by_name = _NAMES.get(suffix(raw), Format.PLAIN)
    if by_name is Format.NOTEBOOK and raw.content_type.endswith("json"):
        return by_name
    if known := _TYPES.get(raw.content_type):
        return known
    if raw.content_type == "text/plain":  # a page that is sent as text is meant to be seen as it is
        return Format.PLAIN if by_name is Format.HTML else by_name
    if raw.content_type.endswith("+json"):
        return Format.JSON
    if raw.content_type not in _SAYS_NOTHING:
        return Format.PLAIN
    if not suffix(raw) and raw.content_type == "" and _LOOKS_LIKE_HTML.match(raw.data):
        return Format.HTML
    return by_name


def suffix(raw: Raw) -> str:
    """What the source's name ends in, in lower case, with its dot; may be empty."""
    return PurePosixPath(base_name(raw)).suffix.lower()


def base_name(raw: Raw) -> str:
    """The file's name, or the last part of the address, or its host."""
    if raw.kind is SourceKind.FILE:
        return raw.name
    parts = urlsplit(raw.name)
    return unquote(PurePosixPath(parts.path).name) or parts.netloc
