"""The fields beside the sources of an ingest: tags, and how many pages a web page may lead to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.suggester import Suggester
from textual.widgets import Input, Static

from geekagent_tui.agent.typed import clean_tag, split_tags
from geekagent_tui.i18n import _
from geekagent_tui.rag.errors import RagError
from geekagent_tui.ui.widgets.line_input import LineInput

_COMMA = re.compile("[,，、]")
_SIGN = re.compile("[#＃\\s]*")
MOST_PAGES = 10_000
"""Pages that one web page may lead to at most; more makes no difference to the rag service."""


def problem_of(tags: Iterable[str]) -> str:
    """Why one of some tags can't be used; empty when all can."""
    try:
        for tag in tags:
            clean_tag(tag)
    except RagError as error:
        return error.message
    return ""


class TagSuggester(Suggester):
    """Completes the last tag that is typed.

    Args:
        known: Tags that are in use.
    """

    def __init__(self, known: Iterable[str]) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._known = sorted(known, key=str.casefold)

    async def get_suggestion(self, value: str) -> str | None:
        """The whole text with its last tag completed."""
        start = max((match.end() for match in _COMMA.finditer(value)), default=0)
        begun = _SIGN.sub("", value[start:], count=1)
        if not begun:
            return None
        for tag in self._known:
            if tag.casefold().startswith(begun.casefold()) and len(tag) > len(begun):
                return value + tag[len(begun) :]
        return None


class TagField(LineInput):
    """Tags with commas between them; Right or Tab takes the completion that is shown."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("tab", "take", "", show=False, id="dialog.take-tag")]

    def __init__(self, tags: Sequence[str]) -> None:
        super().__init__("，".join(tags), id="tags", compact=True)

    def on_mount(self) -> None:
        """Say what it is for."""
        self.placeholder = _("可不填，用逗号分开")

    def know(self, tags: Iterable[str]) -> None:
        """Complete these."""
        self.suggester = TagSuggester(tags)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Tab goes on when there is nothing to complete."""
        return action != "take" or bool(self._suggestion)

    def action_take(self) -> None:
        """Take the completion."""
        self.action_end()
        self.action_cursor_right()


class IngestFields(Horizontal):
    """Tags and pages in one row.

    Args:
        tags: Those asked for.
        pages: As asked for; 0 means each web page alone.
    """

    def __init__(self, tags: Sequence[str] = (), pages: int = 0) -> None:
        super().__init__(id="fields")
        self._asked = tuple(tags), pages

    def compose(self) -> ComposeResult:
        """Labels and fields."""
        tags, pages = self._asked
        yield Static(Content(_("标签")), classes="label")
        yield TagField(tags)
        yield Static(Content(_("同站网页")), classes="label", id="pages-label")
        yield LineInput(str(pages), id="pages", compact=True, restrict=r"\d{0,5}", select_on_focus=True)
        yield Static(id="pages-help")

    def on_mount(self) -> None:
        """Say what the number means."""
        self._explain()

    @property
    def tags(self) -> tuple[str, ...]:
        """What is typed."""
        return split_tags(self.query_one("#tags", Input).value)

    @property
    def pages(self) -> int:
        """What is typed, as far as it makes a difference."""
        return min(MOST_PAGES, int(self.query_one("#pages", Input).value or "0"))

    @property
    def problem(self) -> str:
        """A sentence when what is typed can't be used; else empty."""
        return problem_of(self.tags)

    def offer_pages(self, useful: bool) -> None:
        """Only a web page leads to others."""
        for name in ("#pages-label", "#pages", "#pages-help"):
            self.query_one(name).display = useful

    def on_input_changed(self) -> None:
        """Keep the explanation true."""
        self._explain()

    def _explain(self) -> None:
        pages = self.pages
        told = _("沿链接最多采集这么多页") if pages else _("只采集这一页")
        self.query_one("#pages-help", Static).update(Content.styled(told, "$muted"))
