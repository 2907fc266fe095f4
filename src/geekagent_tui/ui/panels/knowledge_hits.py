"""The knowledge panel's rows of passages that a search found."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rich.cells import cell_len
from textual.content import Content

from geekagent_tui.i18n import _, ngettext
from geekagent_tui.rag.model import Hit, NoHits, SearchResult
from geekagent_tui.ui.panels.knowledge_documents import NoteRow
from geekagent_tui.ui.snippets import pattern, piece, spans, without_headings
from geekagent_tui.ui.text import columns, duration, fit, one_line, shorten
from geekagent_tui.ui.widgets.row_list import Row
from geekagent_tui.ui.wrapping import wrap

_LINES = 2
"""Lines of a passage that are shown."""


class NoticeRow(Row):
    """A sentence between rows, as many lines as it takes; the cursor passes by."""

    def __init__(self, text: str, *, style: str) -> None:
        super().__init__(None)
        self._text, self._style = one_line(text), style

    def height(self, width: int) -> int:
        """Its lines."""
        return len(self.lines(width))

    def lines(self, width: int) -> Sequence[Content]:
        """The sentence, set in a little."""
        return [
            fit(Content.styled("  " + line, self._style), width)
            for line in wrap(self._text, max(8, width - 2))
        ]


class HitRow(Row):
    """Neighbouring passages of a document that were found; it opens at the best of them.

    Args:
        hits: In the order of their places.
        found: What to light up.
        explained: Whether the score's shares are told.
    """

    def __init__(self, hits: Sequence[Hit], found: re.Pattern[str] | None, *, explained: bool) -> None:
        self._best = max(hits, key=lambda hit: hit.score)
        super().__init__(f"hit:{self._best.id}:{self._best.passage}")
        self._hits = hits
        self._found = found
        self._explained = explained
        self._drawn: tuple[int, list[Content]] = (0, [])

    def height(self, width: int) -> int:
        """A head, perhaps a heading, the passage, perhaps the shares."""
        return len(self.lines(width))

    def lines(self, width: int) -> Sequence[Content]:
        """Title and place; headings; the words around what was found."""
        if self._drawn[0] != width:
            best = self._best
            lines = [self._head(width)]
            if best.heading and one_line(best.heading) != one_line(best.title):
                heading = self._lit(one_line(best.heading), "$muted")
                lines.append(fit(Content.assemble("  ", heading), width))
            room = max(8, width - 2)
            text = piece(without_headings(best.text) or best.text, self._found, room * _LINES * 2 // 3)
            lines += [
                fit(Content.assemble("  ", self._lit(line, "$foreground")), width)
                for line in wrap(text, room)[:_LINES]
            ]
            if self._explained:
                lines += self._why(width)
            self._drawn = width, lines
        return self._drawn[1]

    def _head(self, width: int) -> Content:
        first, last = self._hits[0], self._hits[-1]
        if first is last:
            place = _("第 {n} 段").format(n=first.passage)
        else:
            place = _("第 {first}–{last} 段").format(first=first.passage, last=last.passage)
        if self._best.page:
            place += " · " + _("第 {n} 页").format(n=self._best.page)
        right = Content.styled(place, "$muted")
        title = shorten(self._best.title, max(4, width - right.cell_length - 1))
        return columns(self._lit(title, "$knowledge"), right, width, gap=1)

    def _lit(self, text: str, style: str) -> Content:
        content = Content.styled(text, style)
        for start, end in spans(text, self._found):
            content = content.stylize("bold $user", start, end)
        return content

    def _why(self, width: int) -> list[Content]:
        shares = sorted(self._best.shares.items(), key=lambda share: -share[1])
        told = [_("得分 {score:.2f}").format(score=self._best.score)]
        told += [f"{share_word(name)} {share:.2f}" for name, share in shares]
        lines = [told[0]]
        for part in told[1:]:
            longer = f"{lines[-1]} · {part}"
            if cell_len(longer) <= width - 2:
                lines[-1] = longer
            else:
                lines.append(part)
        return [fit(Content.assemble("  ", (line, "$faint")), width) for line in lines]


def share_word(name: str) -> str:
    """What a part of a score comes from."""
    return {
        "words": _("正文"),
        "unigrams": _("单字"),
        "trigrams": _("片段"),
        "heading": _("小标题"),
        "title": _("标题"),
        "dense": _("语义"),
        "rerank": _("重排"),
    }.get(name, one_line(name))


def hit_rows(result: SearchResult, *, explained: bool) -> list[Row]:
    """The rows of a search's result, with a head."""
    count = ngettext("{n} 段", "{n} 段", len(result.hits)).format(n=len(result.hits))
    time = duration(result.milliseconds / 1000)
    rows: list[Row] = [
        NoteRow(""),
        NoteRow(_("段落"), f"{count} · {time}" if result.hits else "", style="$muted"),
    ]
    if result.note:
        rows.append(NoticeRow(result.note, style="$warning"))
    if not result.hits:
        rows.append(NoteRow("  " + _nothing(result.none)))
    found = pattern(result.query)
    return rows + [HitRow(hits, found, explained=explained) for hits in neighbours(result.hits)]


def neighbours(hits: Sequence[Hit]) -> list[list[Hit]]:
    """Hits whose passages stand side by side, together, each by place; groups by their first hit's rank."""
    groups: list[list[Hit]] = []
    for hit in hits:
        beside = [
            g for g in groups if g[0].id == hit.id and any(abs(h.passage - hit.passage) == 1 for h in g)
        ]
        if not beside:
            groups.append([hit])
            continue
        into, *others = beside
        into.append(hit)
        for other in others:
            into.extend(other)
            groups.remove(other)
    return [sorted(group, key=lambda hit: hit.passage) for group in groups]


def _nothing(reason: NoHits | None) -> str:
    match reason:
        case NoHits.NOT_SELECTED:
            return _("没有符合条件的文档")
        case NoHits.NO_TERMS:
            return _("没有可查的词")
        case _:
            return _("没有段落说到这些")
