"""Bytes on their way from a source to the extractors."""

from __future__ import annotations

import os
from dataclasses import dataclass

from geekagent_tui.rag.model import SourceKind
from geekagent_tui.rag.network import Zone


@dataclass(frozen=True, slots=True)
class Validators:
    """What tells a server which version of a page is known, in the headers of a conditional request.

    Attributes:
        url: The address that gave them, after redirects; no other one is told.
        etag: For `If-None-Match`; may be empty.
        last_modified: For `If-Modified-Since`; may be empty.
    """

    url: str = ""
    etag: str = ""
    last_modified: str = ""

    def headers(self, url: str) -> dict[str, str]:
        """The headers for a request to an address; values that no header can carry are left out."""
        if url != self.url:
            return {}
        values = {"If-None-Match": self.etag, "If-Modified-Since": self.last_modified}
        return {
            name: value
            for name, value in values.items()
            if value.isascii() and value.strip().isprintable() and value.strip()
        }


@dataclass(frozen=True, slots=True)
class Raw:
    """What was read from one source.

    Attributes:
        data: The whole content, decompressed.
        name: The file's name, or the address after redirects.
        content_type: Media type in lower case without parameters, from the HTTP header.
        charset: From the HTTP header, as it stands there.
        etag: The header `ETag`, for the next update; of a file its `file_version`.
        last_modified: The header `Last-Modified`, for the next update.
        final_url: The address after redirects; empty for a file.
        zone: Where the answer came from; None for a file.
        title: Given by the user, it takes the place of the content's own; else empty.
    """

    data: bytes
    kind: SourceKind
    name: str
    content_type: str = ""
    charset: str = ""
    etag: str = ""
    last_modified: str = ""
    final_url: str = ""
    zone: Zone | None = None
    title: str = ""


def file_version(status: os.stat_result) -> str:
    """What tells a file from an earlier version of it without reading it, like a web server's `ETag`."""
    return f"{status.st_size}-{status.st_mtime_ns}"
