"""Removing documents, with consent."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import App

from geekagent_tui.i18n import _, ngettext
from geekagent_tui.rag.errors import RagError
from geekagent_tui.rag.model import Document
from geekagent_tui.ui.gateway import Gateway
from geekagent_tui.ui.text import one_line

_NAMED = 5
"""Documents that are named one by one when several are to go."""


async def ask_to_remove(app: App[None], gateway: Gateway, documents: Sequence[Document]) -> bool:
    """Ask, then remove; tell whether the documents are gone."""
    from geekagent_tui.ui.dialogs.confirm import Confirm

    dialog = Confirm(_("从知识库移除？"), _named(documents), _("移除"))
    if not documents or not await app.push_screen(dialog, wait_for_dismiss=True):
        return False
    try:
        await gateway.remove([document.id for document in documents])
    except RagError as error:
        app.notify(error.message, severity="error", markup=False)
        return False
    return True


def _named(documents: Sequence[Document]) -> str:
    if len(documents) == 1:
        return _("《{title}》").format(title=documents[0].title) + "\n" + documents[0].source
    count = len(documents)
    lines = [ngettext("{n} 个文档：", "{n} 个文档：", count).format(n=count)]
    lines += [_("《{title}》").format(title=one_line(document.title)) for document in documents[:_NAMED]]
    if (rest := count - _NAMED) > 0:
        lines.append(ngettext("…还有 {n} 个", "…还有 {n} 个", rest).format(n=rest))
    return "\n".join(lines)
