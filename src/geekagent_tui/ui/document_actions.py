"""What the user can do with documents, from wherever they are shown."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeVar

from textual.app import App

from geekagent_tui.i18n import _, ngettext
from geekagent_tui.rag.errors import RagError
from geekagent_tui.rag.model import Document, IngestResult, IngestState, Selection
from geekagent_tui.ui.gateway import Gateway
from geekagent_tui.ui.removal import ask_to_remove

_T = TypeVar("_T")


class DocumentActions:
    """Asks where that is due, does it, and says what came of it in the bottom line.

    Args:
        app: Shows dialogs and messages.
        gateway: Does it.
    """

    def __init__(self, app: App[None], gateway: Gateway) -> None:
        self._app = app
        self._gateway = gateway

    async def remove(self, documents: Sequence[Document]) -> bool:
        """Remove documents, after asking; whether they are gone."""
        if not await ask_to_remove(self._app, self._gateway, documents):
            return False
        n = len(documents)
        self._tell(ngettext("已移除 {n} 个文档 · z 撤销", "已移除 {n} 个文档 · z 撤销", n).format(n=n))
        return True

    async def undo(self) -> list[IngestResult]:
        """Bring back what was removed last."""
        results = await self._try(self._gateway.undo_remove, list[IngestResult]())
        back = sum(result.state is IngestState.ADDED for result in results)
        if back:
            self._tell(ngettext("已恢复 {n} 个文档", "已恢复 {n} 个文档", back).format(n=back))
        else:
            self._tell(_("没有可以恢复的移除"), warning=True)
        return results

    async def update(self, documents: Sequence[Document]) -> None:
        """Bring documents up to date, in the background."""
        n = len(documents)
        self._tell(ngettext("正在更新 {n} 个文档…", "正在更新 {n} 个文档…", n).format(n=n))
        ids = {document.id for document in documents}
        await self._try(lambda: self._gateway.update(ids), None)

    async def update_all(self) -> None:
        """Bring every document up to date, in the background."""
        self._tell(_("正在更新全部文档…"))
        await self._try(self._gateway.update, None)

    async def tag(self, documents: Sequence[Document], known: Mapping[str, int]) -> None:
        """Ask which tags documents should have, and see to it."""
        from geekagent_tui.ui.dialogs.tags import TagDialog

        change = await self._app.push_screen(TagDialog(documents, known), wait_for_dismiss=True)
        if not change:
            return
        ids = [document.id for document in documents]
        results = await self._try(
            lambda: self._gateway.tag(ids, add=change.add, remove=change.remove), list[IngestResult]()
        )
        if failed := [result for result in results if result.state is IngestState.FAILED]:
            self._tell(failed[0].reason, warning=True)
        elif results:
            n = len(results)
            self._tell(ngettext("已改 {n} 个文档的标签", "已改 {n} 个文档的标签", n).format(n=n))

    async def focus(self, selection: Selection | None) -> None:
        """Limit the conversation to some documents; None to all."""
        await self._try(lambda: self._gateway.focus(selection), None)
        if selection is None:
            self._tell(_("不再限定资料"))

    async def focus_on(self, selection: Callable[[], Selection]) -> None:
        """Limit it to documents that are worked out, in a thread: there may be thousands."""
        await self.focus(await asyncio.to_thread(selection))

    async def _try(self, action: Callable[[], Awaitable[_T]], failed: _T) -> _T:
        """Do it; a failure is told and gives `failed`."""
        try:
            return await action()
        except RagError as error:
            self._tell(error.message, warning=True)
            return failed

    def _tell(self, message: str, *, warning: bool = False) -> None:
        self._app.notify(message, severity="warning" if warning else "information", markup=False)
