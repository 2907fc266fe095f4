"""What the filter of the knowledge panel says: words to look for, and documents to look in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from fnmatch import fnmatchcase
from urllib.parse import urlsplit

from geekagent_tui.agent.typed import split_tags
from geekagent_tui.i18n import _, ngettext
from geekagent_tui.rag.kinds import ending, endings
from geekagent_tui.rag.model import Document, Selection, SourceKind
from geekagent_tui.ui.text import one_line

_TOKEN = re.compile(r'(?:[^\s"]|"[^"]*"?)+')
_PART = re.compile(r"([^\W\d_]+)[:：](.*)", re.DOTALL)
_AGE = re.compile(r"(\d{1,4})([hdwmy]|小时|天|周|月|年)", re.IGNORECASE)
_HOURS = {"h": 1, "d": 24, "w": 7 * 24, "m": 30 * 24, "y": 365 * 24}
_HOURS |= {"小时": 1, "天": 24, "周": 7 * 24, "月": 30 * 24, "年": 365 * 24}
_NAMES = {"tag": "tag", "标签": "tag", "kind": "kind", "type": "kind", "类型": "kind"}
_NAMES |= {"host": "host", "site": "host", "网站": "host", "source": "source", "来源": "source"}
_NAMES |= {"since": "since", "自": "since", "until": "until", "至": "until"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """A filter as it was understood.

    Attributes:
        text: The words that are left, in order: looked for in titles, sources, tags and passages.
        selection: What the `#tag`, `kind:`, `host:`, `source:`, `since:` and `until:` parts limit it to.
        wrong: Parts whose value makes no sense.
    """

    text: str = ""
    selection: Selection = field(default_factory=Selection)
    wrong: tuple[str, ...] = ()


def parse(typed: str, now: datetime, *, tags: Iterable[str] = (), hosts: Iterable[str] = ()) -> Wanted:
    """Understand a filter; whatever is typed means something.

    Args:
        typed: As in the box. A value with spaces stands in quotation marks; several stand between commas.
        now: What ages such as `7d` are counted from, with a time zone: that of dates.
        tags: Those that exist: a tag that is begun means all of them that begin so.
        hosts: Those that exist: a part of one means all that hold it.
    """
    tags, hosts = tuple(tags), tuple(hosts)
    words: list[str] = []
    wrong: list[str] = []
    found: dict[str, list[str]] = {name: [] for name in ("tag", "kind", "source")}
    times: dict[str, datetime] = {}
    for token in _TOKEN.findall(typed):
        name, value = _part(token)
        values = [v.strip() for v in value.split(",") if v.strip()]
        match name:
            case "":
                words.append(value)
            case "tag":
                for given in split_tags(value):
                    found["tag"] += _that(given, tags, lambda tag, begun: tag.startswith(begun))
            case "host":
                for given in values:
                    found["source"] += _that(given, hosts, lambda host, part: part in host)
            case "since" | "until":
                moment = _moment(value, now) if value else None
                if moment is not None:
                    times[name] = moment
                elif value:
                    wrong.append(token)
            case _:
                found[name] += [v.casefold() for v in values] if name == "kind" else values
    selection = Selection(
        tags=tuple(dict.fromkeys(found["tag"])),
        sources=tuple(dict.fromkeys(found["source"])),
        kinds=tuple(dict.fromkeys(found["kind"])),
        since=times.get("since"),
        until=times.get("until"),
    )
    return Wanted(" ".join(words), selection, tuple(wrong))


def _part(token: str) -> tuple[str, str]:
    """Which part of a selection a token is, and its value; no name for a word."""
    if token[0] in "#＃":
        return "tag", token[1:].replace('"', "")
    if (match := _PART.fullmatch(token)) and match[1].casefold() in _NAMES:
        return _NAMES[match[1].casefold()], match[2].replace('"', "")
    return "", token.replace('"', "")


def _that(given: str, known: Iterable[str], fits: Callable[[str, str], bool]) -> list[str]:
    """The known names that a given one means: itself, else those it fits, else just what was given."""
    folded = given.casefold()
    names = {name.casefold(): name for name in known}
    if folded in names:
        return [names[folded]]
    return sorted(name for fold, name in names.items() if fits(fold, folded)) or [given]


def _moment(value: str, now: datetime) -> datetime | None:
    """An age or a date as a point in time: a date begins at midnight."""
    if match := _AGE.fullmatch(value):
        return now - timedelta(hours=int(match[1]) * _HOURS[match[2].casefold()])
    if value.casefold() in ("today", "今天"):
        return datetime.combine(now.date(), time(), now.tzinfo)
    try:
        return datetime.combine(date.fromisoformat(value), time(), now.tzinfo)
    except ValueError:
        return None


def format_of(document: Document) -> str:
    """What a document's source ends in; "" for a file's name without an ending."""
    return ending(document.source, document.kind)


def host_of(document: Document) -> str:
    """The host of a page, with its port; "" of a file."""
    return urlsplit(document.source).netloc if document.kind is SourceKind.URL else ""


def chooser(selection: Selection) -> Callable[[Document], bool]:
    """Whether a document is one of those that a selection means (`rag.model.Selection`)."""
    ids = frozenset(selection.documents)
    tags = {tag.casefold() for tag in selection.tags}
    kinds, endings_ = endings(selection.kinds)

    def chosen(document: Document) -> bool:
        if ids and document.id not in ids:
            return False
        if tags and not any(tag.casefold() in tags for tag in document.tags):
            return False
        if selection.kinds and document.kind not in kinds and format_of(document) not in endings_:
            return False
        if selection.sources and not any(_is_in(document, source) for source in selection.sources):
            return False
        if selection.since and max(document.added_at, document.updated_at) < selection.since:
            return False
        return not selection.until or min(document.added_at, document.updated_at) < selection.until

    return chosen


def _is_in(document: Document, wanted: str) -> bool:
    source = document.source
    if document.kind is SourceKind.URL:
        parts = urlsplit(source)
        host, given = parts.hostname or "", wanted.casefold().removeprefix("www.")
        if given in (parts.netloc.casefold().removeprefix("www."), host) or host.endswith("." + given):
            return True
    folder = wanted.removeprefix("./").rstrip("/")
    return folder == source.rstrip("/") or source.startswith(folder + "/") or fnmatchcase(source, wanted)


def chips(selection: Selection) -> list[str]:
    """A selection in words, a few for each of its parts."""
    told = []
    if selection.tags:
        told.append(_("标签 {names}").format(names=_joined(selection.tags)))
    if selection.kinds:
        told.append(_("类型 {names}").format(names=_joined(selection.kinds)))
    if selection.sources:
        told.append(_("来源 {names}").format(names=_joined(selection.sources)))
    if selection.since is not None:
        told.append(_("{day} 起").format(day=selection.since.astimezone().strftime("%Y-%m-%d")))
    if selection.until is not None:
        told.append(_("{day} 前").format(day=selection.until.astimezone().strftime("%Y-%m-%d")))
    if n := len(selection.documents):
        told.append(ngettext("{n} 个文档", "{n} 个文档", n).format(n=n))
    return told


def _joined(names: tuple[str, ...]) -> str:
    shown = _("、").join(one_line(name) for name in names[:3])
    return shown + ("…" if len(names) > 3 else "")
