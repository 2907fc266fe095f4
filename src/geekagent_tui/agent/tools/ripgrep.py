"""ripgrep, where it is installed, as a fast way to know which files need not be read at all.

What it names is opened and searched again by ourselves, so it can neither lead out of the root nor change
an answer. It is asked only for plain ASCII words: they are the same bytes in every encoding that is read.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from geekagent_tui.agent.confined import OPEN_FOLDER, Spot

SECONDS = 3.0
_WORDS = re.compile(r"[\w \-/:=<>,;!@#%&~\"']{2,}(\|[\w \-/:=<>,;!@#%&~\"']{2,})*", re.ASCII)
_OPEN_FOLDERS = Path("/proc/self/fd")
# Only what we leave out as well may be left out
_OPTIONS = (
    "--no-config",
    "--no-messages",
    "--files-with-matches",
    "--null",
    "--fixed-strings",
    "--ignore-case",
    "--no-require-git",
    "--no-ignore-dot",
    "--no-ignore-global",
    "--no-ignore-exclude",
    "--no-ignore-parent",
)


def candidates(pattern: str, spot: Spot) -> frozenset[str] | None:
    """The files below a folder that may match, relative to the root; None when all may."""
    program = shutil.which("rg")
    if program is None or not _WORDS.fullmatch(pattern) or not _OPEN_FOLDERS.exists():
        return None
    words = [f"--regexp={word}" for word in pattern.split("|")]
    folder = os.open(spot.name, OPEN_FOLDER, dir_fd=spot.folder)
    try:
        done = subprocess.run(  # noqa: S603  # no shell, and every argument is an option or "."
            [program, *_OPTIONS, *words, "--", "."],
            cwd=_OPEN_FOLDERS / str(folder),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    finally:
        os.close(folder)
    if done.returncode not in (0, 1):  # 1: nothing found
        return None
    prefix = "" if spot.path == "." else f"{spot.path}/"
    names = (os.fsdecode(name).removeprefix("./") for name in done.stdout.split(b"\0") if name)
    return frozenset(prefix + name for name in names)
