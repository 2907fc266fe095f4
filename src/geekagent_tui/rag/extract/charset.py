"""Bytes → text, whatever they are encoded in.

What decodes strictly as UTF-8 and is not plain ASCII is UTF-8, whatever it claims (no real text of another
encoding does, and wrong declarations are common); then comes the declaration; then a guess.
"""

from __future__ import annotations

import codecs
import re

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# The names pages use, and the larger sets they mean: https://encoding.spec.whatwg.org/#names-and-labels
_WIDER = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "iso8859-9": "cp1254",
    "tis-620": "cp874",
}
# Decoders that Python counts as text but no document is written in; utf-7 has been used to smuggle markup
_REFUSED = {"utf-7", "idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined"}
_ESCAPING = {"iso2022_jp", "iso2022_kr", "hz"}  # plain ASCII bytes until they are decoded
_DECLARED = re.compile(
    rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:\-]+)|<\?xml[^>]{0,100}?encoding\s*=\s*["']([\w.:\-]+)""",
    re.IGNORECASE,
)
_DECLARATION_WITHIN = 4096
_GUESS_FROM = 65_536
_MOST_DAMAGE = 0.005  # share of characters that a declared encoding may fail on and still be believed


def decode(data: bytes, declared: str = "", *, markup: bool = False) -> str:
    """Decode a document; never fails: what can't be decoded becomes U+FFFD.

    Args:
        data: The whole document.
        declared: What the HTTP header says.
        markup: Whether to look for a declaration in the document (HTML, XML).
    """
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return data.decode(encoding, "replace")
    names = [declared, _declared_inside(data) if markup else ""]
    encodings = [known for name in names if (known := _known(name))]
    if data.isascii() and not _ESCAPING.intersection(encodings):
        return data.decode("ascii")
    if not data.isascii() and (text := _strictly(data, "utf-8")) is not None:
        return text
    for encoding in encodings:
        if (text := _strictly(data, encoding)) is not None:
            return text
    for encoding in encodings:
        text = data.decode(encoding, "replace")
        if text.count("\ufffd") <= _MOST_DAMAGE * len(text):
            return text
    return data.decode(_guess(data), "replace")


def _strictly(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeError:
        return None


def _declared_inside(data: bytes) -> str:
    match = _DECLARED.search(data, 0, _DECLARATION_WITHIN)
    return (match.group(1) or match.group(2)).decode("ascii", "replace") if match else ""


def _known(name: str) -> str:
    """The decoder for a declared name, in its widest form; empty when there is none to trust."""
    try:
        encoding = codecs.lookup(name).name
        b"-".decode(encoding)  # of nothing, some make nothing without looking what they are: `uu`, `hex`
    except (LookupError, ValueError):
        return ""
    encoding = _WIDER.get(encoding, encoding)
    return "" if encoding in _REFUSED or encoding.startswith(("utf-16", "utf-32")) else encoding


def _guess(data: bytes) -> str:
    from charset_normalizer import from_bytes

    # A cut in the middle of a character would count as damage
    end = data.rfind(b"\n", 0, _GUESS_FROM) if len(data) > _GUESS_FROM else len(data)
    best = from_bytes(data[: end if end > 0 else _GUESS_FROM]).best()
    return (_known(best.encoding) if best else "") or "utf-8"
