"""Why something went wrong, in the interface's own words: those of the system and of parsers are English."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable, Mapping

from geekagent_tui.i18n import _

_SYSTEM: Mapping[int, Callable[[], str]] = {
    errno.ENOENT: lambda: _("没有这个文件或文件夹"),
    errno.EACCES: lambda: _("没有权限"),
    errno.EPERM: lambda: _("系统不允许"),
    errno.EISDIR: lambda: _("这是一个文件夹"),
    errno.ENOTDIR: lambda: _("路径中有一段不是文件夹"),
    errno.EEXIST: lambda: _("已经存在"),
    errno.ENOSPC: lambda: _("磁盘已满"),
    errno.EDQUOT: lambda: _("磁盘已满"),
    errno.EROFS: lambda: _("磁盘是只读的"),
    errno.EINVAL: lambda: _("不是普通文件"),
    errno.ELOOP: lambda: _("链接绕成了圈，或者不允许是链接"),
    errno.ENAMETOOLONG: lambda: _("名称太长"),
    errno.ENFILE: lambda: _("打开的文件太多"),
    errno.EMFILE: lambda: _("打开的文件太多"),
    errno.EIO: lambda: _("磁盘读写出错"),
    errno.ETIMEDOUT: lambda: _("等待太久"),
}


def reason_of(error: Exception) -> str:
    """The reason of an error that the system or the JSON parser raised; of another one, its own text."""
    match error:
        case OSError(errno=int(number)) if number in _SYSTEM:
            return _SYSTEM[number]()
        case OSError():
            return error.strerror or str(error) or type(error).__name__
        case json.JSONDecodeError():
            return _("第 {n} 行不是合法 JSON").format(n=error.lineno)
        case UnicodeDecodeError():
            return _("不是 UTF-8 文本")
        case RecursionError():
            return _("嵌套太深")
    return str(error)
