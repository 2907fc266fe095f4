"""Text that is handed over instead of being read from a place."""

from __future__ import annotations

import hashlib

from geekagent_tui.i18n import _
from geekagent_tui.rag import limits
from geekagent_tui.rag.extract.tidy import tidy_title
from geekagent_tui.rag.failures import too_many_bytes
from geekagent_tui.rag.model import GivenText, Source, SourceKind, SourcePreview
from geekagent_tui.rag.raw import Raw

PREFIX = "stdin:"
"""What the identity of such a document begins with; it can't be read again."""
_DIGITS = 16


def preview_of(given: GivenText) -> SourcePreview:
    """Given text as a source.

    Its title names it, so that the next text of this title takes its place; without a title its content
    does, so that the same text is never there twice and no other text is replaced.
    """
    name = tidy_title(given.title) or hashlib.sha256(given.data).hexdigest()[:_DIGITS]
    source = Source(SourceKind.FILE, f"{PREFIX}{name}", "", given=given)
    return SourcePreview("-", SourceKind.FILE, _("标准输入"), (source,), size=len(given.data))


def raw_of(given: GivenText) -> Raw:
    """Given text as if it had been read: Markdown, which plain text is too, or a web page.

    Raises:
        TooLargeError: It has more bytes than the limit.
    """
    if len(given.data) > limits.BYTES:
        raise too_many_bytes()
    looks_like_page = given.data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
    content_type = "" if looks_like_page else "text/markdown"
    return Raw(given.data, SourceKind.FILE, _("标准输入"), content_type, title=given.title)
