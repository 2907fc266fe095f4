"""Telling text and documents from everything else by the first bytes, whatever a name or a header claims."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import PurePath

from geekagent_tui.i18n import _

HEAD = 4096
"""How many leading bytes are enough to tell."""


class Document(StrEnum):
    """A format that is not text and can be read all the same."""

    PDF = "PDF"
    OFFICE = "Office"
    ODT = "ODT"
    EPUB = "EPUB"


DOCUMENT_SUFFIXES = frozenset({".docm", ".docx", ".epub", ".odt", ".pdf", ".pptm", ".pptx", ".xlsm", ".xlsx"})
"""What names of such files end in."""

# Archives begin with their first entry: what makers of documents put there, and nobody else
_FIRST_ENTRIES = (
    (re.compile(rb"mimetype.{0,40}?application/epub\+zip|META-INF/container\.xml", re.DOTALL), Document.EPUB),
    (re.compile(rb"mimetype.{0,40}?application/vnd\.oasis\.opendocument\.text", re.DOTALL), Document.ODT),
    (re.compile(rb"\[Content_Types\]\.xml|_rels/\.rels|docProps/|(?:word|xl|ppt)/\w"), Document.OFFICE),
)
ZIP = "ZIP"
OFFICE_ZIP = "ZIP / Office"
_ARCHIVE = b"PK\x03\x04"
_ANNOUNCES_PDF = b"%PDF-"
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"PK\x03\x04", OFFICE_ZIP),
    (b"PK\x05\x06", ZIP),
    (b"\x89PNG", "PNG"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"GIF8", "GIF"),
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip"),
    (b"Rar!\x1a\x07", "RAR"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\x7fELF", "ELF"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Office 97"),
    (b"SQLite format 3\x00", "SQLite"),
    (b"OggS", "Ogg"),
    (b"fLaC", "FLAC"),
    (b"ID3", "MP3"),
    (b"wOFF", "WOFF"),
    (b"wOF2", "WOFF2"),
    (b"{\\rtf", "RTF"),
    (b"\xca\xfe\xba\xbe", "Java class"),
    (b"\x00asm", "WebAssembly"),
)
_BOMS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")  # UTF-16 and UTF-32: text that is full of NULs

_BINARY_SUFFIXES = frozenset(
    re.findall(
        r"\S+",
        """
    .7z .a .aac .apk .avi .avif .bin .bmp .bz2 .class .dat .db .deb .dll .dmg .doc .dylib .ear
    .eot .exe .flac .gif .gz .heic .ico .img .iso .jar .jpeg .jpg .key .lib .lz4 .m4a .m4v
    .mkv .mo .mov .mp3 .mp4 .mpeg .mpg .msi .node .npy .npz .numbers .o .obj .odp .ods .ogg
    .onnx .otf .pages .parquet .pdb .pickle .pkl .png .ppt .psd .pt .pyc .pyd .pyo .rar
    .rpm .safetensors .so .sqlite .sqlite3 .tar .tgz .tif .tiff .ttf .wasm .war .wav .webm .webp
    .whl .wmv .woff .woff2 .xls .xz .zip .zst
    """,
    )
)
_TEXT_SUFFIXES = frozenset(
    re.findall(
        r"\S+",
        """
    .adoc .asciidoc .asm .awk .bash .bat .bib .c .cc .cfg .clj .cmake .conf .cpp .cs .css .csv .cxx
    .dart .diff .el .eml .erl .ex .exs .f90 .fish .fs .go .gradle .graphql .groovy .h .hpp .hs .htm .html
    .ini .ipynb .java .jl .js .json .json5 .jsonl .jsx .kt .kts .less .lisp .log .lua .m .markdown .md .mdx
    .mjs .ml .mm .ndjson .nim .nix .org .patch .php .pl .po .properties .proto .ps1 .py .pyi .r .rb .rest .rs
    .rst .sass .scala .scm .scss .sh .sql .srt .svelte .swift .tcl .tex .text .toml .ts .tsv .tsx .txt
    .vb .vim .vtt .vue .xhtml .xml .yaml .yml .zig .zsh
    """,
    )
)


def document_type(head: bytes) -> Document | None:
    """Tell which kind of document bytes are that are not text; None for text and for all the rest.

    Args:
        head: The first bytes of a file or a body; `HEAD` of them are enough.
    """
    if head[:HEAD].lstrip().startswith(_ANNOUNCES_PDF):
        return Document.PDF
    if head.startswith(_ARCHIVE):
        for entry, document in _FIRST_ENTRIES:
            if entry.search(head, 0, HEAD):
                return document
    return None


def binary_type(head: bytes) -> str:
    """Name the format of bytes that nobody here can read, or return an empty string for text and documents.

    Args:
        head: The first bytes of a file or a body; `HEAD` of them are enough.
    """
    if document_type(head):
        return ""
    for magic, name in _MAGIC:
        if head.startswith(magic):
            return name
    if head[:4] == b"RIFF":
        return head[8:12].decode("ascii", "replace").strip() or "RIFF"
    if head[4:8] == b"ftyp":
        return "MP4"
    if b"\0" in head[:HEAD] and not head.startswith(_BOMS):
        return _("二进制数据")
    return ""


def binary_by_name(name: str) -> bool | None:
    """Tell from a file's name that it can be read (False) or not (True); None when it does not tell."""
    suffix = PurePath(name).suffix.lower()
    if suffix in _BINARY_SUFFIXES:
        return True
    return False if suffix in _TEXT_SUFFIXES or suffix in DOCUMENT_SUFFIXES else None
