"""What went wrong with a request, in words that a user can act on."""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Iterator
from http import HTTPStatus
from urllib.parse import urlsplit

from geekagent_tui.config import Connection
from geekagent_tui.i18n import _
from geekagent_tui.sanitize import clean_line

CONNECT_SECONDS = 10.0
SILENCE_SECONDS = 120.0

_DETAIL = 300
"""Characters of a server's own words at most."""
_TOO_LONG = re.compile(
    r"context.?length|context.?window|context.?size|maximum.?context|too.?long|too.?many.?tokens|exceeds?.{0,40}tokens"
    r"|max(imum)?.{0,20}(input|prompt).{0,20}(tokens|length)",
    re.IGNORECASE,
)
_WINDOW = re.compile(r"(?:context.?(?:length|window|size)|n_ctx)[^\d\n]{0,24}?(\d{3,8})(?!\d)", re.IGNORECASE)
_NO_TOOLS = re.compile(r"tools?.{0,40}not.{0,10}support|not.{0,10}support.{0,40}tools?", re.IGNORECASE)


class Trouble:
    """Words about one server.

    Args:
        connection: The server; its key never appears in what is said.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._url = _shown(connection.base_url)

    @property
    def url(self) -> str:
        """The server's address as it may be shown."""
        return self._url

    def status(self, code: int, said: str) -> str:
        """An answer with an HTTP status of 400 or more, and what the server said about it."""
        detail = "" if said.lstrip().startswith("<") else self._detail(said)
        detail = detail or _phrase(code)
        match code:
            case 400 | 404 | 422 if _NO_TOOLS.search(said):
                sentence = _("模型 {model} 不支持工具调用（{detail}）。请用 OPENAI_MODEL 换一个支持的模型")
            case 401 if not self._connection.api_key:
                sentence = _(
                    "模型服务 {url} 需要密钥（HTTP 401）。请在设置服务地址的同一处设置 OPENAI_API_KEY"
                )
            case 401:
                sentence = _("模型服务 {url} 不接受密钥（HTTP 401，{detail}）。请检查 OPENAI_API_KEY")
            case 402:
                sentence = _("模型服务 {url} 的余额不足（HTTP 402，{detail}）")
            case 403:
                sentence = _("模型服务 {url} 拒绝访问（HTTP 403，{detail}）。请检查密钥的权限")
            case 404:
                sentence = _(
                    "模型服务 {url} 上没有找到模型 {model}（HTTP 404，{detail}）。"
                    "请检查 OPENAI_MODEL，以及 OPENAI_BASE_URL 是否完整（通常以 /v1 结尾）"
                )
            case 429:
                sentence = _("模型服务 {url} 说请求太频繁或额度已用完（HTTP 429，{detail}）。请稍后再试")
            case 503 | 529:
                sentence = _("模型服务 {url} 正忙（HTTP {code}，{detail}）。请稍后再试")
            case _other if code >= 500:
                sentence = _("模型服务 {url} 出错（HTTP {code}，{detail}）。可以稍后重试")
            case _other:
                sentence = _("模型服务 {url} 不接受这个请求（HTTP {code}，{detail}）")
        return sentence.format(url=self._url, model=self._connection.model, code=code, detail=detail)

    def overflow(self, said: str) -> str:
        """The conversation is longer than the model's window."""
        sentence = _("对话超出了模型的上下文长度（{detail}）。请用 /compact 压缩，或用 /new 开始新的会话")
        return sentence.format(detail=self._detail(said))

    def said(self, text: str) -> str:
        """An error inside an answer that began well."""
        return _("模型服务 {url} 报告了错误：{detail}").format(url=self._url, detail=self._detail(text))

    def no_answer(self, content: bytes) -> str:
        """An answer with status 200 that holds no completion."""
        text = content.lstrip().decode("utf-8", "replace")
        if text.startswith("<"):
            return _(
                "{url} 返回的是网页，不是模型的回答。"
                "请检查 OPENAI_BASE_URL（通常以 /v1 结尾），或者网络是否需要登录、代理是否拦截"
            ).format(url=self._url)
        if not text:
            return _("模型服务 {url} 返回了空的回答。可以重试").format(url=self._url)
        return _("看不懂模型服务 {url} 的回答：{detail}").format(url=self._url, detail=self._detail(text))

    def cut_off(self) -> str:
        """The connection ended before the answer did."""
        return _("与模型服务 {url} 的连接中断，回答不完整。可以重试").format(url=self._url)

    def too_long(self) -> str:
        """What the server sends has no end."""
        return _("模型服务 {url} 发来的数据过大，已停止接收").format(url=self._url)

    def network(self, error: BaseException, *, begun: bool) -> str:
        """An error of the connection.

        Args:
            error: What the client library raised.
            begun: The answer had begun.
        """
        causes = list(_causes(error))
        names = {type(cause).__name__ for cause in causes}
        if "ConnectTimeout" in names:
            return _("连不上模型服务 {url}：{n:g} 秒内没有回应。请检查地址、网络和代理").format(
                url=self._url, n=CONNECT_SECONDS
            )
        if names & {"ReadTimeout", "WriteTimeout", "PoolTimeout", "APITimeoutError"}:
            return _("模型服务 {url} 连续 {n:g} 秒没有动静，已放弃。可以重试").format(
                url=self._url, n=SILENCE_SECONDS
            )
        if begun:
            return self.cut_off()
        return _("连不上模型服务 {url}：{reason}").format(url=self._url, reason=self._reason(causes))

    def _reason(self, causes: list[BaseException]) -> str:
        for cause in causes:
            if isinstance(cause, socket.gaierror):
                return _("找不到这个主机。请检查 OPENAI_BASE_URL 和网络")
            if isinstance(cause, ssl.SSLError):
                reason = clean_line(getattr(cause, "verify_message", "") or cause.reason or "")
                return _("安全连接失败（TLS：{reason}）。公司网络可用 SSL_CERT_FILE 指定证书").format(
                    reason=reason[:_DETAIL]
                )
            if isinstance(cause, ConnectionRefusedError):
                return _("连接被拒绝。请确认服务已启动，并检查 OPENAI_BASE_URL")
            if isinstance(cause, ImportError | ValueError):
                reason = clean_line(str(cause))[:_DETAIL]
                return _("代理或证书的设置用不了（{reason}）。请检查环境变量 HTTPS_PROXY、ALL_PROXY").format(
                    reason=reason
                )
        return self._detail(str(causes[-1])) or type(causes[-1]).__name__

    def _detail(self, said: str) -> str:
        key = self._connection.api_key
        if key:
            said = said.replace(key, "[REDACTED:OPENAI_API_KEY]")
        line = clean_line(said)
        return f"{line[:_DETAIL]}…" if len(line) > _DETAIL else line


def is_sendable(key: str) -> bool:
    """Whether a key can stand in a header; the libraries' own errors about it would show it."""
    return key.isascii() and key.isprintable() and " " not in key


def bad_key() -> str:
    """The key can't be sent in a header."""
    return _("OPENAI_API_KEY 含有空白或非 ASCII 字符，请重新复制密钥")


def too_long(code: int, said: str) -> bool:
    """Whether a server refused a request because it is longer than the model's window."""
    return code in (400, 413, 422) and _TOO_LONG.search(said) is not None


def window_in(said: str) -> int | None:
    """The model's window in tokens, when the refusal tells it."""
    found = _WINDOW.search(said)
    return int(found[1]) if found else None


def is_lasting(error: BaseException) -> bool:
    """Whether a connection would fail in the same way a moment later, or was waited for long enough."""
    causes = list(_causes(error))
    names = {type(cause).__name__ for cause in causes}
    lasting = (socket.gaierror, ssl.SSLError, ConnectionRefusedError, ImportError, ValueError)
    return "ReadTimeout" in names or any(isinstance(cause, lasting) for cause in causes)


def _phrase(code: int) -> str:
    try:
        return HTTPStatus(code).phrase
    except ValueError:
        return ""


def _shown(url: str) -> str:
    """An address without a password and without parameters."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and everything that led to it; several attempts at once come as a group."""
    waiting: list[BaseException] = [error]
    seen: set[int] = set()
    while waiting:
        current = waiting.pop(0)
        if id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        waiting += [cause for cause in (current.__cause__, current.__context__) if cause is not None]
        if isinstance(current, BaseExceptionGroup):
            waiting += current.exceptions
