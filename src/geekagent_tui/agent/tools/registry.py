"""Running the model's tool calls: what is allowed, what has to be asked, and what came of it.

In the reference's order: unknown tool, arguments, policy, question, work, secrets masked.
"""

from __future__ import annotations

import asyncio
import functools
import json
import logging
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from geekagent_tui.agent.blocking import stop
from geekagent_tui.agent.conversation import cancelled
from geekagent_tui.agent.events import ToolEntry, ToolState
from geekagent_tui.agent.journal import Journal, now
from geekagent_tui.agent.messages import ToolCall
from geekagent_tui.agent.models.base import ToolSpec
from geekagent_tui.agent.permissions import Permissions
from geekagent_tui.agent.records import ToolEnded
from geekagent_tui.agent.tools.base import Arguments, NestingTool, Outcome, TellingTool, Tool, ToolError
from geekagent_tui.config import Policy
from geekagent_tui.i18n import _
from geekagent_tui.rag.errors import RagError
from geekagent_tui.rag.lane import until_done
from geekagent_tui.rag.model import Hit

_log = logging.getLogger(__name__)

TARGET_LENGTH = 200
"""Characters of a target that the tool log keeps."""


class Tools:
    """Every tool the model has.

    Args:
        tools: The tools.
        permissions: What they may do.
        journal: Where calls are recorded.
        mask: Hides secrets in what tools answer.
        refusal: Why the session keeps the model from a tool, a sentence; "" when it does not.
    """

    def __init__(
        self,
        tools: Sequence[Tool],
        permissions: Permissions,
        journal: Journal,
        mask: Callable[[str], str],
        refusal: Callable[[str], str],
    ) -> None:
        self._tools = {tool.spec.name: tool for tool in tools}
        self._permissions = permissions
        self._journal = journal
        self._mask = mask
        self._refusal = refusal

    def specs(self) -> tuple[ToolSpec, ...]:
        """The tools offered to the model: those that are neither denied nor kept from it."""
        return tuple(
            tool.spec
            for name, tool in self._tools.items()
            if self._permissions.policy(name) is not Policy.DENY and not self._refusal(name)
        )

    def below(self) -> tuple[ToolSpec, ...]:
        """The tools offered to a sub-agent: those that only read and are allowed."""
        return tuple(spec for spec in self.specs() if self._is_for_sub_agents(spec.name))

    async def run_all(self, calls: Sequence[ToolCall]) -> None:
        """Run the calls of one answer and record their ends in the order of the calls.

        Neighbours that only read, and need not ask, run at once; the others one after another. A call that
        is cancelled stays open for `Journal.settle`.
        """
        for independent, neighbours in groupby(calls, self._is_independent):
            group = list(neighbours)
            if independent and len(group) > 1:
                await self._run_together(group)
                continue
            for call in group:
                self._journal.record(await self._run(call))

    async def run_below(self, call: ToolCall, parent: str) -> ToolEnded:
        """Run a sub-agent's call, shown as a step of `parent`; the conversation does not get its answer."""
        try:
            ended = await self._run(call, parent)
        except asyncio.CancelledError:
            if entry := self._journal.conversation.tools.get(call.id):
                self._journal.record(replace(cancelled(entry), content=None))
            raise
        self._journal.record(replace(ended, content=None))
        return ended

    def _is_for_sub_agents(self, name: str) -> bool:
        tool = self._tools.get(name)
        return (
            tool is not None
            and tool.spec.read_only
            and not isinstance(tool, NestingTool)
            and self._permissions.policy(name) is Policy.ALLOW
        )

    async def _run_together(self, calls: Sequence[ToolCall]) -> None:
        tasks = [asyncio.create_task(self._run(call), name=f"tool {call.name}") for call in calls]
        try:
            for task in asyncio.as_completed(tasks):
                self._journal.tool((await task).entry)  # seen at once, recorded in order
        finally:
            for unfinished in tasks:
                stop(unfinished)
            for task in tasks:
                await until_done(task)
            ended = [task.result() for task in tasks if not task.cancelled() and not task.exception()]
            self._journal.record(*ended)

    def _is_independent(self, call: ToolCall) -> bool:
        tool = self._tools.get(call.name)
        return (
            tool is not None
            and tool.spec.read_only
            and not tool.guarded
            and self._permissions.policy(call.name) is Policy.ALLOW
        )

    async def _run(self, call: ToolCall, parent: str = "") -> ToolEnded:
        """Run one call, of the model or of its sub-agent `parent`."""
        tool = self._tools.get(call.name)
        arguments, problem = _parse(call)
        entry = ToolEntry(
            call.id,
            call.name,
            self._target(tool, arguments)[:TARGET_LENGTH],
            self._mask(_pretty(call, arguments)),
            now(),
            after=self._journal.conversation.last_entry,
            parent=parent,
        )
        self._journal.tool(entry)
        await self._journal.written()  # that the call was made is known before it does anything
        began = time.monotonic()
        outcome = await self._outcome(call, tool, arguments, problem, entry)
        content = self._mask(outcome.content)
        ended = replace(
            entry,
            state=outcome.state,
            summary=self._mask(outcome.summary),
            result=content,
            hits=masked(outcome.hits, self._mask),
            seconds=time.monotonic() - began,
        )
        if outcome.state is ToolState.DENIED and tool is not None and tool.asks_itself:
            ended = replace(ended, after=self._journal.conversation.last_entry)
        return ToolEnded(ended, content)

    def _target(self, tool: Tool | None, arguments: Arguments | None) -> str:
        """What a call works on; secrets are hidden before anything is cut, or half of one would stay."""
        return self._mask(tool.target(arguments)) if tool is not None and arguments is not None else ""

    async def _outcome(
        self, call: ToolCall, tool: Tool | None, arguments: Arguments | None, problem: str, entry: ToolEntry
    ) -> Outcome:
        if tool is None:
            return _failed(_("未知工具：{name}").format(name=call.name))
        if arguments is None:
            return _failed(problem)
        if missing := _missing(tool.spec, arguments):
            return _failed(_("缺少参数 {name}").format(name=missing))
        if refused := self._refusal(call.name):
            return Outcome(refused, _("权限拒绝"), ToolState.DENIED)
        policy = self._permissions.policy(call.name)
        if policy is Policy.DENY or (entry.parent and not self._is_for_sub_agents(call.name)):
            refused = _("权限拒绝：工具 {name} 不允许执行").format(name=call.name)
            return Outcome(refused, _("权限拒绝"), ToolState.DENIED)
        if not await self._may_run(tool, policy, entry, self._target(tool, arguments)):
            return Outcome(_("已取消执行"), _("已拒绝"), ToolState.DENIED)
        return await _work(tool, arguments, entry.call_id, functools.partial(self._grow, entry))

    def _grow(self, entry: ToolEntry, text: str) -> None:
        """Show what a running call has come to so far."""
        self._journal.tool(replace(entry, result=self._mask(text)))

    async def _may_run(self, tool: Tool, policy: Policy, entry: ToolEntry, target: str) -> bool:
        """Whether policy, grants or the user allow it; what was read could have asked for it."""
        if tool.asks_itself:
            return True
        doubtful = tool.guarded and self._journal.foreign
        if policy is Policy.ALLOW and not doubtful:
            return True
        question = _("工具 {name} 请求执行").format(name=entry.name)
        if doubtful:
            question = _("对话里有外部资料，请看清内容再决定。") + "\n" + question
        return await self._permissions.ask(entry.name, question, target, entry.arguments, informed=doubtful)


def masked(hits: Iterable[Hit], mask: Callable[[str], str]) -> tuple[Hit, ...]:
    """What a search found, with its secrets hidden."""
    return tuple(replace(hit, text=mask(hit.text)) for hit in hits)


async def _work(tool: Tool, arguments: Arguments, call_id: str, tell: Callable[[str], None]) -> Outcome:
    try:
        if isinstance(tool, NestingTool):
            return await tool.run_within(arguments, call_id)
        if isinstance(tool, TellingTool):
            return await tool.run_told(arguments, tell)
        return await tool.run(arguments)
    except ToolError as error:
        return _failed(str(error))
    except asyncio.CancelledError:
        raise
    except Exception as error:
        _log.exception("tool %s", tool.spec.name)
        reason = error.message if isinstance(error, RagError) else str(error) or type(error).__name__
        return _failed(_("工具执行失败：{reason}").format(reason=reason))


def _pretty(call: ToolCall, arguments: Arguments | None) -> str:
    return call.arguments if arguments is None else json.dumps(arguments, ensure_ascii=False, indent=2)


def _failed(content: str) -> Outcome:
    return Outcome(content, _("失败"), ToolState.FAILED)


def _parse(call: ToolCall) -> tuple[dict[str, Any] | None, str]:
    """The arguments, or None and what is wrong with them."""
    if not call.arguments.strip():
        return {}, ""
    try:
        value = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return None, _("参数不是合法 JSON：{text}").format(text=call.arguments)
    if not isinstance(value, dict):
        return None, _("参数不是合法 JSON：{text}").format(text=call.arguments)
    return value, ""


def _missing(spec: ToolSpec, arguments: Arguments) -> str:
    """The first required argument that is missing; a text is when it is blank, unless `minLength` is 0."""
    properties = spec.parameters.get("properties", {})
    for name in spec.parameters.get("required", ()):
        value, schema = arguments.get(name), properties.get(name, {})
        is_text = schema.get("type") == "string"
        blank = is_text and not (isinstance(value, str) and (value.strip() or schema.get("minLength") == 0))
        if value is None or blank:
            return str(name)
    return ""
