"""`geekagent ask`: one turn, the answer on stdout, the tool log on stderr."""

from __future__ import annotations

import argparse
import asyncio
from dataclasses import replace
from typing import Any

from geekagent_tui.agent import events as ev
from geekagent_tui.agent.ask import Answer, run_once
from geekagent_tui.agent.core import Agent
from geekagent_tui.agent.models.choose import OFFLINE, choose_model
from geekagent_tui.agent.scope import selection_of
from geekagent_tui.cli import FAILED, INTERRUPTED, OK, USAGE
from geekagent_tui.cli.here import from_here
from geekagent_tui.cli.input import read_all
from geekagent_tui.cli.output import Output
from geekagent_tui.cli.selection import selection
from geekagent_tui.cli.trust import trusted
from geekagent_tui.config import Config, load_config
from geekagent_tui.i18n import _
from geekagent_tui.paths import Workspace
from geekagent_tui.rag.model import Selection


def ask(call: argparse.Namespace, workspace: Workspace, output: Output) -> int:
    """Ask once; whatever would need a person's consent is denied.

    Raises:
        ConfigError: The settings can't be read.
        KeyboardInterrupt: Ctrl+C.
        RagError: The knowledge base can't be opened.
    """
    question = call.question
    if question == "-":
        question = read_all(_("请输入问题，按 Ctrl+D 结束："))
    if not question.strip():
        output.error("usage", _("问题是空的"))
        return USAGE
    config = load_config(workspace, trust=trusted(call, workspace, output))
    if config.connection is None and call.model not in {None, OFFLINE, *config.profiles}:
        unusable = _(
            "没有配置模型服务，「{model}」用不上，现用离线模型回答；要用它请设置 OPENAI_BASE_URL（base_url）"
        )
        output.message(unusable.format(model=call.model))
    return asyncio.run(_ask(call, question, _within(call, workspace), workspace, config, output))


def _within(call: argparse.Namespace, workspace: Workspace) -> Selection:
    """The documents that the options limit the question to."""
    chosen, only = selection(call, workspace), selection_of(call.only)
    sources = (*chosen.sources, *from_here(only.sources, workspace))
    return replace(chosen, tags=(*chosen.tags, *only.tags), sources=sources)


async def _ask(
    call: argparse.Namespace,
    question: str,
    within: Selection,
    workspace: Workspace,
    config: Config,
    output: Output,
) -> int:
    agent = await Agent.open(workspace, config, choose_model(config, call.model), resume=False)
    try:
        await _tell_notices(agent, output)
        focus = await agent.focus(within)
        if focus is not None and not focus.documents:
            output.error("not_selected", _("没有文档符合所选的范围"))
            return FAILED
        answer = await run_once(agent, question, _Teller(output))
    finally:
        await agent.close()
    if answer.end is not ev.TurnEnd.DONE:
        if output.as_json:  # people have read it already, as a notice
            output.value({"error": {"code": "model_error", "message": answer.error or _("已中断")}})
        return FAILED if answer.end is ev.TurnEnd.FAILED else INTERRUPTED
    if output.as_json:
        output.value(_value(answer))
    return OK


async def _tell_notices(agent: Agent, output: Output) -> None:
    """What settings, memory, instructions and the knowledge base had to say when the agent opened."""
    async with agent.subscribe() as events:
        now = await anext(events)
    if isinstance(now, ev.Snapshot):
        for entry in now.chat:
            output.message(entry.text)


class _Teller:
    """Shows a turn as it happens."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._streamed = ""

    def __call__(self, event: ev.Event) -> None:
        match event:
            case ev.AnswerDelta(text=text):
                self._streamed += text
                self._output.write(text)
            case ev.ChatAdded(entry=ev.ChatEntry(role="assistant", text=text)) if text:
                missed = text.removeprefix(self._streamed)
                self._output.write(missed + ("" if text.endswith("\n") else "\n"))
                self._streamed = ""
            case ev.ChatAdded(entry=ev.ChatEntry(role="notice", text=text)):
                self._output.message(text)
            case ev.ToolChanged(entry=entry) if entry.state is not ev.ToolState.RUNNING:
                seconds = f"{(entry.seconds or 0) * 1000:.0f} ms"
                self._output.message(
                    f"[{entry.name}] {entry.target} → {entry.summary or entry.state} ({seconds})"
                )


def _value(answer: Answer) -> dict[str, Any]:
    return {
        "answer": answer.text,
        "citations": [
            {
                "title": citation.title,
                "passage": citation.passage,
                "id": citation.document_id,
                "source": citation.source,
                "checked": citation.document_id is not None,
                **({"page": citation.page} if citation.page else {}),
            }
            for citation in answer.citations
        ],
        "tools": [
            {
                "name": tool.name,
                "arguments": tool.arguments,
                "state": tool.state.value,
                "summary": tool.summary,
                "result": tool.result,
                "seconds": tool.seconds,
            }
            for tool in answer.tools
        ],
    }
