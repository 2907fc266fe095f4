"""An answer of the model: streamed as Markdown, finished with links to its sources.

Imported only when there is an answer to show: Textual's Markdown is not part of the first frame.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from time import perf_counter

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Markdown, Static

from geekagent_tui.i18n import _
from geekagent_tui.ui import ev
from geekagent_tui.ui.widgets.details import Details
from geekagent_tui.ui.widgets.folded import fold
from geekagent_tui.ui.widgets.linked_markdown import Links
from geekagent_tui.ui.widgets.links_messages import OpenCitation, OpenUrl
from geekagent_tui.ui.widgets.markdown_table import TabledMarkdown
from geekagent_tui.ui.widgets.sources_row import SourcesRow

_PAUSE = 0.05
"""Seconds between two drawings of a growing answer, at least."""
_COST_FACTOR = 4
"""And at least so many times what the last one cost, so that drawing never takes more than a fifth of the
time however long a block grows (`reference/textual.md` §4.2: a 32k fence 5 s instead of 325 s)."""


class Folded(Static):
    """An old answer's text in one widget."""

    def __init__(self, links: Links, marked: str) -> None:
        super().__init__(fold(links, marked))
        self._links = links

    def action_open_link(self, href: str) -> None:
        """Follow a link."""
        follow(self, self._links, href)


class Answer(Vertical):
    """One answer.

    Args:
        entry: A finished answer; None for one that is being streamed.
        folded: Be cheap from the beginning; only for a finished answer.
    """

    def __init__(self, entry: ev.ChatEntry | None = None, *, folded: bool = False) -> None:
        super().__init__()
        self._folded = folded
        self.entry = entry
        self._links = Links()
        self._arrived: list[str] = []
        self._drawn = False
        self._news = asyncio.Event()
        self._finished = asyncio.Event()
        if entry is not None:
            self._finished.set()

    @property
    def source(self) -> str:
        """The answer's text as far as it is here."""
        return self.entry.text if self.entry else "".join(self._arrived)

    def compose(self) -> ComposeResult:
        """The Markdown, drawn by `_draw` alone; or the cheap text."""
        if self._folded and self.entry is not None:
            yield self._cheap(self.entry)
            yield from self._additions(self.entry)
            return
        yield TabledMarkdown(parser_factory=self._links.parser, open_links=False)

    def on_mount(self) -> None:
        """Begin to draw."""
        if not self._folded:
            self.run_worker(self._draw(), group="draw")

    def feed(self, fragment: str) -> None:
        """Add a fragment."""
        self._arrived.append(fragment)
        self._news.set()

    def finish(self, entry: ev.ChatEntry) -> None:
        """Replace what was streamed by the finished answer."""
        self.entry = entry
        self._finished.set()
        self._news.set()

    async def fold(self) -> None:
        """Become cheap: one widget for the text instead of one a block."""
        if self.entry is None or self._folded or not self._drawn:
            return
        self._folded = True
        await self.query(Markdown).remove()
        await self.mount(self._cheap(self.entry), before=0)

    def _cheap(self, entry: ev.ChatEntry) -> Folded:
        return Folded(self._links, self._links.mark(entry.text, entry.citations))

    def _additions(self, entry: ev.ChatEntry) -> Iterator[Widget]:
        """What stands under the text."""
        if entry.interrupted:
            said = entry.text.strip()
            told = _("（已停止，以上是停止前的内容）") if said else _("（已停止）")
            yield Static(Content(told), classes="interrupted")
        if entry.citations:
            yield SourcesRow(entry.citations)
        if entry.details:
            yield Details(_("思考过程"), entry.details)

    async def _draw(self) -> None:
        """Draw what arrives; the only writer of the Markdown widget."""
        markdown = self.query_one(Markdown)
        drawn = 0
        while not self._finished.is_set():
            await self._news.wait()
            self._news.clear()
            fragments = self._arrived[drawn:]
            drawn += len(fragments)
            if not fragments:
                continue
            began = perf_counter()
            await markdown.append("".join(fragments))
            await self._painted()
            pause = max(_PAUSE, _COST_FACTOR * (perf_counter() - began))
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._finished.wait()
        if self.entry is not None:
            await self._complete(markdown, self.entry)

    async def _complete(self, markdown: Markdown, entry: ev.ChatEntry) -> None:
        await markdown.update(self._links.mark(entry.text, entry.citations))
        await self.mount_all(self._additions(entry))
        self._drawn = True

    async def _painted(self) -> None:
        done = asyncio.Event()
        self.call_after_refresh(done.set)
        await done.wait()

    def on_markdown_link_clicked(self, event: Markdown.LinkClicked) -> None:
        """Follow a link."""
        event.stop()
        follow(self, self._links, event.href)


def follow(widget: Answer | Folded, links: Links, href: str) -> None:
    """Tell the screen what a link stands for."""
    match links.target(href):
        case ev.Citation(document_id=int()) as citation:
            widget.post_message(OpenCitation(citation))
        case str() as url:
            widget.post_message(OpenUrl(url))
