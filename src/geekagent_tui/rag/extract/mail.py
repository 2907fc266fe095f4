"""Mail messages: the headers that people read, and the text or the HTML of the body (RFC 5322, MIME)."""

from __future__ import annotations

import email
import email.policy
import email.utils
from email.header import decode_header
from email.message import Message
from itertools import islice

from geekagent_tui.i18n import _
from geekagent_tui.rag.extract.charset import decode
from geekagent_tui.rag.extract.html import extract_html
from geekagent_tui.rag.extract.inline import plain
from geekagent_tui.rag.extract.tidy import tidy, tidy_title
from geekagent_tui.rag.extract.writer import Writer

_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_MOST_PARTS = 1_000
_MOST_NAMES = 100
_LONGEST_HEADER = 1_000


def extract_mail(data: bytes, charset: str = "") -> tuple[str, str]:
    """The subject (may be empty) and the text; what has no mail headers at all is plain text.

    Of several versions of the body the plain text is taken, else the HTML; attachments are named.

    Raises:
        TooLargeError: It holds more than the limit.
    """
    # The older policy: the newer one's parser of headers fails on many that are malformed
    message = email.message_from_bytes(data, policy=email.policy.compat32)
    headers = {name: _header(message, name) for name in _SHOWN}
    if not (headers["From"] or headers["Subject"] or headers["Date"]):
        return "", decode(data, charset)
    out = Writer()
    out.block("\n".join(plain(f"{name}: {value}") for name, value in headers.items() if value))
    parts = list(islice(message.walk(), _MOST_PARTS))
    bodies = [part for part in parts if _is_body(part)]
    wanted = "text/plain" if any(_text(part) for part in bodies if _is(part, "text/plain")) else "text/html"
    for part in bodies:
        if _is(part, wanted):
            out.block(_text(part))
    names = [name for part in parts if (name := _file_name(part))]
    if names:
        out.paragraph(_("附件：{names}").format(names=_("、").join(names[:_MOST_NAMES])))
    return headers["Subject"], out.text()


def _is(part: Message, kind: str) -> bool:
    return part.get_content_type() == kind


def _is_body(part: Message) -> bool:
    return part.get_content_maintype() == "text" and not _file_name(part)


def _text(part: Message) -> str:
    payload = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    charset = _plain(part.get_param("charset", ""))
    if not _is(part, "text/html"):
        return tidy(decode(data, charset))
    return tidy(extract_html(decode(data, charset, markup=True))[1]) if data.strip() else ""


def _file_name(part: Message) -> str:
    return tidy_title(_decoded(_plain(part.get_filename())))


def _header(message: Message, name: str) -> str:
    """A header decoded, on one line; empty when it is absent."""
    for key, value in message.raw_items():
        if key.casefold() == name.casefold():
            return " ".join(tidy(_decoded(str(value)[:_LONGEST_HEADER])).split())
    return ""


def _decoded(text: str) -> str:
    """Encoded words (RFC 2047) and raw bytes, which are not allowed and common, as text."""
    if not text.isascii():
        return decode(text.encode("utf-8", "surrogateescape"))
    try:
        parts = decode_header(text)
    except ValueError:  # broken Base64
        return text
    return "".join(
        part
        if isinstance(part, str)
        else decode(part, charset)
        if charset
        else part.decode("ascii", "replace")
        for part, charset in parts
    )


def _plain(value: object) -> str:
    """A parameter, which may be (charset, language, text), or None."""
    if isinstance(value, tuple):
        return email.utils.collapse_rfc2231_value(value)
    return value if isinstance(value, str) else ""
