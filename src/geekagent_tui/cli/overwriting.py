"""Files that a command writes: none that is there already is replaced unless that is asked for."""

from __future__ import annotations

import argparse
from pathlib import Path

from geekagent_tui.cli.output import Output
from geekagent_tui.i18n import _


def may_write(path: Path, call: argparse.Namespace, output: Output) -> bool:
    """Whether a file is not there yet, or may be replaced; told as an error when it may not.

    Devices and pipes are written to as they are.
    """
    if call.force or not path.is_file():
        return True
    output.error("exists", _("{path} 已经存在，没有写入；要覆盖请加上 --force").format(path=path))
    return False
