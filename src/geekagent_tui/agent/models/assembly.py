"""A streamed completion, chunk by chunk, as any OpenAI-compatible server may send it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from geekagent_tui.agent.models.base import (
    ModelError,
    ModelEvent,
    ReasoningDelta,
    Reply,
    TextDelta,
    Usage,
)
from geekagent_tui.agent.models.surrogates import ends_in_half, mend
from geekagent_tui.agent.models.tool_calls import ToolCallAssembler
from geekagent_tui.i18n import _

ANSWER_LIMIT = 2_000_000
"""Characters of one answer with its reasoning and tool calls at most: a model that never ends is cut off."""

_TELLING = ("error", "message", "detail", "msg", "code", "type")


class ServerSaidError(Exception):
    """A server answered 200 and sent an error; the text is its own."""


class Assembler:
    """Chunks → events and the reply.

    Args:
        names: The tools that were offered.

    Attributes:
        complete: The server said that the answer ends here.
        empty: Nothing of an answer has come yet.
        returned: The server tells what the model thought in the field in which some want it back,
            `reasoning_content`.
    """

    def __init__(self, names: Collection[str]) -> None:
        self.complete = False
        self.empty = True
        self.returned = False
        self._calls = ToolCallAssembler(names)
        self._text = _Text()
        self._thought = _Text()
        self._size = 0
        self._usage: Usage | None = None
        self._finish = ""

    def feed(self, chunk: object) -> Iterator[ModelEvent]:
        """Take one chunk, the JSON of one event, or a whole completion that was not streamed.

        Raises:
            ServerSaidError: The chunk is an error.
            ModelError: The answer is over `ANSWER_LIMIT`.
        """
        if not isinstance(chunk, Mapping):
            return
        choices = chunk.get("choices")
        if problem := _problem(chunk, has_choices=isinstance(choices, list)):
            raise ServerSaidError(problem)
        self._usage = _usage(chunk.get("usage")) or self._usage
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, Mapping) and not choice.get("index"):
                yield from self._take(choice)

    def finish(self) -> Iterator[ModelEvent]:
        """What is left of the text, and the reply."""
        if rest := self._text.close():
            yield TextDelta(rest)
        thought = self._thought.close()
        if thought:
            yield ReasoningDelta(thought)
        yield Reply(
            self._text.whole(), self._calls.finish(), self._usage, self._finish, self._thought.whole()
        )

    def _take(self, choice: Mapping[str, Any]) -> Iterator[ModelEvent]:
        delta = choice.get("delta") or choice.get("message")
        if isinstance(delta, Mapping):
            yield from self._read(delta)
        finish = choice.get("finish_reason")
        if isinstance(finish, str) and finish:
            self._finish = finish
            self.complete = True

    def _read(self, delta: Mapping[str, Any]) -> Iterator[ModelEvent]:
        thought = _words(delta.get("reasoning_content"))
        self.returned |= bool(thought)
        thought = thought or _words(delta.get("reasoning"))
        if shown := self._thought.take(thought):
            self.empty = False
            yield ReasoningDelta(shown)
        text = _words(delta.get("content")) or _words(delta.get("refusal"))
        if shown := self._text.take(text):
            self.empty = False
            yield TextDelta(shown)
        self._grow(len(thought) + len(text))
        calls = delta.get("tool_calls")
        for fragment in calls if isinstance(calls, list) else ():
            if isinstance(fragment, Mapping):
                self.empty = False
                self._grow(1 + self._calls.feed(fragment))

    def _grow(self, size: int) -> None:
        self._size += size
        if self._size > ANSWER_LIMIT:
            raise ModelError(_("回答超过 {n} 字符，已停止接收").format(n=ANSWER_LIMIT))


class _Text:
    """Text in fragments. A character that JSON wrote as two halves may be cut between them."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._half = ""

    def take(self, piece: str) -> str:
        """What can be shown now."""
        piece = self._half + piece
        self._half = ""
        if ends_in_half(piece):
            piece, self._half = piece[:-1], piece[-1]
        return self._keep(piece)

    def close(self) -> str:
        """What was held back."""
        half, self._half = self._half, ""
        return self._keep(half)

    def whole(self) -> str:
        """All of it."""
        return "".join(self._pieces)

    def _keep(self, piece: str) -> str:
        piece = mend(piece)
        self._pieces.append(piece)
        return piece


def _words(value: object) -> str:
    """The text of a `content`: a string, or a list of parts of which those of type text count."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "".join(_words(part.get("text")) for part in value if isinstance(part, Mapping))
    return ""


def _problem(chunk: Mapping[str, Any], *, has_choices: bool) -> str:
    """The error in a chunk, in whatever way it is told; "" when it is none."""
    if error := chunk.get("error"):
        return error_text(error)
    if has_choices or chunk.get("usage"):
        return ""
    return (
        error_text(chunk) if chunk.get("object") == "error" or "detail" in chunk or "message" in chunk else ""
    )


def error_text(body: object) -> str:
    """A server's own words from the body of an error."""
    while isinstance(body, Mapping | list) and body:
        if isinstance(body, list):
            body = body[0]
            continue
        told = next((body[key] for key in _TELLING if body.get(key)), None)
        if told is None:
            break
        body = told
    return str(body) if body else ""


def _usage(value: object) -> Usage | None:
    if not isinstance(value, Mapping):
        return None
    prompt, completion = value.get("prompt_tokens"), value.get("completion_tokens")
    if type(prompt) is not int or type(completion) is not int:
        return None
    return Usage(prompt, completion)
