"""Removing a document, with consent."""

from __future__ import annotations

from textual.app import App

from geekagent_tui.i18n import _
from geekagent_tui.rag.errors import RagError
from geekagent_tui.rag.model import Document
from geekagent_tui.ui.dialogs.confirm import Confirm
from geekagent_tui.ui.gateway import Gateway


async def ask_to_remove(app: App[None], gateway: Gateway, document: Document) -> bool:
    """Ask, then remove; tell whether the document is gone."""
    named = _("《{title}》").format(title=document.title) + "\n" + document.source
    dialog = Confirm(_("从知识库移除？"), named, _("移除"))
    if not await app.push_screen(dialog, wait_for_dismiss=True):
        return False
    try:
        await gateway.remove(document.id)
    except RagError as error:
        app.notify(error.message, severity="error", markup=False)
        return False
    return True
