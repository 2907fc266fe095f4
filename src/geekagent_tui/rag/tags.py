"""What a tag may be called, which names are one tag, and the tags of one document."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING
from unicodedata import normalize

from geekagent_tui.i18n import _
from geekagent_tui.rag.errors import TagError
from geekagent_tui.sanitize import clean, clean_line

if TYPE_CHECKING:
    import sqlite3

LONGEST = 64
"""Characters of a tag."""
_QUOTED = 12
"""Characters of one that is too long, in the sentence that says so."""
_SIGNS = re.compile(r"[#＃\s]*")
_COMMAS = re.compile("[,，、]")


def bare(typed: str) -> str:
    """The name in a tag as it is typed: without `#` before it and white space around it, in Unicode's NFC."""
    return _SIGNS.sub("", normalize("NFC", typed), count=1).strip()


def split_tags(typed: str) -> tuple[str, ...]:
    """The names in a line of tags with commas, Chinese ones too, between them; each once, in their order."""
    names = (bare(" ".join(word.split())) for word in _COMMAS.split(typed))
    found: dict[str, str] = {}
    for name in filter(None, names):
        found.setdefault(same_as(name), name)
    return tuple(found.values())


def clean_tag(typed: str) -> str:
    """A tag as it is kept: in Unicode's form NFC, without `#` before it and white space around it.

    Raises:
        TagError: It is empty, too long, or has a comma or a character that can't be shown.
    """
    name = bare(typed)
    if not name:
        raise TagError(_("标签是空的，请写一个名称"))
    if len(name) > LONGEST:
        raise TagError(
            _("标签「{tag}…」超过 {limit} 个字符，请写短一些").format(
                tag=clean_line(name[:_QUOTED]), limit=LONGEST
            )
        )
    if _COMMAS.search(name):
        raise TagError(_("标签「{tag}」里不能有逗号，多个标签请分开写").format(tag=clean_line(name)))
    if clean(name) != name or "\n" in name or "\t" in name:
        raise TagError(_("标签「{tag}」里有不能使用的字符，请去掉").format(tag=clean_line(name)))
    return name


def clean_tags(typed: Iterable[str]) -> tuple[str, ...]:
    """Several tags, each once, in their order.

    Raises:
        TagError: One of them can't be one.
    """
    names: dict[str, str] = {}
    for each in typed:
        name = clean_tag(each)
        names.setdefault(same_as(name), name)
    return tuple(names.values())


def same_as(tag: str) -> str:
    """What is equal for names that are one tag: they differ in upper and lower case at most."""
    return normalize("NFC", normalize("NFC", tag).casefold())


def in_order(tags: Iterable[str]) -> tuple[str, ...]:
    """Tags in the order of their names, whatever their case."""
    return tuple(sorted(tags, key=lambda tag: (same_as(tag), tag)))


def put(connection: sqlite3.Connection, document_id: int, tags: Iterable[str]) -> bool:
    """Give a document the tags that it does not have; inside a transaction.

    Returns:
        Whether there were any.
    """
    known = connection.execute("SELECT tag FROM tags WHERE document_id = ?", (document_id,))
    has = {same_as(row[0]) for row in known}
    lacking = [tag for tag in tags if same_as(tag) not in has]
    connection.executemany("INSERT INTO tags VALUES (?, ?)", [(document_id, tag) for tag in lacking])
    return bool(lacking)
