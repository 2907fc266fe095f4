"""What a limited search is called: selections as they are typed, and in words."""

from __future__ import annotations

from collections.abc import Sequence

from geekagent_tui.i18n import _, ngettext
from geekagent_tui.rag.model import Document, NoHits, SearchResult, Selection
from geekagent_tui.rag.tags import bare
from geekagent_tui.rag.wording import search_text
from geekagent_tui.sanitize import clean_line

_SIGNS = ("#", "＃")

NAMES = 3
"""Names of one kind in a label; of more only their number is told."""

NAME_LENGTH = 40
"""Characters of one of them."""


def selection_of(words: Sequence[str]) -> Selection:
    """What typed words choose: `#tag` a tag, anything else a source, pattern, folder or host."""
    tags = tuple(bare(word) for word in words if word.startswith(_SIGNS))
    return Selection(tags=tags, sources=tuple(word for word in words if not word.startswith(_SIGNS)))


def scoped(result: SearchResult, within: Selection | None) -> str:
    """What a search answers, with a line for each reason why it may not be all that there is."""
    lines = [search_text(result)]
    if result.none is not NoHits.EMPTY_BASE:
        if result.note:
            lines.append(_("（{note}）").format(note=result.note))
        if within is not None:
            lines.append(limited())
    return "\n".join(lines)


def limited() -> str:
    """The line that says that not everything was searched."""
    return _("（只在选定的文档里检索）")


def label(selection: Selection, found: Sequence[Document]) -> str:
    """A selection in a few words.

    Args:
        selection: The selection.
        found: The documents that it means, as far as they are known.
    """
    parts: list[str] = []
    if selection.tags:
        parts.append(_("标签 {names}").format(names=_names(selection.tags)))
    if selection.documents:
        parts.append(_documents(selection, found))
    if selection.sources:
        parts.append(_names(selection.sources))
    if selection.kinds:
        parts.append(_("类型 {names}").format(names=_names(selection.kinds)))
    if selection.since is not None:
        parts.append(_("{date} 起").format(date=f"{selection.since.astimezone():%Y-%m-%d}"))
    if selection.until is not None:
        parts.append(_("{date} 前").format(date=f"{selection.until.astimezone():%Y-%m-%d}"))
    return _("，").join(parts)


def _documents(selection: Selection, found: Sequence[Document]) -> str:
    count = len(selection.documents)
    if count == 1:
        for document in found:
            if document.id == selection.documents[0]:
                return _("《{title}》").format(title=_short(document.title))
    return ngettext("{n} 个文档", "{n} 个文档", count).format(n=count)


def _names(names: Sequence[str]) -> str:
    listed = _("、").join(_short(name) for name in names[:NAMES])
    if len(names) <= NAMES:
        return listed
    return _("{names} 等 {n} 个").format(names=listed, n=len(names))


def _short(name: str) -> str:
    line = clean_line(name)
    return line if len(line) <= NAME_LENGTH else line[: NAME_LENGTH - 1] + "…"
