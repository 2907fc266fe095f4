"""A file's bytes as text, and back: what is not changed keeps every byte."""

from __future__ import annotations

import codecs
from collections import Counter
from dataclasses import dataclass

from geekagent_tui.agent.confined import PathError
from geekagent_tui.i18n import _

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_ENCODINGS = ("gb18030", "big5hkscs", "cp932", "cp949", "euc_jp", "cp1252", "cp1251", "latin-1")


@dataclass(frozen=True, slots=True)
class TextFile:
    """The text of a file and how it was written.

    Attributes:
        text: Without byte-order mark, line ends as they are.
        encoding: A codec that adds no byte-order mark.
        bom: The byte-order mark, or nothing.
        exact: Whether `encoded(text)` is the file again; if not, it must not be written.
    """

    text: str
    encoding: str = "utf-8"
    bom: bytes = b""
    exact: bool = True

    @property
    def line_end(self) -> str:
        """The most common line end; a newline when there is none."""
        both = self.text.count("\r\n")
        counts = Counter(
            {"\n": self.text.count("\n") - both, "\r\n": both, "\r": self.text.count("\r") - both}
        )
        end, count = counts.most_common(1)[0]
        return end if count else "\n"

    def can_hold(self, text: str) -> bool:
        """Whether the encoding has got all characters of a text."""
        try:
            text.encode(self.encoding)
        except UnicodeEncodeError:
            return False
        return True

    def encoded(self, text: str) -> bytes:
        """A text that it can hold, as this file would be written."""
        return self.bom + text.encode(self.encoding)


def decoded(data: bytes, path: str) -> TextFile:
    """The text of a file; may take a while, as an unknown encoding is guessed.

    Raises:
        PathError: It is no text.
    """
    from geekagent_tui.rag.sniff import HEAD, binary_type, document_type

    if kind := document_type(data[:HEAD]) or binary_type(data[:HEAD]):
        raise PathError(_("{path} 不是文本，是 {kind}").format(path=path, kind=kind))
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return _exactly(data[len(bom) :], encoding, bom) or _roughly(data)
    return _exactly(data, "utf-8") or _guessed(data)


def with_line_ends(text: str, line_end: str) -> str:
    """A text with all its line ends replaced."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", line_end)


def _exactly(data: bytes, encoding: str, bom: bytes = b"") -> TextFile | None:
    try:
        text = data.decode(encoding)
        same = text.encode(encoding) == data
    except UnicodeError:
        return None
    return TextFile(text, encoding, bom) if same else None


def _guessed(data: bytes) -> TextFile:
    """In the encoding that reads like what the knowledge base would make of it."""
    guess = _roughly(data)
    for encoding in _ENCODINGS:
        found = _exactly(data, encoding)
        if found is not None and found.text == guess.text:
            return found
    return guess


def _roughly(data: bytes) -> TextFile:
    from geekagent_tui.rag.extract.charset import decode

    return TextFile(decode(data), exact=False)
