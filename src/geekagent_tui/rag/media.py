"""The gate for media types: what a server sends must be text, or a document that can be read."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from geekagent_tui.i18n import _
from geekagent_tui.rag.failures import failed
from geekagent_tui.rag.sniff import DOCUMENT_SUFFIXES, binary_type

_CHARSET = re.compile(r"""charset\s*=\s*["']?([^\s"';,]+)""", re.IGNORECASE)
_MEDIA_TYPE = re.compile(r"[a-z0-9!#$&^_.+\-]+/[a-z0-9!#$&^_.+\-]+\Z")
_OFFICE = re.compile(r"msword|vnd\.(ms-(excel|word|powerpoint)|oasis\.opendocument)")
_DOCUMENT = re.compile(
    r"(x-)?pdf|epub\+zip|vnd\.oasis\.opendocument\.text"
    r"|vnd\.openxmlformats-officedocument\.[\w.\-]+|vnd\.ms-\w+\.(document|sheet|presentation)\.macroenabled\.12"
)
_ARCHIVE = re.compile(
    r"zip\b|gzip|x-(tar|7z|rar|bzip|xz|compress)|vnd\.rar|zstd|java-archive|android\.package"
)
_PROGRAM = re.compile(r"x-(msdownload|executable|sharedlib|mach-binary|dosexec)|wasm|x-apple-diskimage")


def parse_content_type(header: str) -> tuple[str, str]:
    """The media type, in lower case, and the charset of a `Content-Type`; empty where absent or malformed."""
    media = header.partition(";")[0].strip().lower()
    charset = _CHARSET.search(header)
    return (media if _MEDIA_TYPE.match(media) else "", charset.group(1) if charset else "")


def refuse_type(media: str, url: str = "") -> None:
    """Refuse a media type that can't be read; unknown types pass, their bytes tell.

    Args:
        media: In lower case, without parameters.
        url: Where it comes from. Many servers call Office documents archives, which they are: then the
            name is believed.

    Raises:
        SourceError: Names the type.
    """
    if kind := _kind(media):
        suffix = PurePosixPath(unquote(urlsplit(url).path)).suffix.lower()
        if kind == _("压缩包") and suffix in DOCUMENT_SUFFIXES:
            return
        raise failed(
            _("链接指向的是 {kind}（{type}），暂不支持，请换成网页或文本").format(kind=kind, type=media)
        )


def refuse_binary(head: bytes) -> None:
    """Refuse bytes that are neither text nor a document, whatever the server calls them.

    Raises:
        SourceError: Names the format.
    """
    if kind := binary_type(head):
        raise failed(_("链接返回的不是文本，是 {kind}，暂不支持").format(kind=kind))


def _kind(media: str) -> str:
    main, _slash, sub = media.partition("/")
    kinds = {"image": _("图片"), "audio": _("音频"), "video": _("视频"), "font": _("字体")}
    if main in kinds:
        return kinds[main]
    if main != "application":
        return ""
    if _DOCUMENT.fullmatch(sub):
        return ""
    if _OFFICE.match(sub):
        return _("Office 文档")
    if _ARCHIVE.search(sub):
        return _("压缩包")
    return _("程序") if _PROGRAM.match(sub) else ""
