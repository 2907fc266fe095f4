"""The options that say which documents a command is about."""

from __future__ import annotations

import argparse
from datetime import datetime
from typing import TYPE_CHECKING

from geekagent_tui.i18n import _
from geekagent_tui.paths import Workspace

if TYPE_CHECKING:
    from geekagent_tui.rag.model import Selection


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Give a command `--tag`, `--source`, `--kind`, `--since` and `--until`."""
    add_tags(parser, _("只要带这个标签的文档（可重复）"))
    parser.add_argument(
        "--source",
        action="append",
        default=[],
        dest="among",
        metavar="SRC",
        help=_("只要这个来源、模式、文件夹或网站的文档（可重复）"),
    )
    parser.add_argument(
        "--kind",
        action="append",
        default=[],
        dest="kinds",
        metavar="KIND",
        help=_("只要这一类文档：url、file、pdf、md、code、python 等（可重复）"),
    )
    since = _("只要这时或之后加入或更新的文档：2026-11-30、7d（7 天前）或 2w")
    parser.add_argument("--since", type=_moment, metavar="DATE", help=since)
    parser.add_argument("--until", type=_moment, metavar="DATE", help=_("只要这时之前加入或更新的文档"))


def add_tags(
    parser: argparse.ArgumentParser, meaning: str, option: str = "--tag", dest: str = "tags"
) -> None:
    """Give a command an option that takes a tag and may be repeated."""
    parser.add_argument(
        option, action="append", default=[], dest=dest, type=_tag, metavar="TAG", help=meaning
    )


def selection(call: argparse.Namespace, workspace: Workspace) -> Selection:
    """What the options say; an empty selection when there are none."""
    from geekagent_tui.cli.here import from_here
    from geekagent_tui.rag.model import Selection

    return Selection(
        tags=tuple(call.tags),
        sources=tuple(from_here(call.among, workspace)),
        kinds=tuple(call.kinds),
        since=call.since,
        until=call.until,
    )


def _tag(text: str) -> str:
    from geekagent_tui.rag.errors import TagError
    from geekagent_tui.rag.tags import clean_tag  # `--help` needs neither

    try:
        return clean_tag(text)
    except TagError as error:
        raise argparse.ArgumentTypeError(error.message) from None


def _moment(text: str) -> datetime:
    from geekagent_tui.rag.moments import moment

    try:
        return moment(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
