"""Which tags documents have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.suggester import SuggestFromList
from textual.widgets import Input, Static

from geekagent_tui.agent.typed import same_as, split_tags
from geekagent_tui.i18n import _, ngettext
from geekagent_tui.rag.model import Document
from geekagent_tui.ui.dialogs.base import Dialog, button
from geekagent_tui.ui.dialogs.buttons import Buttons
from geekagent_tui.ui.text import columns, documents, one_line, shorten
from geekagent_tui.ui.widgets.ingest_fields import problem_of
from geekagent_tui.ui.widgets.line_input import LineInput
from geekagent_tui.ui.widgets.row_list import Row, RowList


@dataclass(frozen=True, slots=True)
class TagChange:
    """What the user wants.

    Attributes:
        add: Tags that all of the documents will have.
        remove: Tags that none of them will have.
    """

    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.add or self.remove)


class TagRow(Row):
    """A tag: on all, some or none of the documents.

    Args:
        name: Which.
        has: Whether the documents will have it; None for some of them, as now.
        changed: That differs from now.
        count: How many documents of the knowledge base have it.
    """

    def __init__(self, name: str, has: bool | None, *, changed: bool, count: int) -> None:
        super().__init__(name)
        self._has, self._changed, self._count = has, changed, count

    def lines(self, width: int) -> Sequence[Content]:
        """Box, name, count."""
        box = {True: "[x] ", False: "[ ] ", None: "[-] "}[self._has]
        name = shorten("#" + self.key, width - 16) if self.key else ""
        left = Content.assemble(
            " ",
            (box, "$user" if self._changed else "$knowledge" if self._has is not False else "$faint"),
            (name, "$muted" if self._has is False else "$foreground"),
        )
        count = documents(self._count) if self._count else _("新标签")
        return [columns(left, Content.styled(count, "$faint"), width, gap=1)]


class TagInput(LineInput):
    """A tag's name; Down goes on to the list."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "screen.to_list", "", show=False, id="tags.list"),
        Binding("tab", "complete", "", show=False, id="tags.complete"),
    ]

    def action_complete(self) -> None:
        """Take the completion; without one, go on."""
        before = self.value
        self.cursor_position = len(before)
        self.action_cursor_right()
        if self.value == before:
            self.screen.focus_next()


class TagList(RowList):
    """The tags; Space or Enter changes one."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("space", "choose", "", id="dialog.toggle")]


class TagDialog(Dialog[TagChange]):
    """Ask for tags; the answer is what is to change.

    Args:
        chosen: The documents.
        known: All tags, with how many documents have each.
    """

    def __init__(self, chosen: Sequence[Document], known: Mapping[str, int]) -> None:
        super().__init__()
        self._chosen = chosen
        self._counts = dict(known)
        self._now = {tag: self._had(tag) for tag in self._counts}
        self._wanted: dict[str, bool | None] = dict(self._now)

    def _had(self, tag: str) -> bool | None:
        count = sum(tag in document.tags for document in self._chosen)
        return None if 0 < count < len(self._chosen) else count > 0

    def compose(self) -> ComposeResult:
        """Whose tags, a field, the tags, buttons."""
        with Vertical(id="dialog", classes="small"):
            yield Static(Content(_("标签")), classes="title")
            yield Static(id="about", classes="text")
            suggester = SuggestFromList(list(self._counts), case_sensitive=False)
            yield TagInput(
                placeholder=_("输入标签，回车加上；没有输入时回车保存"),
                suggester=suggester,
                compact=True,
                id="tag",
            )
            yield TagList("tags")
            with Buttons():
                yield button(_("保存"), "y", "yes")
                yield button(_("取消"), "n", "no")

    def _about(self) -> str:
        if len(self._chosen) == 1:
            return _("《{title}》").format(title=one_line(self._chosen[0].title))
        count = len(self._chosen)
        return ngettext("{n} 个文档", "{n} 个文档", count).format(n=count)

    def on_mount(self) -> None:
        """Show the tags."""
        self._show()

    def first_focus(self) -> None:
        """Begin to type."""
        self.query_one(TagInput).focus()

    def _show(self) -> None:
        problem = self._problem
        about = Content.styled(problem, "$error") if problem else Content.styled(self._about(), "$muted")
        self.query_one("#about", Static).update(about)
        typed = " ".join(self._typed[-1:]).casefold()
        # What is on comes first; names that hold what is typed are enough.
        names = [name for name in self._wanted if typed in name.casefold()]
        names.sort(key=lambda name: (self._now.get(name) is False, -self._counts.get(name, 0), name))
        self.query_one(TagList).show([self._row(name) for name in names])

    def _row(self, name: str) -> TagRow:
        has = self._wanted[name]
        changed = has != self._now.get(name, False)
        return TagRow(name, has, changed=changed, count=self._counts.get(name, 0))

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show what fits."""
        event.stop()
        self._show()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the tags; without any, save."""
        event.stop()
        if self._typed:
            self._take()
        else:
            self.action_yes()

    @property
    def _typed(self) -> tuple[str, ...]:
        return split_tags(self.query_one(TagInput).value)

    @property
    def _problem(self) -> str:
        return problem_of(self._typed)

    def _take(self) -> None:
        """Put on the tags in the field, if they can be tags."""
        if self._problem:
            return
        for name in self._typed:
            same = [known for known in self._wanted if same_as(known) == same_as(name)]
            self._wanted[same[0] if same else name] = True
        self.query_one(TagInput).clear()
        self._show()

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """On, off; and for what only some have: on, off, as it was."""
        event.stop()
        has = self._wanted[event.key]
        mixed = self._now.get(event.key, False) is None
        self._wanted[event.key] = (None if mixed else True) if has is False else has is None
        self._show()

    def action_to_list(self) -> None:
        """Go on to the list."""
        self.query_one(TagList).focus()

    def on_key(self, event: events.Key) -> None:
        """Up from the first tag goes back to the field."""
        rows = self.query_one(TagList)
        if event.key == "up" and rows.has_focus and rows.at_top:
            event.stop()
            self.query_one(TagInput).focus()
        super().on_key(event)

    def action_yes(self) -> None:
        """Save: what is still in the field counts as well."""
        if self._problem:
            return
        self._take()
        changed = {tag: has for tag, has in self._wanted.items() if has != self._now.get(tag, False)}
        self.dismiss(
            TagChange(
                tuple(tag for tag, has in changed.items() if has),
                tuple(tag for tag, has in changed.items() if has is False),
            )
        )

    def action_no(self) -> None:
        """Leave it."""
        self.dismiss(TagChange())
