"""Web addresses: one spelling for one page, without asking the network anything."""

from __future__ import annotations

import re
from ipaddress import IPv6Address
from urllib.parse import SplitResult, quote, unquote_to_bytes, urlsplit

from geekagent_tui.i18n import _
from geekagent_tui.rag.errors import SourceError

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*://")
_PORTS = {"http": 80, "https": 443}
_HOST = re.compile(
    r"(?=.{1,253}\Z)[a-z0-9_]([a-z0-9_\-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_\-]*[a-z0-9_])?)*\.?\Z"
)
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_LONE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_ESCAPE = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


def is_url(typed: str) -> bool:
    """Whether the words begin like a URL of any scheme; everything else is a path."""
    return _SCHEME.match(typed) is not None


def normalise(typed: str) -> str:
    """The one spelling of a web address: the document's identity and what is requested.

    Scheme and host in lower case (IDNA for other scripts), no default port, no fragment, `/` for an empty
    path, dot segments resolved, escapes in the form of RFC 3986 §6.2.2. Idempotent.

    Raises:
        SourceError: Not a valid http or https address, or it holds a user name or password.
    """
    try:
        parts = urlsplit(typed)
        port = parts.port
    except ValueError:
        raise _invalid(typed) from None
    if parts.scheme not in _PORTS:
        raise SourceError(_("只支持 http/https 链接：{url}").format(url=typed))
    if "@" in parts.netloc:
        raise SourceError(_("链接里不能带用户名或密码，请去掉后再采集"))
    if _FORBIDDEN.search(typed) or port == 0:
        raise _invalid(typed)
    host = _host(parts, typed)
    if port is not None and port != _PORTS[parts.scheme]:
        host = f"{host}:{port}"
    path = _remove_dots(_escape(parts.path, "/")) or "/"
    query = f"?{_escape(parts.query, '/?')}" if parts.query else ""
    return f"{parts.scheme}://{host}{path}{query}"


def host_of(url: str) -> str:
    """Host and port of a normalised address, as dialogs show it."""
    return urlsplit(url).netloc


def site_of(url: str) -> str:
    """What the pages of one web site share: host and port of a normalised address, without `www.`."""
    return host_of(url).removeprefix("www.")


def _invalid(typed: str) -> SourceError:
    return SourceError(_("URL 不合法：{url}").format(url=typed))


def _host(parts: SplitResult, typed: str) -> str:
    host = parts.hostname or ""
    if parts.netloc.startswith("["):
        try:
            address = IPv6Address(host)
        except ValueError:
            raise _invalid(typed) from None
        if address.scope_id is not None:  # names an interface of this machine
            raise _invalid(typed)
        return f"[{address.compressed}]"
    if not host.isascii():
        import idna

        try:
            host = idna.encode(host, uts46=True).decode("ascii")
        except idna.IDNAError:
            raise _invalid(typed) from None
    if not _HOST.match(host):
        raise _invalid(typed)
    return host


def _escape(text: str, keep: str) -> str:
    """Escape what may not stand in a URL; valid escapes stay, a lone `%` becomes `%25`."""
    text = _ESCAPE.sub(_normal_escapes, _LONE_PERCENT.sub("%25", text))
    pieces = re.split(r"(%[0-9A-F]{2})", text)
    safe = f":@!$&'()*+,;=~{keep}"
    return "".join(piece if index % 2 else quote(piece, safe=safe) for index, piece in enumerate(pieces))


def _normal_escapes(match: re.Match[str]) -> str:
    return "".join(
        chr(byte) if byte in _UNRESERVED else f"%{byte:02X}" for byte in unquote_to_bytes(match.group())
    )


def _remove_dots(path: str) -> str:
    segments = path.split("/")
    kept: list[str] = []
    for segment in segments:
        if segment == "..":
            if len(kept) > 1:
                kept.pop()
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in {".", ".."}:
        kept.append("")
    return "/".join(kept)
