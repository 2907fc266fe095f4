"""How an ingest is told: in the chat, in the tool log, and to the model."""

from __future__ import annotations

import json
import secrets
import time
from collections import Counter
from dataclasses import replace
from datetime import datetime

from geekagent_tui.agent import events as ev
from geekagent_tui.agent.journal import Journal, now
from geekagent_tui.agent.records import ToolEnded
from geekagent_tui.i18n import _, ngettext
from geekagent_tui.rag.model import IngestPhase, IngestProgress, IngestResult, IngestState
from geekagent_tui.rag.wording import describe

LINES = 20
"""Results of one ingest that get a line of their own in the chat; the rest are counted."""

LOGGED = 200
"""Sources of one ingest that get an entry in the tool log; of the rest only the failed ones do."""

_STATES = {
    IngestState.FAILED: ev.ToolState.FAILED,
    IngestState.CANCELLED: ev.ToolState.CANCELLED,
}
_LOUD = (IngestState.FAILED, IngestState.SKIPPED)


class IngestReport:
    """The results of one ingest.

    They belong to the conversation that it began in. Once that one has been left, nothing is told before the
    end, and then in one notice that says so.

    Args:
        journal: Where they are told.
        log: Whether each source is an entry in the tool log; a model's ingest is one entry already.
        syncs: Whether it brings known documents up to date: most of them stay as they are, and only the
            others are told of one by one.

    Attributes:
        results: In the order in which they came.
    """

    def __init__(self, journal: Journal, *, log: bool, syncs: bool = False) -> None:
        self.results: list[IngestResult] = []
        self._journal = journal
        self._began_in = journal.conversation
        self._log = log
        self._syncs = syncs
        self._lines = 0
        self._unsaid: list[IngestResult] = []
        self._moving: dict[str, tuple[datetime, float]] = {}
        self._batch = secrets.token_hex(4)
        self._running: dict[str, tuple[ev.ToolEntry, float]] = {}
        self._refused = False

    def moved(self, progress: IngestProgress) -> None:
        """A source moved on; its entry begins when its turn has come."""
        if progress.phase is IngestPhase.QUEUED or not self._log or self._left:
            return
        if self._syncs:
            self._moving.setdefault(progress.source, (now(), time.monotonic()))
        elif progress.source not in self._running and len(self._running) < LOGGED:
            self._journal.tool(self._begin(progress.source))

    def ended(self, result: IngestResult) -> None:
        """A source ended."""
        self.results.append(result)
        if self._left:
            return
        if self._log:
            self._end_entry(result)
        if result.state is IngestState.CANCELLED:
            # One line is enough for all that was refused or stopped together.
            if not self._refused:
                self._refused = True
                self._say(result)
        elif self._lines < LINES and not self._is_quiet(result):
            self._lines += 1
            self._say(result)
        else:
            self._unsaid.append(result)

    def close(self) -> None:
        """Tell the sum of what had no line of its own."""
        if self._left and self.results:
            head = _("会话 {id} 里开始的采集已结束：").format(id=self._began_in.session)
            self._journal.notice(f"[{head}\n{self.text()}]")
        elif len(self.results) == len(self._unsaid) == 1:
            self._say(self.results[0])
        elif self._unsaid or len(self.results) > LINES:
            self._journal.notice("[" + self._total() + "]")

    def text(self) -> str:
        """The results for the model: a line each, or the sum of many. Never the text of a source."""
        if not self.results:
            return _("没有可以采集的内容")
        if len(self.results) > LINES:
            return self._total()
        return "\n".join(describe(result) for result in self.results)

    def summary(self) -> str:
        """The results in a few words."""
        if len(self.results) == 1:
            return brief(self.results[0])
        return ngettext("{n} 项", "{n} 项", len(self.results)).format(n=len(self.results))

    def state(self) -> ev.ToolState:
        """The results as the end of one tool call."""
        states = {result.state for result in self.results}
        if states == {IngestState.CANCELLED}:
            return ev.ToolState.DENIED
        return ev.ToolState.FAILED if states <= {IngestState.FAILED} else ev.ToolState.DONE

    @property
    def _left(self) -> bool:
        return self._journal.conversation is not self._began_in

    def _is_quiet(self, result: IngestResult) -> bool:
        return self._syncs and result.state is IngestState.UNCHANGED

    def _total(self) -> str:
        """Many results as one line."""
        count = len(self.results)
        if self._syncs:
            told = ngettext("同步了 {n} 个文档：{parts}", "同步了 {n} 个文档：{parts}", count)
        else:
            told = ngettext("采集了 {n} 个来源：{parts}", "采集了 {n} 个来源：{parts}", count)
        return told.format(n=count, parts=_parts(self.results))

    def _say(self, result: IngestResult) -> None:
        level = ev.Level.WARNING if result.state in _LOUD else ev.Level.INFO
        self._journal.notice(f"[{describe(result)}]", level)

    def _begin(self, source: str) -> ev.ToolEntry:
        began_at, began = self._moving.pop(source, (now(), time.monotonic()))
        entry = ev.ToolEntry(
            f"{self._batch}-{len(self._running) + 1}",
            "rag_sync" if self._syncs else "rag_add",
            source,
            json.dumps({"source": source}, ensure_ascii=False, indent=2),
            began_at,
            after=self._journal.conversation.last_entry,
        )
        self._running[source] = entry, began
        return entry

    def _end_entry(self, result: IngestResult) -> None:
        if self._is_quiet(result):
            self._moving.pop(result.source, None)
            return
        if result.source not in self._running:
            if len(self._running) >= LOGGED and result.state is not IngestState.FAILED:
                return
            self._begin(result.source)
        entry, began = self._running[result.source]
        ended = replace(
            entry,
            state=_STATES.get(result.state, ev.ToolState.DONE),
            summary=brief(result),
            result=describe(result),
            seconds=time.monotonic() - began,
        )
        self._journal.record(ToolEnded(ended))


def brief(result: IngestResult) -> str:
    """A result in a few words, for the tool log."""
    match result.state:
        case IngestState.ADDED | IngestState.UPDATED:
            return ngettext("{n} 字", "{n} 字", result.characters).format(n=result.characters)
        case IngestState.UNCHANGED:
            return _("已有")
        case IngestState.SKIPPED:
            return _("已跳过")
        case IngestState.FAILED:
            return _("失败")
        case IngestState.CANCELLED:
            return _("已取消")
        case IngestState.REMOVED:
            return _("已移除")


def _parts(results: list[IngestResult]) -> str:
    """How many ended in which way."""
    counts = Counter(result.state for result in results)
    names = {
        IngestState.ADDED: _("新增 {n}"),
        IngestState.UPDATED: _("更新 {n}"),
        IngestState.UNCHANGED: _("未变 {n}"),
        IngestState.SKIPPED: _("跳过 {n}"),
        IngestState.FAILED: _("失败 {n}"),
        IngestState.CANCELLED: _("取消 {n}"),
        IngestState.REMOVED: _("移除 {n}"),
    }
    parts = [name.format(n=counts[state]) for state, name in names.items() if counts[state]]
    return _("，").join(parts)
