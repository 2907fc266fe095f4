"""A session for reading elsewhere: Markdown with its sources as footnotes, or JSON with all of its records.

Everything here blocks: call it off the event loop.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from pathlib import Path

from geekagent_tui.agent.citations import Evidence
from geekagent_tui.agent.events import ChatEntry, Citation, ToolEntry
from geekagent_tui.agent.models.quoting import literal
from geekagent_tui.files import write_atomically
from geekagent_tui.i18n import _
from geekagent_tui.sanitize import clean

FORMAT = "geekagent-session"
_FOOTNOTE = re.compile(r"\[\^(?=[0-9]+\])")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


@dataclass(frozen=True, slots=True)
class Transcript:
    """What is exported as Markdown."""

    session: str
    title: str
    chat: Sequence[ChatEntry]
    tools: Sequence[ToolEntry]
    evidence: Evidence


@dataclass(slots=True)
class _Footnotes:
    """Each passage gets one number, in the order of the mentions."""

    evidence: Evidence
    cited: dict[tuple[str, int, str], tuple[int, Citation]] = field(default_factory=dict)

    def number(self, citation: Citation) -> int:
        key = citation.source or citation.title, citation.passage, citation.digest
        return self.cited.setdefault(key, (len(self.cited) + 1, citation))[0]

    def written(self) -> Iterator[str]:
        for number, citation in self.cited.values():
            name = _("《{title}》第 {n} 段，{source}").format(
                title=literal(citation.title), n=citation.passage, source=literal(citation.source)
            )
            yield f"[^{number}]: {name}"
            yield from (f"    > {literal(line)}".rstrip() for line in self._words(citation))
            yield ""

    def _words(self, citation: Citation) -> list[str]:
        text = self.evidence.text(citation)
        return ["", *clean(text).split("\n")] if text else []


def as_markdown(transcript: Transcript) -> bytes:
    """Questions, tool calls and answers in order; what an answer rested on stands below."""
    footnotes = _Footnotes(transcript.evidence)
    calls: defaultdict[int, list[ToolEntry]] = defaultdict(list)
    for tool in transcript.tools:
        calls[tool.after].append(tool)
    now = f"{datetime.now().astimezone():%Y-%m-%d %H:%M}"
    lines = [
        f"# {literal(transcript.title or transcript.session)}",
        "",
        _("会话 {id}，导出于 {time}").format(id=transcript.session, time=now),
        "",
    ]
    for entry in transcript.chat:
        if entry.role != "notice":
            lines += [_heading(entry), "", _closed(_with_marks(entry, footnotes)), ""]
        if found := calls.pop(entry.entry_id, []):
            lines += [*map(_call, found), ""]
    lines += footnotes.written()
    return "\n".join(lines).encode()


def as_json(session: str, title: str, lines: Sequence[bytes]) -> bytes:
    """All records as the session's file holds them, also those of kinds that this version does not know."""
    value = {
        "format": FORMAT,
        "session": session,
        "title": title,
        "exported_at": datetime.now().astimezone().isoformat(timespec="seconds"),
        "records": [json.loads(line) for line in lines],
    }
    try:
        return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()
    except UnicodeEncodeError:  # lone surrogates
        return (json.dumps(value, indent=2) + "\n").encode()


def write_new(path: Path, data: bytes) -> None:
    """Write a file that is not there yet.

    Raises:
        FileExistsError: There is one.
        OSError: It can't be written; nothing is there then.
    """
    path.touch(mode=0o600, exist_ok=False)  # the name is ours from here on
    try:
        write_atomically(path, data)
    except OSError:
        path.unlink(missing_ok=True)
        raise


def write_beside(path: Path, data: bytes) -> Path:
    """Write a file under the wanted name, or with a number behind it when there is such a file.

    Raises:
        OSError: It can't be written.
    """
    for number in count(1):
        target = path if number == 1 else path.with_stem(f"{path.stem}-{number}")
        try:
            write_new(target, data)
        except FileExistsError:
            continue
        return target
    raise AssertionError("numbers are endless")


def _heading(entry: ChatEntry) -> str:
    if entry.role == "user":
        return _("## 提问，{time}").format(time=f"{entry.at:%Y-%m-%d %H:%M}")
    heading = _("### 回答")
    if entry.offline:
        heading += _("（离线）")
    return heading + _("（已停止）") if entry.interrupted else heading


def _call(tool: ToolEntry) -> str:
    words = " ".join(filter(None, (literal(tool.name), literal(tool.target))))
    return _("- 工具 {call}：{summary}").format(call=words, summary=literal(tool.summary) or "…")


def _with_marks(entry: ChatEntry, footnotes: _Footnotes) -> str:
    """An entry's text with the number of a footnote behind each mention that was checked."""
    text, behind = "", 0
    for citation in sorted(entry.citations, key=lambda each: each.end):
        if citation.document_id is not None and behind <= citation.end <= len(entry.text):
            text += _said(entry.text[behind : citation.end]) + f"[^{footnotes.number(citation)}]"
            behind = citation.end
    return text + _said(entry.text[behind:])


def _said(text: str) -> str:
    """What was said, cleaned; a footnote in it is none of ours, and must not be taken for one."""
    return _FOOTNOTE.sub(r"\\[^", clean(text))


def _closed(text: str) -> str:
    """The text with the end of a code block that was left open, so that it can't take in what follows."""
    fence = ""
    for line in text.split("\n"):
        match = _FENCE.match(line)
        if match and not fence:
            fence = match[1]
        elif match and match[1].startswith(fence) and not line.strip(" `~"):
            fence = ""
    return f"{text}\n{fence}" if fence else text
