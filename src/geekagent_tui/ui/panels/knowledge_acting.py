"""Keys of the knowledge panel that do something to documents."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType

from geekagent_tui.rag.model import Document
from geekagent_tui.ui.document_actions import DocumentActions
from geekagent_tui.ui.panels.follower import Follower
from geekagent_tui.ui.panels.knowledge_list import DocumentList, EmptyBase
from geekagent_tui.ui.widgets.batch_strip import BatchRows, BatchStrip


class ActingPanel(Follower):
    """A panel in which documents are chosen, and what is done to them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("t", "tag", "", id="knowledge.tag"),
        Binding("u", "update", "", id="knowledge.update"),
        Binding("d,delete", "remove", "", id="knowledge.remove"),
        Binding("z", "undo", "", id="knowledge.undo"),
    ]

    @abstractmethod
    def targets(self) -> Sequence[Document]:
        """The documents that an action is about."""

    @property
    @abstractmethod
    def known_tags(self) -> Mapping[str, int]:
        """All tags, with how many documents have each."""

    def act(self, action: Callable[[DocumentActions], Coroutine[object, object, object]]) -> None:
        """Do something, when there is anything to do it with."""
        if self.gateway is not None:
            self.run_worker(action(DocumentActions(self.app, self.gateway)), group="documents")

    def action_remove(self) -> None:
        """Remove documents, after asking."""
        if targets := self.targets():
            self.act(lambda actions: actions.remove(targets))

    def action_undo(self) -> None:
        """Bring back what was removed last."""
        self.act(lambda actions: actions.undo())

    def action_update(self) -> None:
        """Bring documents up to date."""
        if targets := self.targets():
            self.act(lambda actions: actions.update(targets))

    def action_sync(self) -> None:
        """Bring every document up to date."""
        self.act(lambda actions: actions.update_all())

    def action_tag(self) -> None:
        """Choose the tags of documents."""
        if targets := self.targets():
            self.act(lambda actions: actions.tag(targets, self.known_tags))

    # --- the strip above the documents --------------------------------------------------------------------

    async def action_strip(self, action: str) -> None:
        """What the strip can do, from anywhere in the panel."""
        await self.query_one(BatchStrip).run_action(action)

    def on_document_list_above(self, event: DocumentList.Above) -> None:
        """Up from the first document: to the strip, when there is anything in it."""
        event.stop()
        strip = self.query_one(BatchRows)
        if strip.display:
            strip.focus()

    def on_batch_strip_left(self, event: BatchStrip.Left) -> None:
        """Down from the strip: to the documents."""
        event.stop()
        rows = self.query_one(DocumentList)
        (rows if rows.display else self.query_one(EmptyBase)).focus()
