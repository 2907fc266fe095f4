"""What the document view is made of: the heading, the outline of passages, where it was cited."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from textual.app import ComposeResult
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from geekagent_tui.i18n import _, ngettext
from geekagent_tui.rag.model import Document, Passage
from geekagent_tui.ui import ev
from geekagent_tui.ui.panels.follower import Follower
from geekagent_tui.ui.panels.knowledge_documents import badge_glyph, badge_word
from geekagent_tui.ui.snippets import without_headings
from geekagent_tui.ui.text import columns, day, day_and_time, fit, one_line, passages, shorten, shorten_middle
from geekagent_tui.ui.widgets.row_list import Row

_ROOMY = 32
"""Cells of a row from which on there is room for more than the words."""
_DEEPEST = 4
"""Levels that are set in; deeper ones stand under each other."""


class PassageRow(Row):
    """A passage: its number, its first words, its page.

    Args:
        level: How deep its headings are.
        cited: Whether an answer cites it.
    """

    def __init__(self, passage: Passage, level: int, *, cited: bool) -> None:
        super().__init__(str(passage.number))
        self._passage, self._level, self._cited = passage, level, cited

    def lines(self, width: int) -> Sequence[Content]:
        """One line."""
        passage = self._passage
        number = Content.styled(_("第 {n} 段").format(n=passage.number), "$knowledge")
        words = one_line(without_headings(passage.text[:200]) or passage.text[:80])
        page = _("{n} 页").format(n=passage.page) if passage.page and width >= _ROOMY else ""
        right = Content.assemble(
            (" ❝" if self._cited else "", "$user"), (f" {page}" if page else "", "$faint")
        )
        left = Content.assemble(_indent(self._level, width), number, "  ", (words, "$muted"))
        return [columns(left, right, width, gap=0) if right else fit(left, width)]


class HeadingRow(Row):
    """A heading above passages."""

    def __init__(self, text: str, level: int) -> None:
        super().__init__(None)
        self._text, self._level = text, level

    def lines(self, width: int) -> Sequence[Content]:
        """One line."""
        return [
            fit(
                Content.assemble(_indent(self._level, width), (one_line(self._text), "bold $foreground")),
                width,
            )
        ]


def _indent(level: int, width: int) -> str:
    return ("  " if width >= _ROOMY else " ") * min(level, _DEEPEST)


def outline(parts: Sequence[Passage], cited: Collection[int]) -> Iterator[Row]:
    """The passages under their headings.

    Args:
        parts: In order.
        cited: Numbers of those that answers cite.
    """
    above: list[str] = []
    for passage in parts:
        path = passage.heading.split(" › ") if passage.heading else []
        same = 0
        while same < min(len(above), len(path)) and above[same] == path[same]:
            same += 1
        for level in range(same, len(path)):
            yield HeadingRow(path[level], level)
        above = path
        yield PassageRow(passage, len(path), cited=passage.number in cited)


class CitedRow(Row):
    """An answer that cites the document.

    Args:
        place: Names it among them.
        here: It is in the present session.
    """

    def __init__(self, place: int, cited: ev.Cited, *, here: bool) -> None:
        super().__init__(str(place))
        self._cited, self._here = cited, here

    def height(self, width: int) -> int:
        """Where and when; the question."""
        return 2

    def lines(self, width: int) -> Sequence[Content]:
        """Two lines."""
        cited = self._cited
        passage = Content.styled(_("第 {n} 段").format(n=cited.passage), "$knowledge")
        when = day_and_time(cited.at) if width >= _ROOMY else day(cited.at)
        room = width - passage.cell_length - len(when) - 4
        where = _("本会话") if self._here else one_line(cited.session_title)
        left = Content.assemble((when, "$muted"), "  ", (shorten(where, max(4, room)), "$foreground"))
        return [
            columns(left, passage, width, gap=1),
            fit(Content.assemble("  ", (one_line(cited.question), "$muted")), width),
        ]


class Heading(Static):
    """Title, badge and tags, source; figures and times on the right; what is wrong."""

    def __init__(self) -> None:
        super().__init__(id="heading")
        self._document: Document | None = None
        self._gone = False

    def show(self, document: Document, *, gone: bool = False) -> None:
        """Show a document's figures; one that is gone says so."""
        self._document, self._gone = document, gone
        self.refresh(layout=True)

    def render(self) -> Content:
        """Two lines, three when something is wrong."""
        if self._document is None:
            return Content.styled(_("读取中…"), "$muted")
        document, width = self._document, self.content_size.width
        lines = [self._first(document, width), self._second(document, width)]
        if self._gone:
            lines.append(Content.styled(" " + _("已从知识库移除 · z 撤销"), "$warning"))
        elif document.problem:
            lines.append(fit(Content.styled(" ✕ " + one_line(document.problem), "$error"), width))
        return Content("\n").join(lines)

    def _first(self, document: Document, width: int) -> Content:
        figures = ngettext("{n} 字", "{n} 字", document.characters).format(n=document.characters)
        right = Content.styled(f"{figures} · {passages(document.passages)}", "$muted")
        glyph, style = badge_glyph(document.badge)
        aside = Content("")
        if document.badge is not None:
            aside = Content.styled(f" {glyph} {badge_word(document.badge)}", style)
        tags = " ".join(f"#{one_line(tag)}" for tag in document.tags)
        room = width - right.cell_length - aside.cell_length - 2
        if tags:
            aside = Content.assemble(aside, " ", (shorten(tags, max(6, room // 3)), "$muted"))
        title = _("《{title}》").format(title=one_line(document.title))
        title = shorten(title, max(6, width - right.cell_length - aside.cell_length - 2))
        return columns(Content.assemble((title, "bold"), aside), right, width)

    def _second(self, document: Document, width: int) -> Content:
        times = _("加入 {when}").format(when=day_and_time(document.added_at))
        if document.checked_at is not None:
            times += " · " + _("核对 {day}").format(day=day(document.checked_at))
        right = Content.styled(times, "$muted")
        source = shorten_middle(document.source, max(10, width - right.cell_length - 3))
        return columns(Content.styled(" " + source, "$knowledge"), right, width)


class DocumentWatch(Follower):
    """Not seen itself: tells the view that the knowledge base has changed."""

    class Changed(Message):
        """It has."""

    def compose(self) -> ComposeResult:
        """Nothing."""
        yield from ()

    async def take(self, event: ev.Event) -> None:
        """Tell."""
        if isinstance(event, ev.KnowledgeChanged):
            self.post_message(self.Changed())
