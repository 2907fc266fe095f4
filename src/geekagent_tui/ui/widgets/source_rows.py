"""Sources before consent: what each is, and what is known of it without looking."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual.content import Content
from textual.style import Style

from geekagent_tui.i18n import _, ngettext
from geekagent_tui.rag.model import Growth, SourceKind, SourcePreview
from geekagent_tui.ui.text import day_and_time, fit, one_line, size
from geekagent_tui.ui.widgets.row_list import Row
from geekagent_tui.ui.wrapping import wrap

LOOK = "look"
"""Under this name the place that opens a row has the row's key among the metadata of its style."""
_INDENT = 5


class SourceRow(Row):
    """A source: whether it is chosen, its whole spelling, what is known of it without looking.

    Args:
        position: Among the previews.
        preview: What is told, cleaned.
        checked: It will be taken in.
        inside: The beginning of what it holds, when that is shown.
    """

    def __init__(
        self, position: int, preview: SourcePreview, *, checked: bool, inside: Sequence[str] | None = None
    ) -> None:
        super().__init__(None if preview.problem else str(position))
        self._preview = preview
        self._checked = checked
        self._inside = inside
        self._made: tuple[int, list[Content]] = (0, [])

    def height(self, width: int) -> int:
        """The spelling is never cut: it is what the user agrees to."""
        return len(self.lines(width))

    def lines(self, width: int) -> Sequence[Content]:
        """Check box and spelling, then the facts, then what is inside."""
        if self._made[0] != width or not self._made[1]:
            self._made = width, self._lines(width)
        return self._made[1]

    def _lines(self, width: int) -> list[Content]:
        room = max(8, width - _INDENT)
        preview = self._preview
        if preview.problem:
            mark, name = ("✕   ", "$error"), "$muted"
            facts = [Content.styled(line, "$error") for line in _broken(preview.problem, room)]
        else:
            mark = ("[x] ", "$knowledge") if self._checked else ("[ ] ", "$faint")
            name = "$foreground" if self._checked else "$muted"
            facts = [Content.styled(line, "$muted") for line in _packed(_facts(preview), room)]
            if preview.kind is not SourceKind.URL:
                facts = _with_link(facts, self._link(), room)
        first, *rest = _broken(preview.typed, room)
        lines = [Content.assemble(" ", mark, (first, name))]
        lines += [Content.styled(" " * _INDENT + line, name) for line in rest]
        lines += [Content.assemble(" " * _INDENT, line) for line in facts]
        self.lit = len(lines)
        for line in self._inside or ():
            shown = Content.assemble(("│ ", "$hairline"), (line.expandtabs(4), "$muted"))
            lines.append(Content.assemble(" " * _INDENT, fit(shown, room)))
        return lines

    def _link(self) -> Content:
        words = _("看文件") if self._preview.kind is SourceKind.FOLDER else _("看内容")
        arrow = "▸ " if self._inside is None else "▾ "
        return Content.styled(arrow + words, "$knowledge").stylize(Style.from_meta({LOOK: self.key}))


def _with_link(facts: list[Content], link: Content, room: int) -> list[Content]:
    """The link behind the facts, or on a line of its own."""
    if facts[-1].cell_length + 3 + link.cell_length <= room:
        return [*facts[:-1], Content.assemble(facts[-1], "   ", link)]
    return [*facts, link]


def _broken(text: str, room: int) -> list[str]:
    """A text on as many lines as it takes; most take one, and measuring is cheaper than wrapping."""
    text = one_line(text)
    fits = len(text) <= room if text.isascii() else len(text) <= room and cell_len(text) <= room
    return [text] if fits else wrap(text, room) or [""]


def _packed(facts: Sequence[str], room: int) -> list[str]:
    """Facts on as few lines as they take; a line ends between two of them where that can be."""
    lines: list[str] = []
    for fact in facts:
        longer = f"{lines[-1]} · {fact}" if lines else fact
        if lines and (cell_len(longer) <= room or cell_len(fact) > room):
            lines[-1:] = _broken(longer, room)
        else:
            lines += _broken(fact, room)
    return lines


def _facts(preview: SourcePreview) -> list[str]:
    kinds = {SourceKind.URL: _("网页"), SourceKind.FILE: _("文件"), SourceKind.FOLDER: _("文件夹")}
    facts = [kinds[preview.kind]]
    if preview.place not in (".", preview.typed.rstrip("/")):
        facts.append(preview.place)
    if preview.growth is not None:
        facts.append(_growth(preview))
    if preview.kind is SourceKind.FOLDER:
        facts.append(_files(preview))
    if preview.size is not None:
        facts.append(size(preview.size))
    if preview.modified is not None:
        facts.append(day_and_time(preview.modified))
    if not preview.known:
        facts.append(_("新"))
    elif preview.kind is SourceKind.FOLDER and preview.known < len(preview.sources):
        facts.append(_("其中 {n} 个已有").format(n=preview.known))
    else:
        facts.append(_("已有，将检查更新"))
    return [fact for fact in facts if fact]


def _files(preview: SourcePreview) -> str:
    count = len(preview.sources)
    told = ngettext("{n} 个文件", "{n} 个文件", count).format(n=count)
    if preview.skipped:
        reasons = _("，").join(f"{reason} {n}" for reason, n in preview.skipped.items())
        skipped = _("跳过 {n}：{reasons}").format(n=sum(preview.skipped.values()), reasons=reasons)
        told += _("，") + skipped
    return told


def _growth(preview: SourcePreview) -> str:
    n = preview.pages
    if preview.growth is Growth.SITEMAP:
        return ngettext("站点地图，最多 {n} 个网页", "站点地图，最多 {n} 个网页", n).format(n=n)
    return ngettext("沿链接采集同站网页，最多 {n} 个", "沿链接采集同站网页，最多 {n} 个", n).format(n=n)
