"""The file tools on a real folder, with somebody who answers what they ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from geekagent_tui.agent.change_log import ChangeLog
from geekagent_tui.agent.changes import Changes
from geekagent_tui.agent.confined import Confined
from geekagent_tui.agent.consent import Consent
from geekagent_tui.agent.events import Event, PermissionDecision, PermissionReview, Scope
from geekagent_tui.agent.grants import GrantFile
from geekagent_tui.agent.permissions import Desk, Permissions
from geekagent_tui.agent.tools.base import Outcome, Tool, ToolError
from geekagent_tui.agent.tools.files_list import Glob, Ls
from geekagent_tui.agent.tools.files_read import Read
from geekagent_tui.agent.tools.files_write import Editor, Patch, Write
from geekagent_tui.agent.tools.search import Search
from geekagent_tui.agent.tools.shell import RunShell
from geekagent_tui.config import Policy
from geekagent_tui.config.secrets import mask

READING = ("ls", "read", "glob", "search")
ASKING = ("write", "patch", "run_shell", "fetch")
SECRET = "sk-0123456789-secret"


class Workbench:
    """A root, its tools, and the user: `reviews` holds what was asked, `answer` is what is said to it.

    Attributes:
        before_answering: Called before each answer.
        foreign: Whether there is foreign text in the conversation.
        turn: The key of the present turn.
    """

    def __init__(
        self,
        folder: Path,
        policies: Mapping[str, Policy] | None = None,
        rules: Mapping[str, Mapping[str, Policy]] | None = None,
    ) -> None:
        self.root = folder / "root"
        self.root.mkdir(exist_ok=True)
        self.reviews: list[PermissionReview] = []
        self.answer = PermissionDecision(allow=True)
        self.before_answering: Callable[[], object] = lambda: None
        self.foreign = False
        self.turn = "1"
        self.desk = Desk(self._publish, lambda: True)
        table = {**dict.fromkeys(READING, Policy.ALLOW), **dict.fromkeys(ASKING, Policy.ASK)}
        self.grants = GrantFile(folder / "user" / "grants.json", self.root)
        self.permissions = Permissions({**table, **(policies or {})}, self.desk, rules or {}, self.grants)
        self.consent = Consent(self.permissions, lambda: self.foreign, self.mask)
        self.confined = Confined(self.root)
        self.changes = Changes(
            ChangeLog(folder / "undo"), self.confined, lambda: (f"s#{self.turn}", "改一改")
        )
        editor = Editor(self.confined, self.consent, self.changes)
        tools: list[Tool] = [
            Ls(self.confined, self.consent),
            Read(self.confined, self.consent, self.mask),
            Glob(self.confined, self.consent),
            Search(self.confined, self.consent, self.mask),
            Write(editor),
            Patch(editor),
            RunShell(self.root, self.consent, self.mask, {SECRET: "THE_KEY"}),
        ]
        self.tools = {tool.spec.name: tool for tool in tools}

    def put(self, path: str, content: str | bytes) -> Path:
        """Make a file in the root."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    async def call(self, name: str, **arguments: Any) -> str:
        """What the model reads when it calls a tool."""
        try:
            return (await self.outcome(name, **arguments)).content
        except ToolError as error:
            return str(error)

    async def outcome(self, name: str, **arguments: Any) -> Outcome:
        """What a tool answers."""
        return await self.tools[name].run(arguments)

    def allow(self, scope: Scope = Scope.ONCE) -> None:
        """Say yes from now on."""
        self.answer = PermissionDecision(allow=True, scope=scope)

    def refuse(self) -> None:
        """Say no from now on."""
        self.answer = PermissionDecision()

    @staticmethod
    def mask(text: str) -> str:
        """Hide the one secret."""
        return mask(text, {SECRET: "THE_KEY"})

    def _publish(self, event: Event) -> None:
        if isinstance(event, PermissionReview):
            self.reviews.append(event)
            self.before_answering()
            self.desk.answer(event.request_id, self.answer)
