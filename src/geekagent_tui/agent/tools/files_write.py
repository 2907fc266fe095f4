"""`write` and `patch`: changing files, after the user has seen what would change."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from geekagent_tui.agent import spots
from geekagent_tui.agent.blocking import finished
from geekagent_tui.agent.changes import Change, Changes
from geekagent_tui.agent.confined import Confined, PathError, Spot
from geekagent_tui.agent.consent import Consent, Wish
from geekagent_tui.agent.events import ToolState
from geekagent_tui.agent.models.base import ToolSpec
from geekagent_tui.agent.protected import is_protected, is_secret
from geekagent_tui.agent.targets import FileTarget
from geekagent_tui.agent.tools.base import Arguments, Outcome, ToolError, object_schema, text_argument
from geekagent_tui.agent.tools.files_patch import hunks_of, patched
from geekagent_tui.agent.tools.files_read import reading
from geekagent_tui.agent.tools.files_shown import shown, unified_diff
from geekagent_tui.agent.tools.files_text import TextFile, decoded, with_line_ends
from geekagent_tui.i18n import _, ngettext

_Change = Callable[[TextFile | None], str]
"""From the text that is there, or None, to the text that shall be."""
_PLACEHOLDER = re.compile(r"\[REDACTED:\w+\]")


@dataclass(frozen=True, slots=True)
class Place:
    """A file that is to be edited.

    Attributes:
        typed: As the model named it.
        path: Relative to the root, links resolved.
        known: The model may read it unasked, so that answers may tell what it holds.
    """

    typed: str
    path: str
    known: bool


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of one file that has been worked out and not been made.

    Attributes:
        before: The file's bytes; None when there is none.
        after: What it shall hold.
        known: As of its place.
    """

    path: str
    before: bytes | None
    after: bytes
    diff: str
    note: str = ""
    known: bool = False


class Editor:
    """Makes edits: shows them, asks, checks that nothing moved meanwhile, and remembers how to undo them."""

    def __init__(self, confined: Confined, consent: Consent, changes: Changes) -> None:
        self._confined = confined
        self._consent = consent
        self._changes = changes

    async def place(self, tool: str, typed: str) -> Place:
        """Where an edit would be; nothing of the file is looked at.

        Raises:
            PathError: The path can't be used.
            ToolError: A rule denies the tool the file.
        """
        path = await finished(self._path, typed)
        self._consent.refuse_denied(tool, FileTarget(path))
        return Place(typed, path, await self._consent.is_free(reading(self._confined, path)))

    async def may_look(self, place: Place, arguments: Arguments) -> bool:
        """Whether the model may learn what is there, after asking the user where that is needed.

        Raises:
            ToolError: A rule denies reading it.
        """
        return place.known or await self._consent.given(reading(self._confined, place.path), arguments)

    async def prepare(self, place: Place, change: _Change) -> Edit:
        """Work out an edit.

        Args:
            place: The file.
            change: Makes the new text.

        Raises:
            PathError: The file can't be used.
            ToolError: Whatever `change` raises.
        """
        return await finished(self._prepared, place, change)

    async def make(self, tool: str, edit: Edit, arguments: Arguments) -> bool:
        """Ask and do it; False when the user refused.

        Raises:
            PathError: The file can't be written.
            ToolError: A rule denies it, or the file was changed since the edit was worked out.
        """
        if edit.after == edit.before and edit.known:  # or no question would tell what it holds
            return True
        wish = Wish(
            tool,
            FileTarget(edit.path),
            _("确认写入 {path}？").format(path=shown(str(self._confined.root / edit.path))),
            diff=edit.diff,
            protected=is_protected(edit.path, self._confined.root) or is_secret(edit.path),
        )
        if not await self._consent.given(wish, arguments):
            return False
        await finished(self._made, edit)
        return True

    def _path(self, typed: str) -> str:
        with self._confined.spot(typed) as spot:
            return spot.path

    def _prepared(self, place: Place, change: _Change) -> Edit:
        with self._confined.spot(place.typed) as spot:
            if spot.path != place.path:
                raise PathError(_("符号链接太多或正在被替换：{path}").format(path=place.typed))
            before = None if spot.status is None else spots.read(spot)
            file = None if before is None else decoded(before, shown(spot.path))
            old = "" if file is None else file.text
            new = change(file)
            _refuse_placeholders(old, new)
            after, note = _encoded(file, new)
            return Edit(spot.path, before, after, unified_diff(old, new, spot.path), note, place.known)

    def _made(self, edit: Edit) -> None:
        with self._confined.spot(edit.path) as spot:
            if spot.path != edit.path or _content(spot) != edit.before:
                raise ToolError(_("文件在确认期间被改动，未写入，请重新读取：{path}").format(path=edit.path))
            mode = None if spot.status is None else spot.status.st_mode & 0o7777
            folders = len(spot.missing)
            with self._changes.remembered(Change(edit.path, edit.before, edit.after, mode, folders)):
                spots.replace(spot, edit.after)


class Write:
    """`write`: a whole file."""

    spec = ToolSpec(
        "write",
        "新建一个文本文件或整个覆盖它；已有文件的编码和换行符保持不变。"
        "只改几处时请用 patch。会先请用户确认。",
        object_schema(
            {"path": "相对于根目录的路径"},
            content={"type": "string", "minLength": 0, "description": "文件的全部内容"},
        )
        | {"required": ["path", "content"]},
    )
    asks_itself = True
    guarded = True

    def __init__(self, editor: Editor) -> None:
        self._editor = editor

    def target(self, arguments: Arguments) -> str:
        """The file."""
        return text_argument(arguments, "path")

    async def run(self, arguments: Arguments) -> Outcome:
        """Ask, then write."""
        content = str(arguments["content"])

        def change(file: TextFile | None) -> str:
            return content if file is None or "\r" in content else with_line_ends(content, file.line_end)

        try:
            place = await self._editor.place("write", self.target(arguments))
            edit = await self._editor.prepare(place, change)
            if not await self._editor.make("write", edit, arguments):
                return Outcome(_("已取消写入"), _("已拒绝"), ToolState.DENIED)
        except PathError as error:
            raise ToolError(_("写入失败：{reason}").format(reason=error)) from error
        count = ngettext("{n} 字符", "{n} 字符", len(content)).format(n=len(content))
        return Outcome(_("已写入 {path}").format(path=shown(edit.path)) + edit.note, count)


class Patch:
    """`patch`: single places of a file."""

    spec = ToolSpec(
        "patch",
        "修改文件里的几处：每处的 old 必须与文件内容完全一致且只出现一次，会被替换成 new。会先请用户确认。",
        object_schema(
            {"path": "相对于根目录的路径"},
            hunks={
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "properties": {
                        "old": {"type": "string", "description": "原文片段，带上足够的上下文使其唯一"},
                        "new": {"type": "string", "description": "替换成的内容"},
                    },
                    "required": ["old", "new"],
                },
            },
        )
        | {"required": ["path", "hunks"]},
    )
    asks_itself = True
    guarded = True

    def __init__(self, editor: Editor) -> None:
        self._editor = editor

    def target(self, arguments: Arguments) -> str:
        """The file."""
        return text_argument(arguments, "path")

    async def run(self, arguments: Arguments) -> Outcome:
        """Ask, then patch."""
        hunks = hunks_of(arguments["hunks"])
        typed = self.target(arguments)

        def change(file: TextFile | None) -> str:
            if file is None:
                raise PathError(_("文件不存在：{path}").format(path=typed))
            if not file.exact:
                raise PathError(_("{path} 的编码无法识别，改动会损坏其余内容").format(path=typed))
            text = patched(file, hunks, hints=place.known)
            if not file.can_hold(text):
                raise PathError(
                    _("{path} 的编码 {encoding} 不能表示新内容").format(path=typed, encoding=file.encoding)
                )
            return text

        try:
            place = await self._editor.place("patch", typed)
            if not await self._editor.may_look(place, arguments):
                return Outcome(_("已取消修改"), _("已拒绝"), ToolState.DENIED)
            edit = await self._editor.prepare(place, change)
            if not await self._editor.make("patch", edit, arguments):
                return Outcome(_("已取消修改"), _("已拒绝"), ToolState.DENIED)
        except PathError as error:
            raise ToolError(_("修改失败：{reason}").format(reason=error)) from error
        done = ngettext("已应用 {n} 处修改到 {path}", "已应用 {n} 处修改到 {path}", len(hunks))
        count = ngettext("{n} 处", "{n} 处", len(hunks)).format(n=len(hunks))
        return Outcome(done.format(n=len(hunks), path=shown(edit.path)) + edit.note, count)


def _content(spot: Spot) -> bytes | None:
    return None if spot.status is None else spots.read(spot)


def _encoded(file: TextFile | None, text: str) -> tuple[bytes, str]:
    """A text's bytes, as the file is written if that can be, and what else there is to say.

    Raises:
        ToolError: It can't be written in any encoding.
    """
    if file is not None and file.exact and file.can_hold(text):
        return file.encoded(text), ""
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise ToolError(_("内容里有不成对的代理字符，无法写入")) from error
    return data, "" if file is None else _("（原来的编码不能用于新内容，已改用 UTF-8）")


def _refuse_placeholders(before: str, after: str) -> None:
    """Keep `[REDACTED:NAME]`, which stands for a secret, from taking its place on the disk.

    Raises:
        ToolError: There are more of them than before.
    """
    more = Counter(_PLACEHOLDER.findall(after)) - Counter(_PLACEHOLDER.findall(before))
    if more:
        raise ToolError(
            _("{placeholder} 是被遮住的密钥，写入会丢失原值；请用 patch 只改其他行").format(
                placeholder=next(iter(more))
            )
        )
