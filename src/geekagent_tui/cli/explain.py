"""Why a search's hits stand where they stand, as a table."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from geekagent_tui.i18n import _
from geekagent_tui.rag.model import Hit


def explanation(hits: Sequence[Hit]) -> str:
    """A row for each hit: its score, and what each kind of match adds to it.

    Args:
        hits: From a search that was asked to explain; they come in the order of their places.
    """
    names = _names()
    found = {kind for hit in hits for kind in hit.shares}
    kinds = [kind for kind in names if kind in found] + sorted(found - names.keys())
    rows = [["", _("得分"), *(names.get(kind, kind) for kind in kinds)]]
    for place, hit in enumerate(hits, start=1):
        shares = (f"{hit.shares[kind]:.3f}" if kind in hit.shares else "-" for kind in kinds)
        rows.append([f"{place}.", f"{hit.score:.3f}", *shares])
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(_right, row, widths)) for row in rows)


def _names() -> dict[str, str]:
    return {
        "words": _("词"),
        "unigrams": _("单字"),
        "trigrams": _("字母三元组"),
        "heading": _("小标题"),
        "title": _("标题"),
        "dense": _("向量"),
        "rerank": _("重排"),
    }


def _right(text: str, width: int) -> str:
    return " " * (width - _width(text)) + text


def _width(text: str) -> int:
    """Columns that a terminal takes for a text."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)
