"""The full-screen application: composes screens, owns the agent core."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
import time
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path, PurePath
from typing import ClassVar

from rich.console import RenderableType
from rich.text import Text
from textual import events, on
from textual.app import App, SystemCommand
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.command import CommandPalette, Provider
from textual.content import Content
from textual.css.query import NoMatches
from textual.notifications import SeverityLevel
from textual.screen import Screen

from geekagent_tui.i18n import _
from geekagent_tui.paths import log_file
from geekagent_tui.sanitize import clean, clean_value
from geekagent_tui.ui import ev
from geekagent_tui.ui import theme as themes
from geekagent_tui.ui.document_actions import DocumentActions
from geekagent_tui.ui.gateway import Core, Gateway
from geekagent_tui.ui.palette import OurCommands
from geekagent_tui.ui.panels.knowledge import KnowledgePanel
from geekagent_tui.ui.screens.main import MainScreen, Waiting
from geekagent_tui.ui.text import one_line
from geekagent_tui.ui.typing_clock import SLEEP, TypingClock
from geekagent_tui.ui.widgets.composer import Composer
from geekagent_tui.ui.widgets.key_bar import KeyBar
from geekagent_tui.ui.wrapping import teach_chinese

_TWICE = 2.0
"""Seconds within which a second Ctrl+C quits."""

_log = logging.getLogger(__name__)


class GeekAgentApp(App[None]):
    """The application.

    Args:
        open_agent: Opens the agent core; called after the first frame, so that nothing heavy delays it.
        folder: The workspace's folder.
        theme: A theme's name; "" for the default.
    """

    TITLE = "GeekAgent"
    CSS_PATH: ClassVar[list[str | PurePath]] = ["app.tcss", "screens/main.tcss"]
    ENABLE_COMMAND_PALETTE = True
    COMMAND_PALETTE_BINDING = "ctrl+p"
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {OurCommands}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f2", "panel('knowledge')", "", id="app.knowledge"),
        Binding("f3", "panel('log')", "", id="app.log"),
        Binding("ctrl+o", "add_sources", "", id="app.add"),
        Binding("ctrl+p", "command_palette", "", id="app.palette", priority=True),
        Binding("f1", "show_help", "", id="app.help"),
        Binding("f4", "switch_theme", "", id="app.theme"),
        Binding("f5", "sources", "", id="app.sources"),
        Binding("escape", "stop", "", id="app.stop"),
        Binding("ctrl+q", "quit", "", id="app.quit", priority=True),
        Binding("ctrl+c", "copy_or_quit", "", id="app.copy"),
        Binding("ctrl+z", "suspend_process", "", id="app.suspend", priority=True),
    ]

    def __init__(
        self, open_agent: Callable[[], Awaitable[Core]], *, folder: Path | None = None, theme: str = ""
    ) -> None:
        super().__init__()
        teach_chinese()
        self.typing = TypingClock()
        self._open_agent = open_agent
        self._folder = folder or Path.cwd()
        self.gateway: Gateway | None = None
        self._opening: asyncio.Task[None] | None = None
        self._interrupted = -_TWICE
        for ours in themes.OURS:
            self.register_theme(ours)
        wanted = themes.theme_name(theme)
        self.theme = wanted if wanted in self.available_themes else themes.DARK.name

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Our colours in themes that are not ours."""
        return themes.fallback_variables(self.current_theme)

    def get_default_screen(self) -> Screen[None]:
        """The main screen."""
        return MainScreen(self._folder, self.typing)

    @property
    def main(self) -> MainScreen:
        """The main screen, also while another one is above it."""
        return next(screen for screen in self.screen_stack if isinstance(screen, MainScreen))

    # --- the agent core -----------------------------------------------------------------------------------

    def on_ready(self) -> None:
        """The first frame is there: open the agent core."""
        self._opening = asyncio.create_task(self._open(), name="open-agent")
        self.app_resume_signal.subscribe(self.main, self._resumed)

    async def _open(self) -> None:
        try:
            core = await self._open_agent()
        except Exception as error:
            _log.exception("the agent core could not be opened")
            reason = getattr(error, "message", "") or str(error) or type(error).__name__
            text = _("打开失败：{reason}\n详情见日志：{log}").format(reason=reason, log=log_file())
            self.main.failed_to_open(clean(text))
            return
        self.gateway = Gateway(core)
        await self.main.attach(self.gateway)

    def pop_screen(self) -> AwaitComplete:
        """Leave a screen; what it was still finding out ends here.

        Textual ends a screen's workers after its widgets are gone: one that goes on in between finds none.
        """
        leaving = self.screen
        for worker in self.workers:
            if leaving in worker.node.ancestors_with_self:
                worker.cancel()
        return super().pop_screen()

    async def ask_trust(self, review: ev.TrustReview) -> bool:
        """Whether what came with the folder counts; the user is asked as soon as nobody types."""
        await self.typing.pause(SLEEP)
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

        def answered(trusted: bool | None) -> None:
            if not answer.done():
                answer.set_result(bool(trusted))

        from geekagent_tui.ui.dialogs.trust import TrustDialog

        await self.push_screen(TrustDialog(clean_value(review)), answered)
        return await answer

    async def on_unmount(self) -> None:
        """Close the agent core, whether it is open or still opening."""
        if self._opening is not None:
            self._opening.cancel()
            await asyncio.wait([self._opening])
        if self.gateway is not None:
            await self.gateway.close()

    def exit(self, result: None = None, return_code: int = 0, message: RenderableType | None = None) -> None:
        """Leave; say what an ingest under way leaves undone."""
        with contextlib.suppress(StopIteration, NoMatches):  # leaving before there is a screen
            if self.main.query_one(KnowledgePanel).unfinished and message is None:
                message = Text(_("退出时采集还没有完成，下次打开会接着采集。"))
        super().exit(result, return_code, message)

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """Show a message in the bottom line: never as markup, never over anything."""
        style = {"warning": "$warning", "error": "$error"}.get(severity, "$knowledge")
        content = Content.styled(one_line(clean(f"{title} {message}")), style)
        for screen in self.screen_stack:
            for bar in screen.query(KeyBar):
                bar.flash(content, timeout or 5)

    # --- the terminal -------------------------------------------------------------------------------------

    async def on_event(self, event: events.Event) -> None:
        """Notice typing, for dialogs that wait for a pause."""
        if isinstance(event, events.Key | events.Paste) and not event.is_forwarded:
            self.typing.touch()
        await super().on_event(event)

    def _fatal_error(self) -> None:
        """Leave after a fault of our own: the traceback goes to the log, the user gets a sentence."""
        _log.error("the interface failed", exc_info=self._exception or sys.exc_info())
        told = _("界面出错，已退出；对话和资料都已保存。详情见日志：{log}").format(log=log_file())
        with contextlib.suppress(StopIteration, NoMatches):  # it may have failed before there was a composer
            if draft := self.main.query_one(Composer).text.strip():
                told += "\n" + _("还没有发送的内容：") + "\n" + clean(draft)
        self._exit_renderables.append(Text(told))
        self._close_messages_no_wait()

    def _resumed(self, _app: App[object]) -> None:
        """Draw everything again: Textual leaves empty what has not changed while the shell was there."""
        self.refresh(layout=True)

    def on_app_blur(self, event: events.AppBlur) -> None:
        """Another window has the focus: Textual would restyle every widget (seconds in a long chat)."""
        event.prevent_default()

    def on_app_focus(self, event: events.AppFocus) -> None:
        """Likewise."""
        event.prevent_default()

    def get_key_display(self, binding: Binding) -> str:
        """A key as keyboards are labelled."""
        if binding.key_display:
            return binding.key_display
        names = {"escape": "Esc", "enter": "Enter", "slash": "/", "space": _("空格"), "delete": "Del"}
        names["underscore"] = "_"
        names |= {"up": "↑", "down": "↓", "left": "←", "right": "→", "pageup": "PgUp", "pagedown": "PgDn"}
        *modifiers, key = binding.key.split("+")
        shown = names.get(key, key.title() if len(key) > 1 or modifiers else key)
        return "+".join([*(modifier.title() for modifier in modifiers), shown])

    # --- actions ------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Escape is offered where it does something."""
        if action == "stop" and self.screen_stack and isinstance(self.screen, MainScreen):
            return self.screen.can_stop
        return True

    def action_sources(self) -> None:
        """Go to the sources of the last answer that has any."""
        if isinstance(self.screen, MainScreen):
            self.screen.latest_sources()

    def action_panel(self, panel_id: str) -> None:
        """Go to a side panel, or back."""
        if isinstance(self.screen, MainScreen):
            self.screen.toggle(panel_id)

    def action_add_sources(self) -> None:
        """Add something to the knowledge base."""
        if isinstance(self.screen, MainScreen):
            self.screen.add_sources()

    async def action_sync(self) -> None:
        """Bring all documents up to date."""
        if self.gateway is not None:
            await DocumentActions(self, self.gateway).update_all()

    def action_stop(self) -> None:
        """Close, go back, or stop the turn."""
        if isinstance(self.screen, MainScreen):
            self.screen.stop()

    def action_switch_theme(self) -> None:
        """Light or dark."""
        dark = self.current_theme.dark
        self.theme = (themes.LIGHT if dark else themes.DARK).name

    @on(Waiting.Theme)
    def choose_theme(self, event: Waiting.Theme) -> None:
        """Take the colours that were asked for by name; the chat tells when there are none."""
        wanted = themes.theme_name(event.name)
        if not event.name:
            self.action_switch_theme()
        elif wanted in self.available_themes:
            self.theme = wanted

    def action_show_help(self) -> None:
        """Keys and commands."""
        from geekagent_tui.ui.screens.help import HelpScreen, keys_shown

        commands = self.gateway.commands() if self.gateway else []
        self.push_screen(HelpScreen(keys_shown(self), commands))

    def action_copy_or_quit(self) -> None:
        """Copy the selection; without one, clear the composer, then quit when pressed again."""
        if selected := self.screen.get_selected_text():
            self.copy_to_clipboard(selected)
            self.notify(_("已发送到终端剪贴板"), markup=False)
            return
        if time.monotonic() - self._interrupted < _TWICE:
            self.exit()
            return
        self._interrupted = time.monotonic()
        self.notify(_("再按一次 Ctrl+C 退出"), markup=False)

    def action_command_palette(self) -> None:
        """Search the commands."""
        if not isinstance(self.screen, CommandPalette):
            self.push_screen(CommandPalette(placeholder=_("搜索命令…")))

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Our own commands for the palette, the most used first, leaving last."""
        yield SystemCommand(_("知识库"), _("查看和搜索资料"), lambda: self.action_panel("knowledge"))
        yield SystemCommand(_("加入知识库"), _("采集网页、文件或文件夹"), self.action_add_sources)
        yield SystemCommand(_("全部同步"), _("检查每份资料的来源，更新有变化的"), self.action_sync)
        yield SystemCommand(_("日志"), _("查看工具调用"), lambda: self.action_panel("log"))
        yield SystemCommand(_("明暗"), _("在浅色与深色之间切换"), self.action_switch_theme)
        yield SystemCommand(_("主题"), _("选择其他配色"), self.search_themes)
        yield SystemCommand(_("帮助"), _("全部按键和命令"), self.action_show_help)
        for command in self.gateway.commands() if self.gateway else ():
            usage = f"{command.name} {command.usage}".strip()
            yield SystemCommand(usage, command.help, lambda c=command: self._type(c.name, bool(c.usage)))
        yield SystemCommand(_("退出"), _("离开 GeekAgent"), self.exit)

    def _type(self, name: str, arguments: bool) -> None:
        """Put a command into the composer; run it when it needs nothing more."""
        composer = self.main.query_one(Composer)
        composer.focus()
        if arguments:
            composer.load_text(name + " ")
            composer.move_cursor(composer.document.end)
        else:
            composer.post_message(Composer.Sent(name))
