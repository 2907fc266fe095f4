"""The top line: where one is, and the figures."""

from __future__ import annotations

from textual.content import Content

from geekagent_tui.i18n import _
from geekagent_tui.rag.model import DenseStatus, Stats
from geekagent_tui.ui import ev
from geekagent_tui.ui.panels.follower import Follower
from geekagent_tui.ui.text import compact, documents, one_line, passages, shorten

_WIDE = 100


class StatusLine(Follower):
    """Workspace on the left; model, session, context, knowledge base and memory on the right."""

    def __init__(self, workspace: str) -> None:
        super().__init__()
        self._workspace = workspace
        self._status: ev.Status | None = None
        self._stats: Stats | None = None

    async def take(self, event: ev.Event) -> None:
        """Keep the figures."""
        match event:
            case ev.Snapshot():
                self._status, self._stats = event.status, event.stats
            case ev.StatusChanged():
                self._status = event.status
            case ev.KnowledgeChanged():
                self._stats = event.stats
            case _:
                return
        self.refresh()

    def render(self) -> Content:
        """Both ends; what doesn't fit is left out from the least important on."""
        width = self.content_size.width
        name = Content.assemble(("GeekAgent", "bold $knowledge"))
        right = self._figures(width)
        room = width - right.cell_length - name.cell_length - 5
        if room >= 6:
            name = Content.assemble(name, "   ", (shorten(self._workspace, room), "$foreground"))
        gap = max(1, width - name.cell_length - right.cell_length)
        return Content.assemble(name, " " * gap, right)

    def _figures(self, width: int) -> Content:
        separator = Content.styled(" · ", "$faint")
        if self._status is None:
            return Content.styled(_("正在打开…"), "$muted")
        parts = [(rank, part) for rank, part in self._parts(self._status, wide=width >= _WIDE)]
        for lowest in range(5, 0, -1):
            line = separator.join([part for _rank, part in parts])
            if line.cell_length <= width - 12:
                return line
            parts = [(rank, part) for rank, part in parts if rank < lowest]
        return separator.join([part for _rank, part in parts])

    def _parts(self, status: ev.Status, *, wide: bool) -> list[tuple[int, Content]]:
        """The figures with their rank: the higher, the sooner left out."""
        percent = 0
        if status.context_window:
            percent = -(-100 * status.context_tokens // status.context_window)
        used = _("上下文 {percent}%").format(percent=percent)
        if wide:
            used = f"{compact(status.context_tokens)}/{compact(status.context_window)}  {percent}%"
        loud = "$error" if percent >= 90 else "$warning" if percent >= 75 else "$muted"
        model = _("离线模型") if status.offline else shorten(status.model, 28)
        parts = [(0, Content.styled(model, "$user" if status.offline else "$foreground"))]
        if wide:
            session = _("会话 {name}").format(name=shorten(one_line(status.title) or status.session, 20))
            parts.append((4, Content.styled(session, "$muted")))
        parts.append((2, Content.styled(used, loud)))
        if self._stats is not None:
            counts = documents(self._stats.documents)
            if wide:
                counts += " " + passages(self._stats.passages)
            parts.append((1, Content.styled(counts, "$knowledge")))
        if (dense := status.dense) is not None and dense.model:
            parts.append((3, _dense(dense)))
        parts.append((3, Content.styled(_("记忆 {n}").format(n=status.memory), "$muted")))
        if status.instructions:
            parts.append((4, Content.styled(_("指令 {n}").format(n=len(status.instructions)), "$muted")))
        if status.skill:
            skill = _("技能 {name}").format(name=shorten(status.skill, 20))
            parts.append((2, Content.styled(skill, "$user")))
        return parts


def _dense(dense: DenseStatus) -> Content:
    """How many of the passages have vectors; quiet when all have."""
    if dense.problem:
        return Content.styled(_("向量 ✕"), "$warning")
    share = 100 * dense.embedded // dense.passages if dense.passages else 100
    done = dense.embedded >= dense.passages
    text = _("向量") if done else _("向量 {percent}%").format(percent=share)
    return Content.styled(text, "$muted" if done else "$user")
