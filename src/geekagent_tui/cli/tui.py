"""`geekagent`: the full-screen application."""

from __future__ import annotations

import argparse
import gc
import sys

from geekagent_tui.cli import OK, USAGE
from geekagent_tui.cli.output import Output
from geekagent_tui.i18n import _
from geekagent_tui.paths import Workspace


def tui(call: argparse.Namespace, workspace: Workspace, output: Output) -> int:
    """Open the application; it needs a terminal."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        output.error(
            "no_terminal",
            _("全屏界面需要真实终端（TTY）；在管道或脚本里请用 geekagent ask 或 geekagent rag。"),
        )
        return USAGE
    gc.disable()  # nothing becomes garbage before the first frame; `launch` turns it on again
    from geekagent_tui.ui.launch import launch

    launch(workspace, everything_trusted=call.trust)
    return OK
