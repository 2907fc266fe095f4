"""Office documents and books are ZIP archives of XML files: opening these, whatever is wrong with them."""

from __future__ import annotations

import io
import posixpath
import zipfile
from collections.abc import Iterator
from typing import TYPE_CHECKING, Self, cast
from urllib.parse import unquote

from geekagent_tui.i18n import _
from geekagent_tui.rag import limits
from geekagent_tui.rag.errors import SourceError
from geekagent_tui.rag.failures import damaged, failed

if TYPE_CHECKING:
    from geekagent_tui.rag.extract.tree import Element

_ENTRIES = 20_000
_PART = 64 * limits.MEBI
"""Most bytes of one file in an archive, unpacked."""
_ALL = 256 * limits.MEBI
"""Most bytes unpacked from one archive."""
_ENCRYPTED = 0x1  # https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, 4.4.4
_RELATIONS = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"


class Package:
    """An archive in memory; use it as a context manager.

    Args:
        data: The whole file.
        kind: What to call it in errors.

    Raises:
        SourceError: It is no archive, damaged, or holds far too many files.
    """

    def __init__(self, data: bytes, kind: str) -> None:
        self._kind = kind
        self._left = _ALL
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        except Exception:  # a damaged directory raises whatever was met first
            raise damaged(kind) from None
        if len(self._archive.filelist) > _ENTRIES:
            raise failed(_("{kind} 里的文件太多，拒绝解压").format(kind=kind))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._archive.close()

    def __contains__(self, name: str) -> bool:
        return name in self._archive.NameToInfo

    def read(self, name: str) -> bytes:
        """The content of one file in it; empty when there is no such file.

        Raises:
            SourceError: It is damaged, locked with a password, or unpacks to far too much.
        """
        entry = self._archive.NameToInfo.get(name)
        if entry is None:
            return b""
        if entry.flag_bits & _ENCRYPTED:
            raise encrypted(self._kind)
        most = min(_PART, self._left)
        try:
            with self._archive.open(entry) as file:
                data = file.read(most + 1)
        except Exception:  # zlib, lzma, struct, zipfile: each has its own errors
            raise damaged(self._kind) from None
        if len(data) > most:
            raise failed(_("{kind} 解压后太大，拒绝解压").format(kind=self._kind))
        self._left -= len(data)
        return data

    def xml(self, name: str) -> Element | None:
        """The root of one XML file in it; None when there is no such file.

        Raises:
            SourceError: As `read`; or it is no XML, or too deep.
        """
        data = self.read(name)
        return parse_xml(data, self._kind) if data else None

    def relations(self, part: str) -> dict[str, tuple[str, str]]:
        """The files that a part of an Office document refers to: id → (type, name); outside ones left out.

        Args:
            part: The part's name; empty for the package itself.
        """
        folder, base = posixpath.split(part)
        root = self.xml(posixpath.join(folder, "_rels", f"{base}.rels"))
        found: dict[str, tuple[str, str]] = {}
        for relation in () if root is None else root.iter(_RELATIONS):
            target = relation.get("Target") or ""
            if relation.get("TargetMode") != "External" and target:
                kind = (relation.get("Type") or "").rpartition("/")[2]
                found[relation.get("Id") or ""] = (kind, resolved(folder, target))
        return found


def resolved(folder: str, target: str) -> str:
    """The name of a file that another one in `folder` refers to."""
    return posixpath.normpath(posixpath.join("/", folder, unquote(target))).lstrip("/")


def parse_xml(data: bytes, kind: str) -> Element:
    """Parse XML without ever expanding an entity or opening another file.

    Raises:
        SourceError: It is no XML; libxml2 also refuses more than 256 levels and huge text nodes.
    """
    from lxml import etree

    try:
        return cast("Element", etree.fromstring(data, _parser()))
    except (etree.XMLSyntaxError, ValueError):
        raise damaged(kind) from None


def stream_xml(data: bytes, tag: str, kind: str) -> Iterator[Element]:
    """The elements with one name, each whole and forgotten after it was looked at.

    Raises:
        SourceError: As `parse_xml`, when the place is reached.
    """
    from lxml import etree

    try:
        for _event, element in etree.iterparse(
            io.BytesIO(data), tag=tag, resolve_entities=False, no_network=True, load_dtd=False
        ):
            yield element
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]
    except (etree.XMLSyntaxError, ValueError):
        raise damaged(kind) from None


def _parser() -> object:
    from lxml import etree

    return etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )


def encrypted(kind: str) -> SourceError:
    """The error for a file that needs a password."""
    return failed(_("{kind} 已加密，请先去掉密码再采集").format(kind=kind))


def local(element: Element) -> str:
    """An element's name without its namespace; empty for what is no element."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def attribute(element: Element, name: str) -> str:
    """An attribute by its name without the namespace; empty when absent."""
    for key, value in element.items():
        if key.rpartition("}")[2] == name:
            return value
    return ""


def child(element: Element | None, *names: str) -> Element | None:
    """Follow a path of child elements, the first of each name; None where it ends."""
    for name in names:
        if element is None:
            return None
        element = next((each for each in element if local(each) == name), None)
    return element


def descendants(element: Element | None, name: str) -> Iterator[Element]:
    """All elements below one, itself included, with a name in any namespace."""
    return iter(()) if element is None else element.iter(f"{{*}}{name}")


def first_text(element: Element | None, name: str) -> str:
    """The text of the first descendant with a name; empty when there is none."""
    found = next(descendants(element, name), None)
    return "" if found is None else "".join(found.itertext()).strip()
