"""The argument parser's own words in the interface's language."""

from __future__ import annotations

import argparse
import re

from geekagent_tui.i18n import _, language

_HEADING = re.compile(r"^(\w+):$", re.MULTILINE)


def translate_parser() -> None:
    """Make `argparse` speak the interface's language.

    It asks the `gettext` functions that it has imported, at the moment of speaking, and those can only follow
    the environment, not `--lang`.
    """
    vars(argparse).update(_=_in_our_words, ngettext=_counted)


def laid_out(text: str) -> str:
    """A usage or a whole help in Chinese, as `argparse` would write it if it knew of wide characters."""
    if language() != "zh":
        return text
    usage, gap, rest = text.partition("\n\n")
    return usage.replace("\n ", "\n" + " " * (1 + len(_("用法：")))) + gap + _HEADING.sub(r"\1：", rest)


def _in_our_words(message: str) -> str:
    return _table().get(message, message)


def _counted(one: str, many: str, n: int) -> str:
    return _in_our_words(one if n == 1 else many)


def _table() -> dict[str, str]:
    """The messages that a user of ours can get to see; others are about a programmer's mistakes."""
    return {
        "usage: ": _("用法："),
        "positional arguments": _("参数"),
        "options": _("选项"),
        "show this help message and exit": _("显示这段帮助并退出"),
        "argument %(argument_name)s: %(message)s": _("参数 %(argument_name)s：%(message)s"),
        "unknown parser %(parser_name)r (choices: %(choices)s)": _(
            "没有 %(parser_name)r 这个命令（可用：%(choices)s）"
        ),
        "invalid choice: %(value)r (choose from %(choices)s)": _("不能是 %(value)r（可选：%(choices)s）"),
        "unrecognized arguments: %s": _("不认识的参数：%s"),
        "not allowed with argument %s": _("不能与 %s 同时使用"),
        "ignored explicit argument %r": _("这个选项不带值，不能写 %r"),
        "the following arguments are required: %s": _("缺少参数：%s"),
        "expected one argument": _("后面要写一个值"),
        "expected at least one argument": _("后面至少要写一个值"),
    }
