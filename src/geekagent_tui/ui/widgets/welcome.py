"""What an empty chat shows: how to begin."""

from __future__ import annotations

from pathlib import Path

from textual.content import Content
from textual.reactive import reactive
from textual.widgets import Static

from geekagent_tui.i18n import _
from geekagent_tui.ui.text import cell


class Welcome(Static):
    """A few lines that teach.

    Args:
        folder: The workspace's folder; the sample notes are offered where they are.
    """

    offline: reactive[bool] = reactive(False, layout=True)

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._samples = (folder / "assets" / "notes").is_dir()

    def render(self) -> Content:
        """The lines, in the language of now."""
        steps = [
            (_("/rag add <网址或路径>"), _("采集网页、文件或文件夹")),
            (_("直接提问"), _("先查资料再回答，附上用到的段落")),
            ("/help", _("查看全部命令")),
        ]
        width = 24
        parts: list[tuple[str, str]] = [
            ("GeekAgent", "bold $knowledge"),
            ("\n", ""),
            (_("问你自己的资料，每个回答都能查到出处。"), "$muted"),
            ("\n\n", ""),
        ]
        for what, does in steps:
            parts += [(cell(what, width), "$user"), (does, "$muted"), ("\n", "")]
        if self._samples:
            parts += [("\n", ""), (_("试一试：/rag add assets/notes"), "$muted")]
        if self.offline:
            told = _("现在用的是离线模型：不联网，只摘录资料原文。")
            how = _("设置 OPENAI_BASE_URL、OPENAI_API_KEY、OPENAI_MODEL 后重新启动，即可接入真正的模型。")
            parts += [("\n\n", ""), (told + how, "$faint")]
        return Content.assemble(*parts)
