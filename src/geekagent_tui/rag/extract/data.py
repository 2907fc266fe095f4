"""JSON and tables of values: lines that can be read and found, paths and columns' names included."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator

from geekagent_tui.i18n import _
from geekagent_tui.rag.extract.inline import plain
from geekagent_tui.rag.extract.tables import write_data
from geekagent_tui.rag.extract.writer import Writer
from geekagent_tui.rag.failures import failed

_DELIMITERS = ",;\t|"
_SAMPLE = 20  # lines looked at to find the delimiter
_DEEPEST = 100
_SHORT = 60  # characters of a value that may stand on a line with others
_TITLES = ("title", "name", "标题", "名称")


def extract_json(text: str) -> tuple[str, str]:
    """The title that the outermost object has (may be empty), and a line `path.to[0].key: value` a value.

    What is no JSON after all stays as it is. Each object in a list is a block of its own.

    Raises:
        SourceError: It nests too deep.
        TooLargeError: With its paths it is larger than the limit.
    """
    try:
        value = json.loads(text)
    except ValueError:  # comments, trailing commas, a number of 5000 digits
        return "", text
    return _title(value), _lines(value)


def extract_json_lines(text: str) -> tuple[str, str]:
    """One block a line; what is no JSON after all stays as it is.

    Raises:
        SourceError: It nests too deep.
        TooLargeError: As `extract_json`.
    """
    try:
        values = [json.loads(line) for line in text.splitlines() if line.strip()]
    except ValueError:
        return "", text
    return "", _lines(values)


def extract_csv(text: str) -> tuple[str, str]:
    """No title, and the rows of a table whose delimiter is guessed; what is no table stays as it is.

    Raises:
        TooLargeError: With its columns' names it is larger than the limit.
    """
    delimiter = _delimiter(text)
    if not delimiter:
        return "", text
    out = Writer()
    try:
        write_data(out, csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error:  # a field of more than 128 KiB: a quote that never ends
        return "", text
    return "", out.text()


def _delimiter(text: str) -> str:
    """The sign that divides all of the first lines into equally many cells; empty when none does."""
    sample = text[:65_536].splitlines(keepends=True)[:_SAMPLE]
    best, most = "", 1
    for delimiter in _DELIMITERS:
        try:
            widths = [len(row) for row in csv.reader(sample, delimiter=delimiter) if row]
        except csv.Error:
            continue
        # The last row may be cut by the sample's end
        common = min(widths[:-1] or widths, default=0)
        if common > most:
            best, most = delimiter, common
    return best


def _title(value: object) -> str:
    if isinstance(value, dict):
        for key in _TITLES:
            if isinstance(title := value.get(key), str) and title.strip():
                return title
    return ""


def _lines(value: object) -> str:
    out = Writer()
    block: list[str] = []
    size = 0
    for line in _walk(value, "", 0):
        if line:
            block.append(line)
            size += len(line) + 1
        if not line or out.size + size > out.most:
            out.block("\n".join(block))
            block, size = [], 0
    out.block("\n".join(block))
    return out.text()


def _walk(value: object, path: str, depth: int) -> Iterator[str]:
    """The lines of a value; an empty one ends a block."""
    if depth > _DEEPEST:
        raise failed(_("内容嵌套太深，无法解析"))
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _walk(each, f"{path}.{_key(key)}" if path else _key(key), depth + 1)
            if depth == 0 and isinstance(each, dict | list):
                yield ""
    elif isinstance(value, list) and not all(map(_is_short, value)):
        for number, each in enumerate(value):
            yield from _walk(each, f"{path}[{number}]", depth + 1)
            if isinstance(each, dict | list):
                yield ""
    elif isinstance(value, list):
        if value:
            yield _line(path, ", ".join(map(_shown, value)))
    else:
        yield _line(path, _shown(value))


def _line(path: str, text: str) -> str:
    return plain(f"{path}: {text}" if path else text)


def _key(key: str) -> str:
    return " ".join(key.split()) or '""'


def _is_short(value: object) -> bool:
    return not isinstance(value, dict | list) and len(_shown(value)) <= _SHORT


def _shown(value: object) -> str:
    r"""A value as JSON writes it, but for text; empty lines in it would end its block."""
    if isinstance(value, str):
        return "\n".join(line for line in value.strip().splitlines() if line.strip())
    return json.dumps(value)
