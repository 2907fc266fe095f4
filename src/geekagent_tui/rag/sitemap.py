"""Sitemaps (https://www.sitemaps.org/protocol.html): files that list the pages of a web site. For workers."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit
from xml.parsers import expat

from geekagent_tui.i18n import _
from geekagent_tui.rag import limits
from geekagent_tui.rag.addresses import normalise, site_of
from geekagent_tui.rag.errors import SourceError
from geekagent_tui.rag.failures import failed, too_many_bytes
from geekagent_tui.rag.raw import Raw

_NAME = re.compile(r"(?:.*[-_.])?sitemap[\w.-]*\.(?:xml|txt)(?:\.gz)?\Z", re.IGNORECASE)
_GZIP = b"\x1f\x8b"
_LONGEST = 2048  # characters of an address: the protocol's limit
_LOC_DEPTH = 3  # <urlset><url><loc>; what is deeper belongs to pictures and videos


@dataclass(frozen=True, slots=True)
class Sitemap:
    """What one sitemap lists, each address once and normalised, in the file's order.

    Attributes:
        pages: Pages of its site.
        sitemaps: Further sitemaps of its site, when it is an index.
        offsite: How many addresses of other sites, or invalid ones, it lists.
    """

    pages: tuple[str, ...]
    sitemaps: tuple[str, ...]
    offsite: int


def is_sitemap(url: str) -> bool:
    """Tell by its name whether an address is a sitemap: a preview must not look."""
    return _NAME.match(unquote(PurePosixPath(urlsplit(url).path).name)) is not None


def read_sitemap(raw: Raw, site: str) -> Sitemap:
    """Read a sitemap or an index of sitemaps, XML or text, packed or not.

    What comes before a mistake in the XML counts.

    Args:
        raw: What the server sent.
        site: What `site_of` its pages has to be.

    Raises:
        SourceError: It is none, or too large.
    """
    data = _unpacked(raw.data).lstrip(b"\xef\xbb\xbf \t\r\n")  # XML may not begin with a blank; some does
    if data.startswith(b"<"):
        kind, found = _parsed(data)
    else:
        kind, found = "urlset", data.decode("utf-8", "replace").splitlines()
        found = [line for line in found if line.strip()]
        if not found or not all(re.match("https?://", line.strip(), re.I) for line in found):
            raise _is_none()
    addresses: dict[str, None] = {}
    offsite = 0
    for typed in found[: limits.FRONTIER]:
        address = _address(typed)
        if address and site_of(address) == site:
            addresses[address] = None
        else:
            offsite += 1
    listed = tuple(addresses)
    return Sitemap((), listed, offsite) if kind == "sitemapindex" else Sitemap(listed, (), offsite)


def _address(typed: str) -> str:
    try:
        return normalise(typed.strip()) if len(typed) <= _LONGEST else ""
    except SourceError:
        return ""


def _unpacked(data: bytes) -> bytes:
    if not data.startswith(_GZIP):
        return data
    stream = zlib.decompressobj(31)
    try:
        unpacked = stream.decompress(data, limits.SITEMAP_BYTES + 1)
    except zlib.error:
        raise failed(_("收到的内容不完整或已损坏，可稍后重试")) from None
    if len(unpacked) > limits.SITEMAP_BYTES:
        raise too_many_bytes(limits.SITEMAP_BYTES)
    return unpacked


def _parsed(data: bytes) -> tuple[str, list[str]]:
    reader = _Reader()
    try:
        reader.read(data)
    except expat.ExpatError:
        if not reader.found:
            raise _is_none() from None
    if reader.kind not in {"urlset", "sitemapindex"}:
        raise _is_none()
    return reader.kind, reader.found


class _Reader:
    """Collects the text of each `<loc>`, whatever the namespaces are called."""

    def __init__(self) -> None:
        self.kind = ""
        self.found: list[str] = []
        self._path: list[str] = []
        self._text: list[str] | None = None

    def read(self, data: bytes) -> None:
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._refuse  # entities could grow without end
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._data
        parser.Parse(data, True)

    def _refuse(self, *_declaration: object) -> None:
        raise _is_none()

    def _start(self, name: str, _attributes: object) -> None:
        name = name.rpartition(" ")[2].rpartition(":")[2].lower()
        self._path.append(name)
        if len(self._path) == 1:
            self.kind = name
        elif len(self._path) == _LOC_DEPTH and name == "loc":
            self._text = []

    def _data(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def _end(self, _name: str) -> None:
        if self._text is not None and len(self._path) == _LOC_DEPTH:
            if len(self.found) < limits.FRONTIER:
                self.found.append("".join(self._text))
            self._text = None
        self._path.pop()


def _is_none() -> SourceError:
    return failed(_("不是站点地图，请检查网址"))
