"""Keys and commands, made from the key map and the command registry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingsMap, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from geekagent_tui.i18n import _
from geekagent_tui.ui import keymap
from geekagent_tui.ui.dialogs.base import Dialog
from geekagent_tui.ui.gateway import CommandHint
from geekagent_tui.ui.panels.knowledge import KnowledgePanel
from geekagent_tui.ui.screens.document import DocumentScreen
from geekagent_tui.ui.text import cell
from geekagent_tui.ui.widgets.batch_strip import BatchRows
from geekagent_tui.ui.widgets.composer import Composer
from geekagent_tui.ui.widgets.row_list import RowList
from geekagent_tui.ui.widgets.source_list import SourceList
from geekagent_tui.ui.widgets.sources_field import SourcesField
from geekagent_tui.ui.widgets.sources_row import SourcesRow
from geekagent_tui.ui.widgets.transcript import Transcript
from geekagent_tui.ui.wrapping import wrap

_NAME = 34
"""Cells of the column with names of keys and commands."""


class HelpScreen(ModalScreen[None]):
    """All keys, all commands.

    Args:
        keys: The key of each binding, as shown, by the binding's id.
        commands: The commands of the core.
    """

    CSS_PATH = "help.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,f1", "dismiss", "", id="dialog.close")]

    def __init__(self, keys: dict[str, str], commands: Sequence[CommandHint]) -> None:
        super().__init__()
        self._keys = keys
        self._commands = commands

    def compose(self) -> ComposeResult:
        """One long text."""
        with Vertical(id="help"):
            yield Static(
                Content.assemble((_("帮助"), "bold"), "    ", (_("Esc 关闭"), "$muted")), id="help-title"
            )
            with VerticalScroll():
                yield Static(id="help-text")

    def on_resize(self) -> None:
        """Set the text anew: its two columns fit the width."""
        text = self.query_one("#help-text", Static)
        self.call_after_refresh(lambda: text.update(self._text(text.content_size.width)))

    def _text(self, width: int) -> Content:
        parts: list[tuple[str, str]] = []
        if self._commands:
            parts.append((_("命令") + "\n", "$knowledge"))
            for command in self._commands:
                usage = f"{command.name} {command.usage}".strip()
                parts += _entry(usage, command.help, width)
        for title, bindings in keymap.groups():
            known = {binding_id: words for binding_id, words in bindings.items() if binding_id in self._keys}
            if known:
                parts.append((("\n" if parts else "") + title + "\n", "$knowledge"))
            for binding_id, words in known.items():
                parts += _entry(self._keys[binding_id], words, width)
        parts += [("\n" + _("文字可用鼠标选中；按住 Shift（macOS 上是 Option）拖动则由终端选中。"), "$muted")]
        return Content.assemble(*parts)


def _entry(name: str, words: str, width: int) -> list[tuple[str, str]]:
    """A name and what it does, side by side; below each other where the name is long."""
    left = min(_NAME, width // 2)
    indent = " " * left
    lines = wrap(words, max(8, width - left))
    if cell_len(name) <= left - 4:
        head = "  " + cell(name, left - 2)
    else:
        head = "".join(f"  {line}\n" for line in wrap(name, max(8, width - 2))) + indent
    return [(head, "$foreground"), (f"\n{indent}".join(lines) + "\n", "$muted")]


def keys_shown(app: App[None]) -> dict[str, str]:
    """Every binding's key as this terminal's user would press it, remapped or not, by its id."""
    keys: dict[str, str] = {}
    for owner in (
        type(app),
        Composer,
        Transcript,
        SourcesRow,
        RowList,
        KnowledgePanel,
        BatchRows,
        DocumentScreen,
        SourcesField,
        SourceList,
        Dialog,
    ):
        for binding in BindingsMap(owner.BINDINGS).key_to_bindings.values():
            for single in binding:
                if single.id:
                    shown = app.get_key_display(single)
                    keys[single.id] = f"{keys[single.id]}  {shown}" if single.id in keys else shown
    keys["composer.history"] = "↑  ↓"
    return keys
