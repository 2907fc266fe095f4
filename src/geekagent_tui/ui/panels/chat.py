"""The conversation."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from geekagent_tui.i18n import _, ngettext
from geekagent_tui.ui import ev
from geekagent_tui.ui.panels.follower import Follower
from geekagent_tui.ui.theme import theme_name, unknown_theme
from geekagent_tui.ui.widgets.chat_lines import Notice, NoticeWithDetails, ToolLine, UserMessage
from geekagent_tui.ui.widgets.transcript import Transcript
from geekagent_tui.ui.widgets.welcome import Welcome

if TYPE_CHECKING:
    from geekagent_tui.ui.widgets.answer import Answer

    Piece = ev.ChatEntry | ev.ToolEntry

_WINDOW = 60
"""Pieces shown at first and added at a time; Textual's costs grow with the number of widgets."""
_MOST = 180
"""Pieces from which on the oldest are taken off the screen again."""
_INGESTS = frozenset({"rag_add", "rag_sync"})
_RICH = 20_000
"""Characters of answers that stay whole Markdown, newest first; older ones become one widget each."""


class Hint(Static):
    """A line that is clicked."""

    class Clicked(Message):
        """It was."""

        def __init__(self, hint: Hint) -> None:
            super().__init__()
            self.hint = hint

        @property
        def control(self) -> Hint:
            """The line."""
            return self.hint

    def on_click(self) -> None:
        """Tell."""
        self.post_message(self.Clicked(self))


class ChatPanel(Follower):
    """Messages, streaming answers, notices, tool calls.

    Args:
        folder: The workspace's folder.
    """

    WANTS_CHAT = True

    def __init__(self, folder: Path) -> None:
        super().__init__(id="chat")
        self._folder = folder
        self._pieces: list[Piece] = []
        self._shown: list[tuple[Piece, Widget]] = []
        self._tool_lines: dict[str, ToolLine] = {}
        self._live: Answer | None = None
        self._unseen = 0
        self._reasoned = 0
        self._waits = False

    def compose(self) -> ComposeResult:
        """Transcript, and the hint below it."""
        with Transcript(id="transcript"), Vertical(id="pieces"):
            yield Welcome(self._folder)
            yield Hint(id="earlier")
            yield Static(id="thinking")
        yield Hint(id="unseen")

    @property
    def transcript(self) -> Transcript:
        """The scrolling part."""
        return self.query_one(Transcript)

    @property
    def _stack(self) -> Widget:
        """What holds the pieces: at least as high as the view, else an anchored view would push them down."""
        return self.query_one("#pieces")

    def on_mount(self) -> None:
        """Stay at the bottom until the user scrolls."""
        self.query_one("#thinking").display = False
        self.transcript.anchor()
        self.watch(self.transcript, "scroll_y", self._scrolled, init=False)

    async def take(self, event: ev.Event) -> None:
        """Show what an event tells."""
        match event:
            case ev.Snapshot():
                self.query_one(Welcome).offline = event.status.offline
                await self._replace(event.chat, event.tools)
                if event.live:
                    await self._feed(event.live)
                self._busy(event.status.busy)
                self._activity(event.status.activity)
            case ev.ChatCleared():
                await self._replace(event.chat, event.tools)
            case ev.ChatAdded():
                await self._add(event.entry)
            case ev.AnswerDelta():
                await self._feed(event.text)
            case ev.ToolChanged():
                await self._tool(event.entry)
            case ev.ReasoningProgress():
                self._reasoned += len(event.text)
                self._think(_("思考中 · {n} 字").format(n=self._reasoned))
            case ev.StatusChanged():
                self._activity(event.status.activity)
            case ev.ThemeChosen(name=name):
                await self._theme(name)
            case ev.TurnStarted():
                self._busy(True)
            case ev.TurnFinished():
                self._busy(False)
                await self._drop_live()
            case _:
                pass

    def tell(self, message: str) -> None:
        """Say something of the application's own, such as that the core could not be opened."""
        self.query_one(Welcome).display = False
        self._stack.mount(Notice(self._error(message)))

    def _error(self, message: str) -> ev.ChatEntry:
        """A notice of our own, where the conversation is now."""
        last = max((piece.entry_id for piece in self._pieces if isinstance(piece, ev.ChatEntry)), default=0)
        return ev.ChatEntry(last, "notice", message, datetime.now().astimezone(), level=ev.Level.ERROR)

    async def _theme(self, name: str) -> None:
        """Answer a `/theme` that names none; the application takes one that there is."""
        known = self.app.available_themes
        if name and theme_name(name) not in known:
            await self._add(self._error(unknown_theme(name, known)))

    # --- pieces -------------------------------------------------------------------------------------------

    async def _replace(self, chat: Iterable[ev.ChatEntry], tools: Iterable[ev.ToolEntry]) -> None:
        await self._drop_live()
        shown = [widget for _piece, widget in self._shown]
        self._shown, self._tool_lines, self._unseen = [], {}, 0
        self._pieces = sorted([*chat, *(tool for tool in tools if _inline(tool))], key=_place)
        with self.app.batch_update():
            for widget in shown:
                await widget.remove()
            await self._mount_before(self._pieces[-_WINDOW:], self.query_one("#thinking"))
        self._housekeep()
        self.transcript.anchor()

    async def _add(self, entry: ev.ChatEntry) -> None:
        self._pieces.append(entry)
        if entry.role == "assistant" and self._live is not None:
            self._live.finish(entry)
            self._shown.append((entry, self._live))
            self._live = None
        else:
            await self._mount_before([entry], self._last())
        self._think("")
        followed = self.transcript.follows
        await self._arrived(mine=entry.role == "user")
        if followed and entry.role == "notice" and len(self._shown) > 1:
            (asked, command), (_entry, answer) = self._shown[-2:]
            if isinstance(asked, ev.ChatEntry) and asked.role == "user" and asked.text.startswith("/"):
                self.call_after_refresh(self._from_its_beginning, command, answer)

    def _from_its_beginning(self, command: Widget, answer: Widget) -> None:
        """Show a command whose answer is longer than the view at the top, to be read downwards."""
        room = self.transcript.size.height
        if not answer.is_attached or not room:
            return
        if not answer.outer_size.height:  # not laid out yet
            self.call_after_refresh(self._from_its_beginning, command, answer)
        elif command.outer_size.height + answer.outer_size.height > room:
            self.transcript.hold(command)

    async def _tool(self, entry: ev.ToolEntry) -> None:
        if not _inline(entry):
            return
        if (line := self._tool_lines.get(entry.call_id)) is not None:
            line.show(entry)
            return
        self._pieces.append(entry)
        await self._mount_before([entry], self._last())
        self._think("")
        await self._arrived()

    def _last(self) -> Widget:
        """What new pieces go before: the growing answer, else the line at the end."""
        return self._live or self.query_one("#thinking")

    async def _mount_before(self, pieces: list[Piece], place: Widget, *, at: int | None = None) -> None:
        rich = _rich(pieces)
        widgets = [(piece, await self._widget(piece, folded=piece not in rich)) for piece in pieces]
        at = len(self._shown) if at is None else at
        self._shown[at:at] = widgets
        if widgets:
            await self._stack.mount_all([widget for _piece, widget in widgets], before=place)

    async def _widget(self, piece: Piece, *, folded: bool = False) -> Widget:
        if isinstance(piece, ev.ToolEntry):
            line = self._tool_lines[piece.call_id] = ToolLine(piece)
            return line
        if piece.role == "user":
            return UserMessage(piece)
        if piece.role == "assistant":
            return (await _answer_class())(piece, folded=folded)
        return NoticeWithDetails(piece) if piece.details else Notice(piece)

    async def _feed(self, text: str) -> None:
        if self._live is None:
            live = (await _answer_class())()
            await self._stack.mount(live, before=self.query_one("#thinking"))
            self._live = live
            self._think("")
            await self._arrived()
        self._live.feed(text)

    async def _drop_live(self) -> None:
        if self._live is not None:
            live, self._live = self._live, None
            await live.remove()

    # --- what goes with them ------------------------------------------------------------------------------

    async def _arrived(self, *, mine: bool = False) -> None:
        """Something new is at the bottom."""
        if mine:
            self.transcript.anchor()
        elif not self.transcript.is_vertical_scroll_end:
            self._unseen += 1
        self._housekeep()
        await self._trim()

    def _housekeep(self) -> None:
        conversation = any(isinstance(p, ev.ChatEntry) and p.role != "notice" for p in self._pieces)
        self.query_one(Welcome).display = not conversation
        hidden = len(self._pieces) - len(self._shown)
        earlier = self.query_one("#earlier", Hint)
        earlier.display = hidden > 0
        earlier.update(Content(ngettext("↑ 更早的 {n} 条", "↑ 更早的 {n} 条", hidden).format(n=hidden)))
        unseen = self.query_one("#unseen", Hint)
        unseen.display = self._unseen > 0
        text = ngettext("↓ {n} 条新消息 · End", "↓ {n} 条新消息 · End", self._unseen)
        unseen.update(Content(text.format(n=self._unseen)))

    async def _trim(self) -> None:
        """Keep the number of widgets in bounds, but only where the user isn't looking."""
        if not self.transcript.is_vertical_scroll_end:
            return
        if len(self._shown) > _MOST:
            old, self._shown = self._shown[:-_WINDOW], self._shown[-_WINDOW:]
            for piece, widget in old:
                if isinstance(piece, ev.ToolEntry):
                    self._tool_lines.pop(piece.call_id, None)
                await widget.remove()
            self._housekeep()
        rich = _rich([piece for piece, _widget in self._shown])
        for piece, widget in self._shown:
            if _is_answer(piece) and piece not in rich:
                await widget.fold()  # type: ignore[attr-defined]  # an Answer, by its piece's role

    def _busy(self, busy: bool) -> None:
        self._reasoned = 0
        self._think(_("思考中…") if busy and self._live is None else "")

    def _activity(self, activity: str) -> None:
        """What the turn waits for stands where the thinking does."""
        if activity or self._waits:
            self._waits = bool(activity)
            self._think(activity or (_("思考中…") if self._live is None else ""))

    def _think(self, text: str) -> None:
        thinking = self.query_one("#thinking", Static)
        thinking.update(Content(text))
        thinking.display = bool(text)

    def _scrolled(self) -> None:
        if self._unseen and self.transcript.is_vertical_scroll_end:
            self._unseen = 0
            self._housekeep()

    @on(Hint.Clicked, "#unseen")
    def latest(self) -> None:
        """Go to the newest message."""
        self.transcript.anchor()

    async def reveal(self, document_id: int, cited: ev.Cited) -> bool:
        """Bring an answer into view that cites a document; whether it is in the conversation."""
        answers = [p for p in self._pieces if isinstance(p, ev.ChatEntry) and _cites(p, document_id, cited)]
        if not answers:
            return False
        answer = min(answers, key=lambda entry: abs((entry.at - cited.at).total_seconds()))
        while all(piece is not answer for piece, _widget in self._shown):
            await self.earlier()
        widget = next(widget for piece, widget in self._shown if piece is answer)
        self.transcript.hold(widget)
        return True

    @on(Hint.Clicked, "#earlier")
    async def earlier(self) -> None:
        """Show older pieces."""
        hidden = len(self._pieces) - len(self._shown)
        pieces = self._pieces[max(0, hidden - _WINDOW) : hidden]
        first = self._shown[0][1] if self._shown else self.query_one("#thinking")
        await self._mount_before(pieces, first, at=0)
        self._housekeep()
        first.scroll_visible(animate=False, top=True)


def _inline(entry: ev.ToolEntry) -> bool:
    """Whether a call has a line in the chat: an ingest tells its results there already."""
    return entry.name not in _INGESTS or entry.state is ev.ToolState.DENIED


def _cites(entry: ev.ChatEntry, document_id: int, cited: ev.Cited) -> bool:
    return any(c.document_id == document_id and c.passage == cited.passage for c in entry.citations)


def _is_answer(piece: Piece) -> bool:
    return isinstance(piece, ev.ChatEntry) and piece.role == "assistant"


def _rich(pieces: Sequence[Piece]) -> list[Piece]:
    """The answers that stay whole Markdown: the newest ones within the budget, at least one."""
    rich: list[Piece] = []
    length = 0
    for piece in reversed(pieces):
        if isinstance(piece, ev.ChatEntry) and piece.role == "assistant":
            length += len(piece.text)
            if rich and length > _RICH:
                break
            rich.append(piece)
    return rich


def _place(piece: Piece) -> tuple[int, float]:
    """Where it stands in the conversation, the same whether it was seen as it happened or comes back."""
    if isinstance(piece, ev.ChatEntry):
        return piece.entry_id, 0.0
    seen = piece.started_at.timestamp()
    return piece.after, seen + (piece.seconds or 0.0) if piece.name in _INGESTS else seen


async def _answer_class() -> type[Answer]:
    """The answer's widget, imported off the event loop when the first one is needed."""

    def load() -> type[Answer]:
        from geekagent_tui.ui.widgets.answer import Answer

        return Answer

    return await asyncio.to_thread(load)
