"""Network errors in plain words."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from urllib.parse import urlsplit

from geekagent_tui.i18n import _
from geekagent_tui.network_context import CertificateSettingsError
from geekagent_tui.sanitize import clean_line

_DETAIL = 200  # most characters of a library's own message


def in_plain_words(error: Exception, url: str, silence: float) -> str:
    """Say what went wrong with a request, as a clause for `采集失败：…`.

    Args:
        error: What httpx raised.
        url: What was asked for at that moment.
        silence: The time limit in seconds.
    """
    import httpx

    if isinstance(error, CertificateSettingsError):
        return str(error)
    if isinstance(error, httpx.TimeoutException):
        return _("抓取超时（{n:g}s），可稍后重试").format(n=silence)
    host = urlsplit(url).netloc
    for cause in _causes(error):
        if isinstance(cause, socket.gaierror):
            return _("找不到主机 {host}，请检查网址和网络").format(host=host)
        if isinstance(cause, ssl.SSLError):
            reason = clean_line(getattr(cause, "verify_message", "") or cause.reason or "")[:_DETAIL]
            return _("与 {host} 的安全连接失败（TLS：{reason}）").format(host=host, reason=reason)
        if isinstance(cause, ConnectionRefusedError):
            return _("{host} 拒绝连接，请确认服务已启动").format(host=host)
    if isinstance(error, httpx.ProxyError):
        return _("代理服务器出错：{reason}").format(reason=_detail(error))
    if isinstance(error, httpx.ConnectError):
        return _("连不上 {host}：{reason}").format(host=host, reason=_detail(error))
    if isinstance(error, httpx.RemoteProtocolError | httpx.ReadError):
        return _("连接中断或回应不合规范，可稍后重试（{reason}）").format(reason=_detail(error))
    return _("请求出错：{reason}").format(reason=_detail(error))


def _detail(error: Exception) -> str:
    return clean_line(str(error))[:_DETAIL] or type(error).__name__


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and everything that led to it; several attempts at once come as a group."""
    waiting = [error]
    seen: set[int] = set()
    while waiting:
        current = waiting.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        waiting.extend(cause for cause in (current.__cause__, current.__context__) if cause is not None)
        if isinstance(current, BaseExceptionGroup):
            waiting.extend(current.exceptions)
