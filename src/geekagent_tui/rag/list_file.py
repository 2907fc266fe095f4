"""Files that list sources, one a line: `@FILE` stands for its lines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from geekagent_tui.i18n import _
from geekagent_tui.rag import limits
from geekagent_tui.rag.errors import SourceError
from geekagent_tui.rag.extract.charset import decode
from geekagent_tui.rag.model import SourceKind
from geekagent_tui.rag.reading import read_file
from geekagent_tui.rag.sources import resolve

MARK = "@"


def listed(typed: Sequence[str], workspace: Path, root: Path | None = None) -> list[str]:
    """Typed words, those of list files in the place of `@FILE`; blocks, so call it in a thread.

    A line is a source as it would be typed, spaces and all; empty lines and those that begin with `#` are
    left out. A file whose own name begins with `@` is meant by `./@name`.

    Args:
        typed: What the user typed. Never a model's words: the lines are shown before anybody agreed.
        workspace: Absolute path of the workspace, where relative paths start, those in the file too.
        root: The folder that the list file must really be in.

    Raises:
        SourceError: A list can't be read, is too long, or holds another list.
    """
    words: list[str] = []
    for word in typed:
        words += _lines(word.removeprefix(MARK), workspace, root) if word.startswith(MARK) else [word]
    return words


def _lines(path: str, workspace: Path, root: Path | None) -> list[str]:
    preview = resolve(path, workspace, root)
    if preview.problem:
        raise SourceError(preview.problem)
    if preview.kind is not SourceKind.FILE:
        raise SourceError(_("列表要是一个文本文件，每行一个来源：{path}").format(path=path))
    text = decode(read_file(preview.sources[0], root).data)
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    if len(lines) > limits.LIST_LINES:
        raise SourceError(_("列表超过 {n} 行，请拆成几份：{path}").format(n=limits.LIST_LINES, path=path))
    if not lines:
        raise SourceError(_("列表里没有来源：{path}").format(path=path))
    for line in lines:
        if line.startswith(MARK):
            raise SourceError(_("列表里不能再有列表：{line}").format(line=line))
    return lines
