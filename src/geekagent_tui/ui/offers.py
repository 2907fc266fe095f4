"""Sources that may be taken in: their previews as they are shown, and as they are.

What is shown is cleaned, what enters must not be: a file's name is the file.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from geekagent_tui.i18n import _, ngettext
from geekagent_tui.rag.model import Source, SourceKind, SourcePreview
from geekagent_tui.sanitize import clean, clean_value

LINES = 20
"""Lines of a file, or files of a folder, that are shown before consent."""
_BYTES = 16 * 1024
_LINE = 400
_NAMELESS = Source(SourceKind.FILE, "", "")
_CHARSETS = ("utf-8-sig", "gb18030")


@dataclass(frozen=True, slots=True)
class Offer:
    """What the user may agree to.

    Attributes:
        previews: As they are shown, in the order of what was typed.
    """

    previews: tuple[SourcePreview, ...]
    _raw: tuple[SourcePreview, ...] = field(repr=False)

    def chosen(self, positions: Sequence[int]) -> list[SourcePreview]:
        """What enters when these are agreed to; not for showing."""
        return [self._raw[place] for place in positions]

    def look(self, position: int) -> tuple[str, ...]:
        """The beginning of what a source holds, cleaned; see `first_lines`."""
        return first_lines(self._raw[position])


def offer(raw: Sequence[SourcePreview]) -> Offer:
    """An offer of these previews."""
    return Offer(tuple(shown(preview) for preview in raw), tuple(raw))


def shown(preview: SourcePreview) -> SourcePreview:
    """A preview, cleaned; its sources have no names, as they are only counted on screen.

    Cleaning the names of a folder with 50,000 files would take a second.
    """
    bare = clean_value(replace(preview, sources=()))
    return replace(bare, sources=(_NAMELESS,) * len(preview.sources))


def first_lines(preview: SourcePreview) -> tuple[str, ...]:
    """The first lines of a file, or the first files of a folder, cleaned; reads at most 16 KiB.

    Blocks on the file system, so call it in a thread. For a web page nothing is read: no request is made
    before consent.
    """
    if preview.kind is SourceKind.URL:
        return (_("同意之前不会访问网页"),)
    if preview.kind is SourceKind.FOLDER:
        return _first_files(preview)
    try:
        head = _head(Path(preview.sources[0].location))
    except OSError as error:
        reason = error.strerror or str(error)
        return (clean(_("打不开 {path}：{reason}").format(path=preview.typed, reason=reason)),)
    if b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return (_("不是纯文本，采集后才能看到内容"),)
    lines = clean(_decoded(head)).rstrip().split("\n")
    first = [line[:_LINE] for line in lines[:LINES]]
    return tuple(first) if any(line.strip() for line in first) else (_("文件是空的"),)


def _first_files(preview: SourcePreview) -> tuple[str, ...]:
    skipped = _("跳过 {n} 个：{reason}")
    lines = [skipped.format(n=n, reason=clean(reason)) for reason, n in preview.skipped.items()]
    lines += [clean(source.identity)[:_LINE] for source in preview.sources[:LINES]]
    if (more := len(preview.sources) - LINES) > 0:
        lines.append(ngettext("……还有 {n} 个文件", "……还有 {n} 个文件", more).format(n=more))
    return tuple(lines)


def _head(path: Path) -> bytes:
    # Not blocking: the file may have become a pipe since it was looked at.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(_("不是普通文件"))
        return file.read(_BYTES)


def _decoded(head: bytes) -> str:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return head.decode("utf-16", "replace")
    for charset in _CHARSETS:
        for cut in range(4):  # the end may be in the middle of a character
            try:
                return head[: len(head) - cut].decode(charset)
            except UnicodeDecodeError:
                continue
    return head.decode("utf-8", "replace")
