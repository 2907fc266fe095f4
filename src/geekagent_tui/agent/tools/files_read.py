"""`read`: a file's text, a stretch at a time."""

from __future__ import annotations

from collections.abc import Callable

from geekagent_tui.agent import spots
from geekagent_tui.agent.blocking import finished
from geekagent_tui.agent.confined import Confined, PathError
from geekagent_tui.agent.consent import Consent, Wish
from geekagent_tui.agent.events import ToolState
from geekagent_tui.agent.models.base import ToolSpec
from geekagent_tui.agent.protected import is_secret
from geekagent_tui.agent.targets import FileTarget
from geekagent_tui.agent.tools.base import Arguments, Outcome, ToolError, object_schema, text_argument
from geekagent_tui.agent.tools.files_shown import offset_of, shown, stretch
from geekagent_tui.agent.tools.files_text import decoded
from geekagent_tui.i18n import _, ngettext

CHARACTERS = 8000
"""Characters that one answer holds at most."""


def reading(confined: Confined, path: str) -> Wish:
    """The wish to know what a file holds."""
    return Wish(
        "read",
        FileTarget(path),
        _("读取 {path}？").format(path=shown(str(confined.root / path))),
        has_effects=False,
        protected=is_secret(path),
    )


class Read:
    """`read`: the text of a file.

    Secrets are hidden before the text is cut into stretches, so that none is shown in two halves.
    """

    spec = ToolSpec(
        "read",
        "读取一个文本文件。长文件每次返回一段，末尾会给出续读用的 offset。",
        object_schema(
            {"path": "相对于根目录的路径"},
            offset={"type": "integer", "minimum": 0, "description": "从第几个字符开始"},
        ),
        read_only=True,
    )
    asks_itself = True
    guarded = False

    def __init__(self, confined: Confined, consent: Consent, mask: Callable[[str], str]) -> None:
        self._confined = confined
        self._consent = consent
        self._mask = mask

    def target(self, arguments: Arguments) -> str:
        """The file."""
        return text_argument(arguments, "path")

    async def run(self, arguments: Arguments) -> Outcome:
        """Read it."""
        try:
            path, text = await finished(self._text, self.target(arguments))
        except PathError as error:
            raise ToolError(_("读取文件失败：{reason}").format(reason=error)) from error
        if not await self._consent.given(reading(self._confined, path), arguments):
            return Outcome(_("已取消执行"), _("已拒绝"), ToolState.DENIED)
        return _stretch(text, offset_of(arguments))

    def _text(self, typed: str) -> tuple[str, str]:
        with self._confined.spot(typed) as spot:
            file = decoded(spots.read(spot), spot.path)
            return spot.path, self._mask(file.text)


def _stretch(text: str, start: int) -> Outcome:
    length = len(text)
    if start >= length and start > 0:
        raise ToolError(_("offset 已越过文件末尾"))
    piece, end = stretch(text, start, CHARACTERS)
    content = _("（文件共 {n} 字符，已读第 {start}-{end} 段）").format(n=length, start=start, end=end)
    return Outcome(f"{content}\n{piece}", ngettext("{n} 字符", "{n} 字符", end - start).format(n=end - start))
