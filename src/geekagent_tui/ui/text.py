"""Setting text in cells: columns, shortening, and numbers as people read them.

Widths are terminal cells, never characters: a Chinese character takes two.
"""

from __future__ import annotations

from datetime import datetime

from rich.cells import cell_len, set_cell_size
from textual.content import Content

from geekagent_tui.i18n import _, ngettext

_KILO = 1000


def one_line(text: str) -> str:
    """Text on one line: every run of white space becomes one space."""
    return " ".join(text.split())


def shorten(text: str, width: int) -> str:
    """The text on one line of at most `width` cells, with an ellipsis where its end is missing."""
    text = one_line(text)
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, width - 1).rstrip() + "…" if width > 0 else ""


def shorten_middle(text: str, width: int) -> str:
    """Like `shorten`, but what is missing is in the middle, as suits paths and URLs."""
    text = one_line(text)
    if cell_len(text) <= width or width < 5:
        return shorten(text, width)
    tail_cells = (width - 1) // 2
    head = set_cell_size(text, width - 1 - tail_cells).rstrip()
    return f"{head}…{_tail(text, tail_cells)}"


def shorten_start(text: str, width: int) -> str:
    """Like `shorten`, but what is missing is the beginning, as where only the end tells texts apart."""
    text = one_line(text)
    if cell_len(text) <= width or width < 2:
        return shorten(text, width)
    return "…" + _tail(text, width - 1).lstrip()


def _tail(text: str, width: int) -> str:
    """The end of a text, at most `width` cells."""
    tail = ""
    for character in reversed(text):
        if cell_len(character + tail) > width:
            break
        tail = character + tail
    return tail


def fit(content: Content, width: int) -> Content:
    """One line of at most `width` cells, with an ellipsis where its end is missing."""
    if content.cell_length <= width:
        return content
    return content.truncate(width - 1).rstrip().append("…") if width > 0 else Content("")


def columns(left: Content, right: Content, width: int, *, gap: int = 2) -> Content:
    """One line: `left` shortened where it must be, `right` flush with the edge."""
    room = width - right.cell_length - gap
    if room < 4:
        return fit(left, width)
    left = fit(left, room)
    return Content.assemble(left, " " * (width - left.cell_length - right.cell_length), right)


def cell(text: str, width: int, *, right: bool = False) -> str:
    """Text as a table cell of exactly `width` cells."""
    text = shorten(text, width)
    space = " " * (width - cell_len(text))
    return space + text if right else text + space


def compact(number: int) -> str:
    """A count in at most five cells: 886, 1.0k, 64k, 1.2M."""
    if number < _KILO:
        return str(number)
    for unit, size in (("k", _KILO), ("M", _KILO**2), ("G", _KILO**3)):
        value = number / size
        if value < 9.95:
            return f"{value:.1f}{unit}"
        if value < 999.5:
            return f"{value:.0f}{unit}"
    return f"{number / _KILO**3:.0f}G"


def size(octets: int) -> str:
    """A file's size: 512 B, 4.1 kB."""
    return f"{octets} B" if octets < _KILO else f"{compact(octets).replace('k', ' k').replace('M', ' M')}B"


def duration(seconds: float) -> str:
    """How long something took: 3 ms, 4.2 s, 2:05."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def clock(moment: datetime) -> str:
    """The local time of day."""
    return moment.astimezone().strftime("%H:%M:%S")


def day_and_time(moment: datetime) -> str:
    """The local date and time, the year only when it isn't this one."""
    local = moment.astimezone()
    this_year = local.year == datetime.now().astimezone().year
    return local.strftime("%m-%d %H:%M" if this_year else "%Y-%m-%d %H:%M")


def day(moment: datetime) -> str:
    """The local date, the year only when it isn't this one."""
    return day_and_time(moment).rpartition(" ")[0]


def documents(n: int) -> str:
    """So many documents."""
    return ngettext("{n} 文档", "{n} 文档", n).format(n=n)


def passages(n: int) -> str:
    """So many passages."""
    return ngettext("{n} 段", "{n} 段", n).format(n=n)


def passage_name(title: str, number: int, page: int = 0) -> str:
    """A passage as it is cited, with its page when it has one."""
    return _("《{title}》第 {n} 段").format(title=title, n=number) + page_note(page)


def page_note(page: int) -> str:
    """The page of a passage behind its name; "" for none."""
    return _("（第 {n} 页）").format(n=page) if page else ""
