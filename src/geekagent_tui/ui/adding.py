"""Adding sources, with consent."""

from __future__ import annotations

from pathlib import Path

from textual.app import App

from geekagent_tui.rag.errors import RagError
from geekagent_tui.ui.gateway import Gateway


class Adding:
    """Asks the user for sources; keeps what was typed when the dialog is left.

    Args:
        folder: Where paths begin.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._draft = ""

    async def ask(self, app: App[None], gateway: Gateway, text: str = "") -> bool:
        """Show the dialog; take in what was agreed to, and tell whether anything was.

        Args:
            app: Shows it.
            gateway: Takes it.
            text: What to begin with, instead of what was typed the last time.
        """
        from geekagent_tui.ui.dialogs.add_sources import AddDialog

        dialog = AddDialog(gateway.preview, gateway.tags, self._folder, text or self._draft)
        agreed = await app.push_screen(dialog, wait_for_dismiss=True)
        self._draft = dialog.typed
        if agreed is None:
            return False
        try:
            await gateway.take_in(agreed.offer, agreed.positions, agreed.tags)
        except RagError as error:
            app.notify(error.message, severity="error", markup=False)
            return False
        self._draft = ""
        return True
