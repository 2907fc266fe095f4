"""The reference's sentences for sources that can't be taken in."""

from __future__ import annotations

from pathlib import PurePath

from geekagent_tui.i18n import _
from geekagent_tui.rag import limits
from geekagent_tui.rag.errors import EmptyContentError, SourceError, TooLargeError
from geekagent_tui.rag.sniff import DOCUMENT_SUFFIXES, OFFICE_ZIP, ZIP


def failed(reason: str) -> SourceError:
    """The error `采集失败：REASON`; `reason` is a clause in the user's language."""
    error = SourceError(_("采集失败：{reason}").format(reason=reason))
    error.reason = reason
    return error


def empty() -> EmptyContentError:
    """The error for a source without any text."""
    return EmptyContentError(_("内容为空，未入库"))


def not_text(name: str, kind: str) -> SourceError:
    """The error for bytes that nobody here can read: damaged where the name promises a document.

    Args:
        name: A file's path or name.
        kind: What the bytes look like.
    """
    suffix = PurePath(name).suffix.lower()
    if suffix in DOCUMENT_SUFFIXES and kind in {ZIP, OFFICE_ZIP, _("二进制数据")}:
        return damaged(suffix.removeprefix(".").upper())
    return failed(_("{name} 不是文本，是 {kind}，暂不支持").format(name=name, kind=kind))


def damaged(kind: str) -> SourceError:
    """The error for a file that can't be parsed."""
    return failed(_("{kind} 文件已损坏，无法解析").format(kind=kind))


def too_much_text(characters: int, limit: int) -> TooLargeError:
    """The error for a document of more characters than the limit, with how to raise it."""
    sentence = _("内容过大（{n} 字符，上限 {limit}），未入库").format(n=characters, limit=_mebi(limit))
    advice = _("可拆成几份再采集，或用环境变量 {variable} 提高上限").format(
        variable=limits.CHARACTERS_VARIABLE
    )
    return TooLargeError(sentence + _("；") + advice)


def too_many_bytes(limit: int = limits.BYTES) -> TooLargeError:
    """The error for a file or a response body of more bytes than the limit."""
    reason = _("原始内容超过 {limit}，请拆成几份再采集").format(limit=_mebi(limit))
    return TooLargeError(failed(reason).message)


def _mebi(amount: int) -> str:
    return f"{amount / limits.MEBI:.3g}MB"
