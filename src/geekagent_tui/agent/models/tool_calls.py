"""Putting streamed tool calls together, whatever a server makes of ids, indexes and names.

Seen in the wild: no index, the same index for all, an index that counts fragments, a name that comes late or
in every fragment, no id, a new id in every fragment, arguments as an object instead of text.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Collection, Mapping
from typing import Any

from geekagent_tui.agent.messages import ToolCall
from geekagent_tui.agent.models.surrogates import mend


class ToolCallAssembler:
    """Fragments → tool calls.

    Args:
        names: The tools that were offered.
    """

    def __init__(self, names: Collection[str]) -> None:
        self._names = names
        self._calls: list[_Call] = []

    def feed(self, fragment: Mapping[str, Any]) -> int:
        """Take one element of `delta.tool_calls`; returns how many characters of arguments it brought."""
        function = fragment.get("function")
        function = function if isinstance(function, Mapping) else {}
        name, identifier = _text(function.get("name")), _text(fragment.get("id"))
        index = fragment.get("index")
        call = self._find(identifier, index if type(index) is int else None, name)
        call.id = call.id or identifier
        if name != call.name:
            call.name += name
        arguments = _arguments(function.get("arguments"))
        call.add(arguments)
        return len(arguments)

    def finish(self) -> tuple[ToolCall, ...]:
        """The calls in the order in which they began; ids are there and differ, arguments are never empty."""
        used: set[str] = set()
        calls: list[ToolCall] = []
        for call in self._calls:
            if not call.name and not call.begun:
                continue  # an empty fragment that began nothing
            identifier = call.id if call.id and call.id not in used else f"call_{uuid.uuid4().hex}"
            used.add(identifier)
            calls.append(ToolCall(identifier, call.name, call.arguments() if call.begun else "{}"))
        return tuple(calls)

    def _find(self, identifier: str, index: int | None, name: str) -> _Call:
        """The call that a fragment belongs to: by id, then by index, then the last one; else a new one."""
        for call in reversed(self._calls):
            if identifier and call.id == identifier:
                return call
        placed = [call for call in self._calls if index is not None and call.index == index]
        candidates = placed or ([] if self._begins(identifier, index, name) else self._calls)
        if candidates and self._continues(candidates[-1], identifier, name):
            return candidates[-1]
        self._calls.append(_Call(identifier, index))
        return self._calls[-1]

    def _begins(self, identifier: str, index: int | None, name: str) -> bool:
        """Whether an index that no call has begins one; without id and name it may just count fragments."""
        if index is None:
            return False
        lacks_more = bool(self._calls) and self._calls[-1].begun and not self._calls[-1].complete
        return bool(identifier or name) or not lacks_more

    def _continues(self, call: _Call, identifier: str, name: str) -> bool:
        """Whether a fragment that points to a call can be a part of it."""
        other = bool(identifier and call.id)
        if not name:
            return not other or not call.complete  # some servers make up an id for every fragment
        if not call.name:
            return True
        if other:
            return False
        return (name == call.name and not call.complete) or call.name + name in self._names


class _Call:
    """A call that is being put together.

    It follows the braces of its arguments as they come, so that to ask whether they are complete costs
    nothing, however many fragments there are.
    """

    def __init__(self, identifier: str, index: int | None) -> None:
        self.id = identifier
        self.index = index
        self.name = ""
        self.begun = False
        self._pieces: list[str] = []
        self._depth = 0
        self._in_string = False
        self._escaped = False

    @property
    def complete(self) -> bool:
        """Whether the arguments are a whole JSON object, as far as its braces tell."""
        return self.begun and self._depth == 0

    def arguments(self) -> str:
        """All of them so far."""
        return mend("".join(self._pieces))

    def add(self, piece: str) -> None:
        """Take more arguments."""
        self.begun = self.begun or bool(piece.strip())
        self._pieces.append(piece)
        for character in piece:
            if self._escaped:
                self._escaped = False
            elif self._in_string and character == "\\":
                self._escaped = True
            elif character == '"':
                self._in_string = not self._in_string
            elif not self._in_string:
                self._depth += (character == "{") - (character == "}")


def _text(value: object) -> str:
    return mend(value) if isinstance(value, str) else ""


def _arguments(value: object) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)
