"""From a parsed call to an exit code."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from itertools import zip_longest
from pathlib import Path

from geekagent_tui import paths
from geekagent_tui.cli import FAILED, INTERRUPTED, OK, USAGE
from geekagent_tui.cli.logs import start_logging
from geekagent_tui.cli.output import Output, silence_closed_pipe
from geekagent_tui.cli.parser import options_in, parse
from geekagent_tui.config.user import read_user_settings
from geekagent_tui.i18n import LANGUAGES, _, detect_language, set_language


def run(arguments: Sequence[str] | None) -> int:
    """Run the command line; errors become a sentence on stderr and an exit code, never a traceback."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    output = Output("--json" in options_in(words))
    try:
        _prepare_streams()
        set_language(_language(words))
        call = parse(words)
        if call.log:
            output.line(str(paths.log_file()))
            return OK
        start_logging()
        return _dispatch(call, output)
    except KeyboardInterrupt:
        output.error("interrupted", _("已中断"))
        return INTERRUPTED
    except BrokenPipeError:
        silence_closed_pipe()
        return 128 + signal.SIGPIPE
    except Exception as error:  # the last line of defence: no traceback reaches a user
        _tell(error, output)
        return FAILED


def _tell(error: Exception, output: Output) -> None:
    """Say what failed; only what nobody has foreseen needs a traceback in the log."""
    message = getattr(error, "message", "")
    if message:
        logging.getLogger(__name__).warning("command failed: %s", message)
        output.error(getattr(error, "code", "internal_error"), message)
        return
    logging.getLogger(__name__).error("command failed", exc_info=error)
    sentence = _("出错了：{error}。详情见日志：{log}")
    output.error(
        "internal_error", sentence.format(error=str(error) or type(error).__name__, log=paths.log_file())
    )


def _prepare_streams() -> None:
    """A stream that the caller closed is an empty one; a character that the locale lacks is escaped."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # and its number must not become a database's
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115  # kept
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _language(words: Sequence[str]) -> str:
    """`--lang`, else `config.toml`, else the terminal's; before parsing, for the parser's own help.

    Nothing that is wrong with `config.toml` stops a command; `load_config` tells about it.
    """
    chosen = ""
    options = options_in(words)
    for word, following in zip_longest(options, options[1:], fillvalue=""):
        value = following if word == "--lang" else word.removeprefix("--lang=")
        if word.startswith("--lang") and value in LANGUAGES:
            chosen = value
    return chosen or read_user_settings(paths.user_config_file()).language or detect_language(os.environ)


def _dispatch(call: argparse.Namespace, output: Output) -> int:
    workspace = _workspace(call)
    if workspace is None:
        output.error("no_workspace", _("文件夹不存在：{folder}").format(folder=call.workspace))
        return USAGE
    if call.command == "ask":
        from geekagent_tui.cli.ask import ask

        return ask(call, workspace, output)
    if call.command == "rag":
        from geekagent_tui.cli.rag import rag

        return rag(call, workspace, output)
    from geekagent_tui.cli.tui import tui

    return tui(call, workspace, output)


def _workspace(call: argparse.Namespace) -> paths.Workspace | None:
    if call.personal:
        return paths.personal_workspace()
    if call.workspace is not None:
        return paths.Workspace(call.workspace.resolve()) if call.workspace.is_dir() else None
    return paths.find_workspace(Path.cwd())
