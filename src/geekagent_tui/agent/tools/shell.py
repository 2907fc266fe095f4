"""`run_shell`: a command in the root folder, shown while it runs."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Mapping
from pathlib import Path

from geekagent_tui.agent.consent import Consent, Wish
from geekagent_tui.agent.events import ToolState
from geekagent_tui.agent.models.base import ToolSpec
from geekagent_tui.agent.protected import mentions_protected
from geekagent_tui.agent.targets import CommandTarget
from geekagent_tui.agent.tools.base import Arguments, Outcome, ToolError, object_schema, text_argument
from geekagent_tui.agent.tools.files_shown import shown
from geekagent_tui.agent.tools.shell_output import Output
from geekagent_tui.agent.tools.shell_process import Ended, clean_environment, run
from geekagent_tui.i18n import _

SECONDS = 120
"""Seconds that a command may take unless the model says otherwise."""
MOST_SECONDS = 600
NEWS = 0.2
"""Seconds between two looks at a running command's output."""


class RunShell:
    """`run_shell`: run a command with bash, after asking the user."""

    spec = ToolSpec(
        "run_shell",
        "在根目录用 bash -c 执行一条命令，返回标准输出和错误输出。"
        "没有标准输入；命令结束时它留下的后台进程也会结束；"
        "改动不能用 /undo 撤销。会先请用户确认。",
        object_schema(
            {"command": "要执行的命令"},
            timeout={
                "type": "integer",
                "minimum": 1,
                "maximum": MOST_SECONDS,
                "description": f"最多执行几秒，默认 {SECONDS}",
            },
        ),
    )
    asks_itself = True
    guarded = True

    def __init__(
        self,
        root: Path,
        consent: Consent,
        mask: Callable[[str], str],
        secrets: Mapping[str, str],
    ) -> None:
        self._root = root
        self._consent = consent
        self._mask = mask
        self._secrets = secrets

    def target(self, arguments: Arguments) -> str:
        """The command."""
        return text_argument(arguments, "command")

    async def run(self, arguments: Arguments) -> Outcome:
        """Ask, then run it."""
        return await self.run_told(arguments, lambda _text: None)

    async def run_told(self, arguments: Arguments, tell: Callable[[str], None]) -> Outcome:
        """Ask, then run it, telling what it has printed so far."""
        command = self.target(arguments)
        wish = Wish(
            "run_shell",
            CommandTarget(command),
            _question(command),
            protected=mentions_protected(command),
        )
        if not await self._consent.given(wish, arguments):
            return Outcome(_("已取消执行"), _("已拒绝"), ToolState.DENIED)
        seconds = _seconds(arguments)
        output = Output(self._mask, self._secrets)
        ended = await self._run(command, seconds, output, tell)
        return _outcome(ended, output.text().rstrip("\n"), seconds)

    async def _run(self, command: str, seconds: int, output: Output, tell: Callable[[str], None]) -> Ended:
        news = _News(lambda: tell(output.text()))

        def on_bytes(data: bytes) -> None:
            output.feed(data)
            news.come()

        environ = clean_environment(os.environ, self._secrets)
        try:
            ended = await run(command, self._root, environ, seconds, on_bytes)
        except (OSError, ValueError) as error:
            raise ToolError(_("命令执行失败（{reason}）").format(reason=error)) from error
        finally:
            news.close()
        output.feed(b"", final=True)
        return ended


class _News:
    """Tells of changes, at once and then every `NEWS` seconds at most."""

    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell = tell
        self._timer: asyncio.TimerHandle | None = None
        self._more = False

    def come(self) -> None:
        """Something changed."""
        if self._timer is not None:
            self._more = True
            return
        self._tell()
        self._timer = asyncio.get_running_loop().call_later(NEWS, self._rested)

    def close(self) -> None:
        """Tell nothing more."""
        if self._timer is not None:
            self._timer.cancel()

    def _rested(self) -> None:
        self._timer = None
        if self._more:
            self._more = False
            self.come()


def _question(command: str) -> str:
    """The question; the command is one line of it, so that nothing in it can pass for the question itself."""
    told = _("即将执行命令：{command}").format(command=shown(command))
    return told + "\n" + _("确认执行？")


def _seconds(arguments: Arguments) -> int:
    value = arguments.get("timeout")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return SECONDS
    return int(min(max(value, 1), MOST_SECONDS))


def _outcome(ended: Ended, printed: str, seconds: int) -> Outcome:
    if ended.left_running:
        printed += ("\n" if printed else "") + _("（命令留下的后台进程已结束）")
    if ended.timed_out:
        reason = _("超过 {n} 秒，已结束").format(n=seconds)
    elif ended.code < 0:
        reason = _("被信号 {name} 结束").format(name=_signal_name(-ended.code))
    elif ended.code:
        reason = _("退出码 {n}").format(n=ended.code)
    else:
        return Outcome(printed or _("(无输出)"), _("退出码 {n}").format(n=0))
    failed = _("命令执行失败（{reason}）").format(reason=reason)
    return Outcome(f"{failed}\n{printed}" if printed else failed, reason, ToolState.FAILED)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
