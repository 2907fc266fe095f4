"""Jupyter notebooks: text cells as they are, code in fences, what it printed below (nbformat 3 and 4)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from geekagent_tui.rag.extract.markdown import extract_markdown
from geekagent_tui.rag.extract.writer import Writer

_OUTPUT = 2_000
"""Most characters that are kept of one cell's output."""
_TERMINAL = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def extract_notebook(text: str) -> tuple[str, str]:
    """Title (metadata, else the first heading, else empty) and text; no notebook at all stays as it is.

    Pictures and HTML in outputs are left out.

    Raises:
        TooLargeError: It holds more than the limit.
    """
    try:
        book = json.loads(text)
    except ValueError:
        return "", text
    cells = list(_cells(book))
    if not cells:
        return "", "" if isinstance(book, dict) and "nbformat" in book else text
    out = Writer()
    metadata = _dict(book.get("metadata"))
    language = _language(metadata)
    for cell in cells:
        _write(cell, language, out)
    title = metadata.get("title")
    text = out.text()
    return title if isinstance(title, str) and title.strip() else extract_markdown(text)[0], text


def _cells(book: object) -> Iterator[dict[str, Any]]:
    if isinstance(book, dict):
        worksheets = book.get("worksheets")  # of format 3
        for sheet in (book, *(worksheets if isinstance(worksheets, list) else ())):
            cells = _dict(sheet).get("cells")
            yield from (cell for cell in (cells if isinstance(cells, list) else ()) if isinstance(cell, dict))


def _write(cell: dict[str, Any], language: str, out: Writer) -> None:
    kind = _text(cell.get("cell_type"))
    source = _text(cell.get("source", cell.get("input")))
    if kind in {"markdown", "raw"}:
        out.block(source.strip("\n"))
    elif kind == "heading":
        out.heading(cell["level"] if isinstance(cell.get("level"), int) else 1, source)
    elif kind == "code":
        out.code(source, language)
        outputs = cell.get("outputs")
        printed = "".join(map(_printed, outputs if isinstance(outputs, list) else ()))
        shown = _TERMINAL.sub("", printed)
        out.code(f"{shown[:_OUTPUT]}…" if len(shown) > _OUTPUT else shown, "text")


def _printed(output: object) -> str:
    """What an output says as plain text."""
    output = _dict(output)
    kind = _text(output.get("output_type"))
    if kind == "stream":
        return _text(output.get("text"))
    if kind in {"execute_result", "display_data", "pyout"}:
        data = _dict(output.get("data"))
        text = _text(data.get("text/plain", output.get("text")))
        is_picture = any(key.startswith("image/") for key in data)  # the text is its Python name
        return "" if is_picture or not text else f"{text}\n"
    if kind in {"error", "pyerr"}:
        return f"{_text(output.get('ename'))}: {_text(output.get('evalue'))}\n"
    return ""


def _language(metadata: dict[str, Any]) -> str:
    for holder, key in (("kernelspec", "language"), ("language_info", "name")):
        name = _dict(metadata.get(holder)).get(key)
        if isinstance(name, str) and name:
            return name.lower()
    return "python"


def _text(value: object) -> str:
    """Text, which notebooks hold whole or as a list of lines."""
    if isinstance(value, list):
        return "".join(part for part in value if isinstance(part, str))
    return value if isinstance(value, str) else ""


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
