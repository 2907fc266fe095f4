"""The main screen: chat, knowledge base, tool log, composer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from geekagent_tui.i18n import _, ngettext
from geekagent_tui.sanitize import clean_line
from geekagent_tui.ui import ev, keymap
from geekagent_tui.ui.adding import Adding
from geekagent_tui.ui.gateway import Gateway
from geekagent_tui.ui.links import open_original
from geekagent_tui.ui.panels.chat import ChatPanel
from geekagent_tui.ui.panels.desk import Desk
from geekagent_tui.ui.panels.follower import Follower
from geekagent_tui.ui.panels.knowledge import KnowledgePanel
from geekagent_tui.ui.panels.status import StatusLine
from geekagent_tui.ui.panels.tool_log import ToolLogPanel
from geekagent_tui.ui.pasted import only_sources
from geekagent_tui.ui.text import shorten
from geekagent_tui.ui.typing_clock import TypingClock
from geekagent_tui.ui.widgets.batch_line import BatchLine
from geekagent_tui.ui.widgets.chat_lines import ToolLine
from geekagent_tui.ui.widgets.completion import Completions
from geekagent_tui.ui.widgets.composer import Composer
from geekagent_tui.ui.widgets.focus_chip import FocusChip
from geekagent_tui.ui.widgets.key_bar import KeyBar
from geekagent_tui.ui.widgets.links_messages import OpenCitation, OpenUrl
from geekagent_tui.ui.widgets.sources_row import SourcesRow

_HINT = 8.0
"""Seconds that the hint after a paste stays."""


class Queue(Static):
    """The user's messages that wait for the turn to end."""

    def show(self, waiting: Sequence[str], *, held: bool = False) -> None:
        """Show them, or nothing; and how those that are held go on."""
        self.display = bool(waiting)
        head = ngettext("等待中 {n} 条", "等待中 {n} 条", len(waiting)).format(n=len(waiting))
        lines = (
            [Content.assemble((f"{head}  ", "$user"), (shorten(waiting[0], 60), "$muted"))] if waiting else []
        )
        if held:
            lines.append(Content.styled(_("已停下：发送下一条消息后继续，/queue edit 1 取回"), "$muted"))
        self.update(Content("\n").join(lines))


class Waiting(Follower):
    """Follows what the screen itself needs: what is queued, whether a turn or an ingest is running."""

    class Theme(Message):
        """The user asked for other colours; "" for light instead of dark, or the other way round."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    def __init__(self) -> None:
        super().__init__(id="waiting")
        self.busy = False
        self.ingesting: set[str] = set()

    def compose(self) -> ComposeResult:
        """The queue."""
        queue = Queue()
        queue.display = False
        yield queue

    WANTS_CHAT = True

    async def take(self, event: ev.Event) -> None:
        """Keep the figures."""
        match event:
            case ev.Snapshot():
                said = [entry.text for entry in event.chat if entry.role == "user"]
                self.screen.query_one(Composer).remember(said)
                self.ingesting = {progress.source for progress in event.ingests}
                self._status(event.status)
            case ev.StatusChanged():
                self._status(event.status)
            case ev.IngestMoved(progress=progress):
                self._ingest(self.ingesting.add, progress.source)
            case ev.IngestEnded(result=result):
                self._ingest(self.ingesting.discard, result.source)
            case ev.TurnStarted() | ev.TurnFinished():
                self.busy = isinstance(event, ev.TurnStarted)
                self.screen.refresh_bindings()
            case ev.ComposerFilled(text=text):
                self.screen.query_one(Composer).fill(text)
            case ev.ThemeChosen(name=name):
                self.post_message(self.Theme(name))
            case _:
                pass

    def _ingest(self, change: Callable[[str], None], source: str) -> None:
        # In place: a batch may be of twenty thousand sources, with an event or two for each.
        before = bool(self.ingesting)
        change(source)
        if before is not bool(self.ingesting):
            self.screen.refresh_bindings()

    def _status(self, status: ev.Status) -> None:
        self.busy = status.busy
        self.query_one(Queue).show(status.queued, held=status.held)
        self.screen.refresh_bindings()


class MainScreen(Screen[None]):
    """Composes the panels and carries messages between them.

    Args:
        folder: The workspace's folder.
        typing: Told of every key.
    """

    AUTO_FOCUS = "#composer"
    BINDINGS: ClassVar[list[BindingType]] = [
        # Before the composer: a text area selects its line with this key.
        Binding("f6", "unlimit", "", id="main.unlimit", priority=True),
    ]
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012  # as Textual declares it
        (0, "-narrow"),
        (100, "-wide"),
        (130, "-roomy"),
    ]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (30, "-tall")]  # noqa: RUF012  # as Textual declares it

    def __init__(self, folder: Path, typing: TypingClock) -> None:
        super().__init__()
        self._folder = folder
        self._typing = typing
        self._gateway: Gateway | None = None
        self._early: list[str] = []
        self._adding = Adding(folder)

    def compose(self) -> ComposeResult:
        """All panels, empty."""
        yield StatusLine(clean_line(self._folder.name or str(self._folder)))
        with Horizontal(id="body"):
            yield ChatPanel(self._folder)
            with Vertical(id="side"):
                yield KnowledgePanel()
                yield ToolLogPanel()
        with Vertical(id="bottom"):
            yield BatchLine()
            yield Waiting()
            yield FocusChip()
            completions = Completions()
            yield completions
            with Horizontal(id="prompt"):
                yield Static(Content("›"), id="prompt-mark")
                yield Composer(self._folder, completions)
            yield KeyBar(
                (
                    "composer.send",
                    "composer.newline",
                    "list.choose",
                    "sources.open",
                    "batch.open",
                    "batch.retry",
                    "knowledge.filter",
                    "batch.cancel",
                    "batch.retry-all",
                    "batch.clear",
                    "knowledge.first",
                    "knowledge.add",
                    "app.knowledge",
                    "app.log",
                    "main.unlimit",
                    "app.palette",
                    "app.add",
                    "app.help",
                    "app.quit",
                ),
                ("app.stop",),
                words=self._key_words,
            )
        yield Desk(self._typing)

    # --- the agent core -----------------------------------------------------------------------------------

    async def attach(self, gateway: Gateway) -> None:
        """The agent core is open: follow it, and hand over what was sent meanwhile."""
        self._gateway = gateway
        self.query_one(Composer).hints = gateway.commands
        for panel in self.query(Follower):
            panel.follow(gateway)
        early, self._early = self._early, []
        for text in early:
            self._submit(gateway, text)
        if early:
            self.query_one(Queue).show(())

    def failed_to_open(self, message: str) -> None:
        """Say why there is no agent core; nothing can be sent."""
        self.query_one(Composer).disabled = True
        self.query_one(ChatPanel).tell(message)

    @on(Composer.Sent)
    def send(self, event: Composer.Sent) -> None:
        """Hand over a message; keep it while the core is still opening."""
        if self._gateway is None:
            self._early.append(event.text)
            self.query_one(Queue).show(self._early)
        else:
            self.query_one(ChatPanel).latest()
            self._submit(self._gateway, event.text)

    def _submit(self, gateway: Gateway, text: str) -> None:
        # Not awaited: a command may take its time, and this screen must go on meanwhile.
        self.run_worker(gateway.submit(text), group="submit")

    @on(Completions.Taken)
    def complete(self, event: Completions.Taken) -> None:
        """Take the completion that was clicked, if it still continues what is typed."""
        composer = self.query_one(Composer)
        if event.line == composer.text:
            composer.take(event.completion)

    # --- focus --------------------------------------------------------------------------------------------

    @property
    def completions(self) -> Completions:
        """The list above the composer."""
        return self.query_one(Completions)

    def toggle(self, panel_id: str) -> None:
        """Go to a side panel, or back to the composer from it; below 100 columns it slides over the chat."""
        panel = self.query_one(f"#{panel_id}")
        if self.focused is not None and panel in self.focused.ancestors_with_self:
            self.close_side()
        else:
            self._show_side(panel_id)

    def latest_sources(self) -> None:
        """Go to the sources of the last answer that has any."""
        if rows := self.query(SourcesRow):
            self.close_side()
            rows.last().focus()

    def _show_side(self, panel_id: str) -> None:
        panel, side = self.query_one(f"#{panel_id}"), self.query_one("#side")
        side.set_class(panel_id == "knowledge", "-knowledge")
        side.set_class(panel_id == "log", "-log")
        self.set_class(panel_id == "knowledge", "-in-knowledge")
        self.query_one("#body").add_class("-side")
        self.call_after_refresh(self._focus_in, panel)

    def _focus_in(self, panel: Widget) -> None:
        order = ("#documents", "RowList", "EmptyBase", "FilterBox")
        able = [widget for name in order for widget in panel.query(name) if widget.focusable]
        # An empty list, which is not seen, takes the focus where nothing else can: Escape leads back from it.
        for widget in [*(widget for widget in able if widget.display), *able][:1]:
            widget.focus()

    def close_side(self) -> None:
        """Back to the chat."""
        self.query_one("#side").remove_class("-knowledge", "-log")
        self.query_one("#body").remove_class("-side")
        self.remove_class("-in-knowledge")
        self.query_one(Composer).focus()

    def stop(self) -> None:
        """Escape: close what is open, else go back to the composer, else stop the turn, else the ingest."""
        if self.completions.is_open:
            self.completions.close()
        elif not isinstance(self.focused, Composer):
            self.close_side()
        elif self._gateway is not None and not self._gateway.interrupt():
            self._gateway.cancel_ingest()

    @property
    def can_stop(self) -> bool:
        """Whether Escape would do anything."""
        return self.is_mounted and (
            self._at_work or self.completions.is_open or not isinstance(self.focused, Composer)
        )

    def _key_words(self, binding_id: str) -> str:
        """What a key does here and now."""
        if binding_id != "app.stop":
            return keymap.words(binding_id)
        if not isinstance(self.focused, Composer) or not self._at_work:
            return _("返回")
        return keymap.words(binding_id) if self.query_one(Waiting).busy else _("停止采集")

    @property
    def _at_work(self) -> bool:
        waiting = self.query_one(Waiting)
        return waiting.busy or bool(waiting.ingesting)

    def on_key(self, event: events.Key) -> None:
        """What is typed while the chat has the focus goes to the composer."""
        composer = self.query_one(Composer)
        if event.is_printable and event.character and not composer.disabled and self._in_chat():
            event.stop()
            composer.focus()
            composer.insert(event.character)

    def _in_chat(self) -> bool:
        return self.focused is None or self.query_one(ChatPanel) in self.focused.ancestors_with_self

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The limit can be taken away where there is one."""
        if action == "unlimit":
            return self.is_mounted and self.query_one(FocusChip).limits
        return True

    def action_unlimit(self) -> None:
        """Let the conversation use all documents again."""
        self.query_one(FocusChip).action_clear()

    # --- what panels ask for ------------------------------------------------------------------------------

    @on(OpenCitation)
    def open_citation(self, event: OpenCitation) -> None:
        """Show the passage, or the words it had when they are not in the document any more."""
        if event.citation.document_id is not None and self._gateway is not None:
            from geekagent_tui.ui.screens.kept import open_citation

            opening = open_citation(self.app, self._gateway, event.citation, self._open)
            self.run_worker(opening, group="citation", exclusive=True)

    @on(OpenUrl)
    def open_url(self, event: OpenUrl) -> None:
        """Show the target, then open it."""
        open_original(self.app, event.url)

    @on(KnowledgePanel.Open)
    def open_document(self, event: KnowledgePanel.Open) -> None:
        """Show the document."""
        self._open(event.document_id, event.passage)

    @on(ToolLine.Opened)
    def open_call(self, event: ToolLine.Opened) -> None:
        """Show the call in the tool log."""
        log = self.query_one(ToolLogPanel)
        log.reveal(event.call_id)
        self._show_side("log")

    @on(Composer.SourcesPasted)
    def hint_at_adding(self) -> None:
        """What was pasted stays where it is; a key would take it to the knowledge base."""
        bound = [each.binding for each in self.active_bindings.values() if each.binding.id == "app.add"]
        for binding in bound[:1]:
            told = _("按 {key} 加入知识库").format(key=self.app.get_key_display(binding))
            self.notify(told, timeout=_HINT, markup=False)

    def add_sources(self) -> None:
        """Ask for sources; a composer that holds nothing but sources has typed them already."""
        if self._gateway is None:
            self.notify(_("正在打开…"), markup=False)
        else:
            self.run_worker(self._add(self._gateway), group="add", exclusive=True)

    async def _add(self, gateway: Gateway) -> None:
        composer = self.query_one(Composer)
        typed = composer.text
        if not await asyncio.to_thread(only_sources, typed, self._folder):
            typed = ""
        taken = await self._adding.ask(self.app, gateway, typed)
        if taken and typed and composer.text == typed:
            composer.load_text("")

    def _open(self, document_id: int, passage: int) -> None:
        if self._gateway is None:
            return

        async def go_on(cited: ev.Cited | None) -> None:
            if cited is not None:
                await self._show_answer(document_id, cited)

        from geekagent_tui.ui.screens.document import DocumentScreen

        self.app.push_screen(DocumentScreen(self._gateway, document_id, passage), go_on)

    async def _show_answer(self, document_id: int, cited: ev.Cited) -> None:
        self.close_side()
        if not await self.query_one(ChatPanel).reveal(document_id, cited):
            self.app.notify(_("这个回答已不在当前对话里"), severity="warning", markup=False)
