"""The command line's grammar."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from geekagent_tui import __version__
from geekagent_tui.cli import USAGE
from geekagent_tui.cli.output import Output
from geekagent_tui.cli.selection import add_selection, add_tags
from geekagent_tui.cli.words import laid_out, translate_parser
from geekagent_tui.i18n import LANGUAGES, _

_MOST = 1000
"""Passages that a search may be asked for."""


class _Parser(argparse.ArgumentParser):
    """Answers a wrong call with JSON too when JSON was asked for."""

    as_json = False

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, **options)

    def format_usage(self) -> str:
        """The usage, laid out for the language."""
        return laid_out(super().format_usage())

    def format_help(self) -> str:
        """The help, laid out for the language."""
        return laid_out(super().format_help())

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        Output(self.as_json).error("usage", f"{self.prog}: {message}")
        self.exit(USAGE)


def options_in(words: Sequence[str]) -> Sequence[str]:
    """The words of a call that can be options: those before `--`."""
    return words[: words.index("--")] if "--" in words else words


def _shared() -> _Parser:
    """The options that every command takes, before or behind its name."""
    shared = _Parser(add_help=False, argument_default=argparse.SUPPRESS)
    place = shared.add_mutually_exclusive_group()
    place.add_argument(
        "--workspace",
        type=Path,
        metavar="DIR",
        help=_("工作区文件夹（默认：向上最近的含 .geekagent/ 的文件夹）"),
    )
    place.add_argument("--personal", action="store_true", help=_("所有文件夹共用一个个人知识库"))
    shared.add_argument(
        "--trust",
        action="store_true",
        help=_("这一次信任随文件夹来的 .env、设置、AGENTS.md 与技能"),
    )
    shared.add_argument("--lang", choices=LANGUAGES, help=_("界面语言"))
    return shared


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Parse a call; a wrong one exits with code 2."""
    translate_parser()
    _Parser.as_json = "--json" in options_in(words)
    shared = _shared()
    parser = _Parser(
        prog="geekagent",
        parents=[shared],
        description=_("在终端里向自己的资料提问：收集网页与文件，带出处地回答。不带命令时打开全屏界面。"),
    )
    parser.add_argument(
        "--version", action="version", version=f"geekagent {__version__}", help=_("显示版本号并退出")
    )
    parser.add_argument("--log", action="store_true", help=_("显示日志文件的位置"))
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)

    ask = commands.add_parser("ask", parents=[shared], help=_("提一个问题，答案写到标准输出"))
    ask.add_argument("question", help=_("问题；- 表示从标准输入读取"))
    ask.add_argument("--model", metavar="NAME", help=_("模型名称；offline 表示离线模型"))
    add_selection(ask)
    ask.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="SRC|#TAG",
        help=_("只在这个来源或 #标签 的文档里检索（可重复）"),
    )
    _json(ask)

    rag = commands.add_parser("rag", parents=[shared], help=_("管理与检索知识库"))
    _rag(rag.add_subparsers(dest="action", metavar="ACTION", required=True, parser_class=_Parser), shared)

    defaults = {
        "workspace": None,
        "personal": False,
        "trust": False,
        "lang": None,
        "json": False,
        "command": None,
    }
    return parser.parse_args(words, argparse.Namespace(**defaults))


def _rag(actions: Any, shared: _Parser) -> None:
    adding = _adding(actions, shared)
    for action in (
        adding,
        *_looking(actions, shared),
        *_changing(actions, shared),
        *_keeping(actions, shared),
    ):
        _json(action)


def _adding(actions: Any, shared: _Parser) -> argparse.ArgumentParser:
    add: argparse.ArgumentParser = actions.add_parser(
        "add", parents=[shared], help=_("采集网页、文件或文件夹")
    )
    add.add_argument(
        "sources",
        nargs="+",
        metavar="SRC",
        help=_("网址或路径；@文件 每行一个来源；- 表示从标准输入读取一篇文档"),
    )
    add.add_argument(
        "--crawl", type=_count, default=0, metavar="N", help=_("沿链接采集同一网站，最多 N 个网页")
    )
    add_tags(add, _("给这些文档加上标签，已有的也加（可重复）"))
    add.add_argument("--title", default="", metavar="TITLE", help=_("从标准输入读取的文档的标题"))
    add.add_argument("--yes", action="store_true", help=_("不询问，直接采集"))
    return add


def _looking(actions: Any, shared: _Parser) -> tuple[argparse.ArgumentParser, ...]:
    search = actions.add_parser("search", parents=[shared], help=_("检索知识库"))
    search.add_argument("query", metavar="QUERY")
    search.add_argument("-k", type=_count, default=4, metavar="N", help=_("最多几段（默认 4）"))
    search.add_argument("--per-document", type=_count, metavar="N", help=_("同一文档最多几段"))
    add_selection(search)
    search.add_argument("--explain", action="store_true", help=_("说明每段的得分从哪里来"))
    listing = actions.add_parser("list", parents=[shared], help=_("列出文档"))
    add_selection(listing)
    stats = actions.add_parser("stats", parents=[shared], help=_("文档、段落与字符数"))
    show = actions.add_parser("show", parents=[shared], help=_("显示一个文档的全文与分段"))
    show.add_argument("source", metavar="SRC", help=_("来源，或 rag list 列出的编号"))
    return search, listing, stats, show


def _changing(actions: Any, shared: _Parser) -> tuple[argparse.ArgumentParser, ...]:
    remove = actions.add_parser("remove", parents=[shared], help=_("移除文档"))
    remove.add_argument(
        "sources",
        nargs="*",
        metavar="SRC",
        help=_("来源、rag list 列出的编号、文件夹，或 'notes/*.md' 这样的模式"),
    )
    add_tags(remove, _("移除带这个标签的文档（可重复）"))
    tag = actions.add_parser("tag", parents=[shared], help=_("查看、加上或去掉文档的标签"))
    tag.add_argument(
        "sources", nargs="*", metavar="SRC", help=_("来源、编号、模式或文件夹；不写则列出全部标签")
    )
    add_tags(tag, _("加上这个标签（可重复）"), "--add", "add")
    add_tags(tag, _("去掉这个标签（可重复）"), "--remove", "remove")
    undo = actions.add_parser("undo", parents=[shared], help=_("恢复最近一次移除的文档"))
    sync = actions.add_parser("sync", parents=[shared], help=_("更新已有的文档"))
    sync.add_argument(
        "sources", nargs="*", metavar="SRC", help=_("来源、编号、模式或文件夹；不写表示全部文档")
    )
    add_tags(sync, _("更新带这个标签的文档（可重复）"))
    sync.add_argument("--prune", action="store_true", help=_("移除来源已不存在的文档"))
    return remove, tag, undo, sync


def _keeping(actions: Any, shared: _Parser) -> tuple[argparse.ArgumentParser, ...]:
    export = actions.add_parser("export", parents=[shared], help=_("导出全部文档（index.json 格式）"))
    export.add_argument(
        "file", nargs="?", default="-", metavar="FILE", help=_("写入的文件；- 表示标准输出（默认）")
    )
    _force(export)
    bring = actions.add_parser("import", parents=[shared], help=_("导入 index.json 格式的文件"))
    bring.add_argument("file", type=Path, metavar="FILE")
    doctor = actions.add_parser("doctor", parents=[shared], help=_("检查知识库是否完好"))
    evaluate = actions.add_parser("eval", parents=[shared], help=_("用已知答案的问题衡量检索质量"))
    evaluate.add_argument(
        "file",
        type=Path,
        metavar="FILE",
        help=_(
            "JSON Lines（question 与 source、passage 或 text，问当前知识库），"
            "或 SQuAD 格式的 JSON（自带段落，用临时知识库）"
        ),
    )
    evaluate.add_argument(
        "--rankings", type=Path, metavar="OUT", help=_("每个问题一行，把找到的编号按名次写入这个文件")
    )
    _force(evaluate)
    return export, bring, doctor, evaluate


def _force(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--force", action="store_true", help=_("覆盖已有的文件"))


def _json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help=_("输出一个 JSON 值"))


def _count(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if not 1 <= number <= _MOST:
        message = _("N 必须是 1 到 {limit} 的整数，而不是「{text}」")
        raise argparse.ArgumentTypeError(message.format(limit=_MOST, text=text))
    return number
